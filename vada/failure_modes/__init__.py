"""The eleven failure modes, measured: one file a mode says what it is, which phases defend, and whether it happened.

Every detector is a pure function of a run: no model call, nothing stored. How a debate goes wrong is data, never an
exception.
"""

from collections.abc import Sequence
from typing import Protocol

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
from vada.failure_modes.calibration import CALIBRATION_ROUNDS, calibrate
from vada.failure_modes.cutoffs import CUTOFFS, Calibration, Cut, Cutoff
from vada.failure_modes.finding import (
    Catch,
    Cell,
    CellState,
    Finding,
    Kind,
    Level,
    Link,
    LinkKind,
    Mark,
    Mode,
    Number,
    Origin,
    Signal,
    State,
)
from vada.failure_modes.matrix import matrix
from vada.failure_modes.positions import Baseline, Move, Position, baseline, moves, positions
from vada.failure_modes.reading import Reading
from vada.models.run import Run
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


class Detect(Protocol):
    """Looks for one mode in a round of a run, or in the whole debate (None)."""

    def __call__(
        self, run: Run | Reading, round: int | None = None, calibration: Calibration | None = None
    ) -> Finding: ...


DETECTORS: dict[FailureMode, Detect] = {m.MODE.mode: m.detect for m in _MODULES}
"""The detector of each mode."""


def measure(run: Run | Reading, calibration: Calibration | None = None) -> tuple[Finding, ...]:
    """Every finding of a run: each mode in each round there is, then each mode in the whole debate (`round` None).

    Works after every phase of a running debate; what has not happened yet is not measurable.
    """
    reading = Reading.of(run, calibration)
    return tuple(detect(reading, n) for n in (*reading.numbers, None) for detect in DETECTORS.values())


def cells(findings: Sequence[Finding], round: int | None = None) -> tuple[Cell, ...]:
    """The measured matrix, 11 by 8, of a round, or of the whole debate (None): by mode, then phase."""
    return matrix(MODES.values(), findings, round)


__all__ = [
    "CALIBRATION_ROUNDS",
    "CUTOFFS",
    "DETECTORS",
    "MODES",
    "Baseline",
    "Calibration",
    "Catch",
    "Cell",
    "CellState",
    "Cut",
    "Cutoff",
    "Finding",
    "Kind",
    "Level",
    "Link",
    "LinkKind",
    "Mark",
    "Mode",
    "Move",
    "Number",
    "Origin",
    "Position",
    "Reading",
    "Signal",
    "State",
    "baseline",
    "calibrate",
    "cells",
    "measure",
    "moves",
    "positions",
]
