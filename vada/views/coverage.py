"""The failure-mode matrix: eleven modes by eight phases, as designed and as a debate measured it.

A cell that had no chance is never praised; a state is a word and a sign, never a colour alone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from vada import failure_modes
from vada.failure_modes import MODES, Calibration, Cell, CellState, Finding, Level, Mode, State
from vada.models.run import Run
from vada.models.vocabulary import EIGHT_PHASES, FailureMode, PhaseName

PREVENTS, DETECTS = "P", "D"
SIGNS: dict[CellState, str] = {
    CellState.MISSED: "✕",
    CellState.FIRED: "✓",
    CellState.QUIET: "○",
    CellState.NO_CHANCE: "",
}
CELL_WORDS: dict[CellState, str] = {
    CellState.MISSED: "missed",
    CellState.FIRED: "caught",
    CellState.QUIET: "had the chance, was quiet",
    CellState.NO_CHANCE: "no chance to show",
}
STATE_WORDS: dict[State, str] = {
    State.OCCURRED: "Occurred",
    State.CAUGHT: "Caught",
    State.QUIET: "Quiet",
    State.NOT_MEASURABLE: "Not measurable",
}


@dataclass(frozen=True)
class Defence:
    """How the design defends against a mode in a phase: `glyph` P prevents, D detects and repairs, empty none."""

    mode: FailureMode
    phase: PhaseName
    glyph: str
    text: str


def design() -> tuple[Defence, ...]:
    """The 88 cells of the design view, by mode, then phase."""
    return tuple(_defence(m, p) for m in MODES.values() for p in EIGHT_PHASES)


def _defence(mode: Mode, phase: PhaseName) -> Defence:
    glyph, _, text = mode.defended_in.get(phase, "").partition(" ")
    return Defence(mode.mode, phase, glyph, text)


def defence_words(d: Defence) -> str:
    """What a design cell says."""
    return {PREVENTS: f"prevents: {d.text}", DETECTS: f"detects and repairs: {d.text}"}.get(d.glyph, "no defence here")


def measured(run: Run, calibration: Calibration | None = None) -> tuple[tuple[Finding, ...], tuple[Cell, ...]]:
    """Every finding of a run, and the matrix of the whole debate; `calibration` is thresholds of one's own debates."""
    found = failure_modes.measure(run, calibration)
    return found, failure_modes.cells(found)


def progress(run: Run) -> str:
    """How far a run has come, as far as detectors can tell: changes exactly when a phase has ended."""
    ended = [f"{k}" for k, (_, end) in run.phase_times.items() if end]
    decided = sum(r.decision is not None for r in run.rounds)
    return f"{len(ended)}.{decided}.{len(run.degraded)}.{len(run.breaches)}.{run.audit is not None}"


def cells(findings: Sequence[Finding], round_: int | None) -> tuple[Cell, ...]:
    """The measured matrix of a round, or of the whole debate (None)."""
    return failure_modes.cells(findings, round_)


def cell_label(cell: Cell) -> str:
    """Sign and number: `✕ 2` missed twice, `✓ 3` caught three times, `○ 4` four quiet chances; empty: no chance."""
    number = {CellState.MISSED: cell.missed, CellState.FIRED: cell.fired, CellState.QUIET: cell.chances}.get(cell.state)
    return f"{SIGNS[cell.state]} {number}" if number is not None else ""


def cell_words(cell: Cell) -> str:
    """What a measured cell says, in words."""
    if cell.state is CellState.MISSED:
        loud = {Level.RED: "red", Level.AMBER: "amber"}.get(cell.level, "amber") if cell.level else "amber"
        return f"missed {cell.missed} of {cell.chances} ({loud})"
    if cell.state is CellState.FIRED:
        return f"caught {cell.fired} of {cell.chances}"
    if cell.state is CellState.QUIET:
        return f"quiet, {cell.chances} chance{'s' if cell.chances != 1 else ''}"
    return "no chance to show"


def finding(findings: Iterable[Finding], mode: FailureMode, round_: int | None) -> Finding | None:
    """The finding of a mode in a round, or in the whole debate (None)."""
    return next((f for f in findings if f.mode is mode and f.round == round_), None)


def state_words(f: Finding) -> str:
    """A finding's state in a word or two."""
    if f.state is State.OCCURRED and f.level:
        return f"Occurred ({f.level.value})"
    if f.state is State.CAUGHT and f.phase:
        return f"Caught in phase {f.phase.title.lower()}"
    return STATE_WORDS[f.state]


@dataclass(frozen=True)
class Reading:
    """A measured cell in plain sentences: what happened, what that means, and what a person can do."""

    happened: str
    means: str
    can_do: str


def reading(cell: Cell | None, mode: Mode) -> Reading:
    """What a cell of the measured matrix says to somebody who reads no numbers."""
    if cell is None or cell.state is CellState.NO_CHANCE:
        return Reading(
            "Nothing to look at. This mode had no chance to show in this phase.",
            "It says nothing, neither good nor bad.",
            "Nothing. Choose a cell with a sign in it.",
        )
    times = "once" if cell.chances == 1 else f"{cell.chances} times"
    if cell.state is CellState.QUIET:
        return Reading(
            f"No sign of it. This phase looked {times}.",
            "The debate shows none of the signs that code knows. It may still be there in a form that code cannot see.",
            "Nothing has to be done.",
        )
    if cell.state is CellState.FIRED:
        return Reading(
            f"The defence of this phase acted. {_sentence(cell)}",
            "The defence did its work here.",
            "Nothing has to be done. Below stands what it did.",
        )
    sure = "The sign is hard." if cell.level is Level.RED else "The sign is weak: it may be a false alarm."
    return Reading(f"{_sentence(cell)} No defence of this phase stopped it.", f"{mode.means} {sure}", mode.advice)


def _sentence(cell: Cell) -> str:
    return cell.sentence[:1].upper() + cell.sentence[1:]


def rounds_of(findings: Iterable[Finding]) -> tuple[int, ...]:
    """The rounds that were measured."""
    return tuple(sorted({f.round for f in findings if f.round is not None}))
