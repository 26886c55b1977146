"""The failure modes of a run, measured once for all viewers and again only when a phase has ended since."""

import threading

import streamlit as st

from pages.parts import state
from vada.failure_modes import Calibration, Cell, Finding
from vada.models.run import Run
from vada.views import coverage
from vada.worker.debates import CALIBRATION

_LOCK = threading.Lock()


@st.cache_resource(show_spinner=False, max_entries=64)
def _measured(
    id: str, progress: str, version: str, _run: Run, _own: Calibration | None
) -> tuple[tuple[Finding, ...], tuple[Cell, ...]]:
    """Keyed by how far the run has come, because detectors read finished outputs only, and by whose thresholds hold."""
    return coverage.measured(_run, _own)


@st.cache_data(show_spinner=False, ttl=60)
def _own_thresholds() -> str:
    """The thresholds recomputed from one's own debates, as JSON; empty while the shipped ones hold."""
    kept = state.debates().value(CALIBRATION)
    return Calibration.model_validate(kept).model_dump_json() if kept else ""


def _both(run: Run) -> tuple[tuple[Finding, ...], tuple[Cell, ...]]:
    text = _own_thresholds()
    own = Calibration.model_validate_json(text) if text else None
    with _LOCK:
        return _measured(run.id, coverage.progress(run), own.version if own else "", run, own)


def findings(run: Run) -> tuple[Finding, ...]:
    """Every finding, per round and for the whole debate."""
    return _both(run)[0]


def cells(run: Run) -> tuple[Cell, ...] | None:
    """The measured matrix of the whole debate; None before anything can be measured."""
    if not any(r.proposals for r in run.rounds):
        return None
    return _both(run)[1]


def round_cells(run: Run, round_: int | None) -> tuple[Cell, ...]:
    """The measured matrix of a round, or of the whole debate (None)."""
    return coverage.cells(findings(run), round_) if round_ is not None else cells(run) or ()
