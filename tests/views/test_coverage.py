"""The matrix: 88 cells in both views, a state always in words and signs."""

import pytest

from tests.builders import a_run
from vada.failure_modes import MODES, Cell, CellState, Level, State
from vada.models.vocabulary import EIGHT_PHASES, FailureMode, PhaseName
from vada.views import coverage


def a_cell(state: CellState, **changes: object) -> Cell:
    """A cell of the matrix."""
    return Cell.model_validate(
        {"mode": FailureMode.SYCOPHANCY, "phase": PhaseName.PROPOSE, "state": state, "chances": 4, **changes}
    )


def test_the_design_has_88_cells_and_says_what_each_defence_is() -> None:
    cells = coverage.design()
    assert len(cells) == 88
    assert {d.glyph for d in cells} == {"P", "D", ""}
    first = next(d for d in cells if d.mode is FailureMode.SYCOPHANCY and d.phase is PhaseName.PROPOSE)
    assert coverage.defence_words(first).startswith("prevents: agents are blind")
    assert all((d.glyph == "") == (d.text == "") for d in cells)
    assert sum(d.glyph != "" for d in cells) == sum(len(m.defended_in) for m in MODES.values())


@pytest.mark.parametrize("stage", list(PhaseName))
def test_a_debate_is_measured_after_every_phase(stage: PhaseName) -> None:
    findings, cells = coverage.measured(a_run(rounds=2, stage=stage))
    assert {(c.mode, c.phase) for c in cells} == {(m, p) for m in FailureMode for p in EIGHT_PHASES}
    assert all(coverage.finding(findings, mode, None) for mode in FailureMode)
    assert coverage.rounds_of(findings) == (1, 2)


def test_the_swinging_decision_of_the_whole_debate_is_found_and_is_quiet_before() -> None:
    findings, _ = coverage.measured(a_run())
    whole = coverage.finding(findings, FailureMode.DECISION_OSCILLATION, None)
    assert whole
    assert whole.state in (State.OCCURRED, State.CAUGHT)
    first = coverage.finding(findings, FailureMode.DECISION_OSCILLATION, 1)
    assert first
    assert first.state is State.NOT_MEASURABLE


def test_progress_changes_when_a_phase_has_ended_and_not_with_every_event() -> None:
    before, after = a_run(rounds=2, stage=PhaseName.PROPOSE), a_run(rounds=2, stage=PhaseName.CHALLENGE)
    assert coverage.progress(before) != coverage.progress(after)
    assert coverage.progress(before) == coverage.progress(before.model_copy(update={"version": 999}))


@pytest.mark.parametrize(
    ("cell", "label", "said"),
    [
        (a_cell(CellState.MISSED, missed=2, level=Level.RED), "✕ 2", "missed 2 of 4 (red)"),
        (a_cell(CellState.FIRED, fired=3), "✓ 3", "caught 3 of 4"),
        (a_cell(CellState.QUIET), "○ 4", "quiet, 4 chances"),
        (a_cell(CellState.NO_CHANCE, chances=0), "", "no chance to show"),
    ],
)
def test_a_cell_is_a_sign_a_number_and_words(cell: Cell, label: str, said: str) -> None:
    assert (coverage.cell_label(cell), coverage.cell_words(cell)) == (label, said)


@pytest.mark.parametrize(
    ("cell", "happened", "can_do"),
    [
        (None, "Nothing to look at.", "Nothing."),
        (a_cell(CellState.NO_CHANCE, chances=0), "Nothing to look at.", "Nothing."),
        (a_cell(CellState.QUIET), "No sign of it. This phase looked 4 times.", "Nothing has to be done."),
        (
            a_cell(CellState.FIRED, fired=1, sentence="It was caught."),
            "The defence of this phase acted. It was caught.",
            "Nothing has to be done.",
        ),
        (a_cell(CellState.MISSED, missed=1, level=Level.AMBER, sentence="A moved."), "A moved.", "Read who moved"),
    ],
)
def test_a_cell_says_in_sentences_what_happened_and_what_to_do(cell: Cell | None, happened: str, can_do: str) -> None:
    said = coverage.reading(cell, MODES[FailureMode.SYCOPHANCY])
    assert said.happened.startswith(happened)
    assert said.can_do.startswith(can_do)
    assert ("false alarm" in said.means) is (cell is not None and cell.state is CellState.MISSED)
