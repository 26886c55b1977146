"""The deliverable screen: state and degradations above the text, every export there, model text inert."""

import pytest

from tests.app.hostile_run import poisoned
from tests.app.screens import active_markup, labels, opened, words
from tests.builders import a_deliverable, a_rehearsal, a_run, an_audit
from tests.hostile import HOST
from tests.recorded import put
from vada import constraints, exports
from vada.models.vocabulary import AuditVerdict, DebateState, PhaseName


def test_state_and_degradations_stand_above_the_text() -> None:
    said = words(opened("deliverable.py", id=put(a_run())))
    text = said.index("Keep billing in the monolith and give it a boundary")
    assert said.index("Revised") < text
    assert said.index("The Simplifier did not answer") < text
    assert said.index("529 overloaded_error (request req_011)") < text


def test_a_rehearsal_says_so_above_the_text() -> None:
    said = words(opened("deliverable.py", id=put(a_run(config=a_rehearsal()))))
    assert said.index("No model was called") < said.index("Keep billing in the monolith and give it a boundary")


def test_every_format_can_be_taken_away() -> None:
    screen = opened("deliverable.py", id=put(a_run()))
    assert [b.label for b in screen.get("download_button")] == [f.title for f in exports.FORMATS.values()]


def test_the_annex_holds_conclusion_minority_constraints_scores_and_audit() -> None:
    said = words(opened("deliverable.py", id=put(a_run())))
    assert "where it sends nothing" in said
    assert "The boundary is enforced in CI, not by agreement." in said
    assert "Billing should own its tables, because shared tables keep deploys coupled." in said
    assert "Invoices must keep going out on the 1st of every month, without exception." in said
    assert "Three engineers for the first two weeks." in said
    assert "Who owns the tables after the trigger." in said
    assert "The recommendation leaves open whether the shadow run may send invoices." in said


def test_a_counted_constraint_reads_as_in_the_export() -> None:
    run = a_run()
    reason = next(s.reason for s in constraints.standing(run, run.last) if s.constraint.id == "C1")
    assert reason.startswith("Counted by code: ")
    assert reason in words(opened("deliverable.py", id=put(run)))
    assert reason in exports.render(run, "md").decode()


def test_both_objections_of_an_unconverged_audit_are_shown() -> None:
    run = a_run(state=DebateState.UNCONVERGED, audit=an_audit(AuditVerdict.FLAG, AuditVerdict.FLAG))
    said = words(opened("deliverable.py", id=put(run)))
    assert "flagged the conclusion twice" in said
    assert said.count("The recommendation leaves open") == 2


@pytest.mark.parametrize("stage", [None, PhaseName.PREPARE, PhaseName.SYNTHESIZE, PhaseName.DECIDE, PhaseName.FORMAT])
def test_before_the_end_it_says_what_is_shown_instead(stage: PhaseName | None) -> None:
    screen = opened("deliverable.py", id=put(a_run(rounds=1, stage=stage)))
    assert not screen.exception
    said = words(screen)
    if stage is PhaseName.SYNTHESIZE:
        assert "The last synthesis, not yet a deliverable." in said
    if stage in (None, PhaseName.PREPARE):
        assert "There is nothing to read yet." in said


def test_an_unformatted_text_and_an_earlier_base_round_are_said() -> None:
    run = a_run(deliverable=a_deliverable(fallback=True, base_round=2))
    said = words(opened("deliverable.py", id=put(run)))
    assert "This is the raw synthesis with its scores, because formatting failed." in said
    assert "Written from round 2" in said


@pytest.mark.parametrize("shift", [0, 9])
def test_no_text_of_a_model_becomes_markup_or_stands_in_a_label(shift: int) -> None:
    screen = opened("deliverable.py", id=put(poisoned(a_run(), shift)))
    assert not screen.exception
    assert not active_markup(screen)
    assert HOST not in labels(screen)
