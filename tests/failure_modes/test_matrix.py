"""The measured matrix."""

from tests.failure_modes.cases import clean, planted
from tests.planted.generator import cut
from tests.planted.mutators import blank_objections, break_deliverable, drop_minority, dropped_and_restored, undo
from vada.failure_modes import MODES, Cell, CellState, Level, cells, measure
from vada.models.run import Run
from vada.models.vocabulary import EIGHT_PHASES, FailureMode, PhaseName


def _cell(run: Run, mode: FailureMode, phase: PhaseName, n: int | None = None) -> Cell:
    return next(c for c in cells(measure(run), n) if (c.mode, c.phase) == (mode, phase))


def test_there_are_88_cells_by_mode_then_phase() -> None:
    found = cells(measure(clean()))
    assert [(c.mode, c.phase) for c in found] == [(m, p) for m in MODES for p in EIGHT_PHASES]


def test_a_cell_names_the_designs_defence() -> None:
    assert _cell(clean(), FailureMode.SYCOPHANCY, PhaseName.CHALLENGE).defence == "P someone must object"
    assert _cell(clean(), FailureMode.SYCOPHANCY, PhaseName.PREPARE).defence == ""


def test_a_phase_that_has_not_run_had_no_chance() -> None:
    early = cells(measure(cut(clean(), 1, PhaseName.PROPOSE)))
    assert {c.state for c in early if c.phase > PhaseName.PROPOSE} == {CellState.NO_CHANCE}


def test_without_findings_no_cell_had_a_chance() -> None:
    assert {c.state for c in cells((), None)} == {CellState.NO_CHANCE}


def test_what_was_missed_is_red_in_the_cell_that_missed_it() -> None:
    run, n = planted(blank_objections, 1)[0]
    cell = _cell(run, FailureMode.ROLE_BLEED, PhaseName.PROPOSE, n)
    assert (cell.state, cell.level, cell.missed) == (CellState.MISSED, Level.RED, 1)
    assert cell.chances >= cell.missed + cell.fired


def test_a_defence_that_brought_a_point_back_has_fired() -> None:
    run, n = planted(dropped_and_restored, 1)[0]
    assert _cell(run, FailureMode.MAJORITY_TYRANNY, PhaseName.COMPRESS, n).fired >= 1
    assert _cell(run, FailureMode.MAJORITY_TYRANNY, PhaseName.VERIFY, n).state is CellState.FIRED


def test_the_debates_matrix_adds_up_its_rounds() -> None:
    run, _ = planted(drop_minority(1, 0.85, keep_id=False), 1)[0]
    mode, phase = FailureMode.MAJORITY_TYRANNY, PhaseName.SYNTHESIZE
    assert _cell(run, mode, phase).missed == sum(_cell(run, mode, phase, n).missed for n in (1, 2, 3)) == 1


def test_the_last_phase_is_seen_in_the_debate_only() -> None:
    run, _ = planted(break_deliverable, 1)[0]
    assert _cell(run, FailureMode.CONTEXT_DRIFT, PhaseName.FORMAT).state is CellState.MISSED
    assert _cell(run, FailureMode.CONTEXT_DRIFT, PhaseName.FORMAT, 3).state is CellState.NO_CHANCE


def test_an_amber_occurrence_is_an_amber_cell() -> None:
    run, n = planted(undo(1), 1)[0]
    assert _cell(run, FailureMode.DECISION_OSCILLATION, PhaseName.SYNTHESIZE, n).level is Level.AMBER
