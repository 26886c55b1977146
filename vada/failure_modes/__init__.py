"""The eleven failure modes, measured: one file a mode says what it is, which phases defend, and whether it happened.

Every detector is a pure function of a run: no model call, nothing stored. How a debate goes wrong is data, never an
exception.
"""

from vada.failure_modes import (
    bluster_effect,
    complexity_creep,
    consensus_inertia,
    context_drift,
    coordinator_hedging,
    decision_oscillation,
    error_cascade,
    majority_tyranny,
    no_new_signal,
    role_bleed,
    sycophancy,
)
from vada.failure_modes.finding import Cell, CellState, Finding, Level, Link, LinkKind, Mode, Number, Origin, State
from vada.models.vocabulary import FailureMode

_MODULES = (
    sycophancy,
    majority_tyranny,
    bluster_effect,
    error_cascade,
    context_drift,
    consensus_inertia,
    no_new_signal,
    role_bleed,
    complexity_creep,
    decision_oscillation,
    coordinator_hedging,
)

MODES: dict[FailureMode, Mode] = {m.MODE.mode: m.MODE for m in _MODULES}
"""The eleven, in the matrix' order."""

__all__ = ["MODES", "Cell", "CellState", "Finding", "Level", "Link", "LinkKind", "Mode", "Number", "Origin", "State"]
