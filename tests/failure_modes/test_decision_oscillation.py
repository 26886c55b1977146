"""Decision oscillation: undone and returning decisions."""

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import spelt_otherwise, there_and_back, undo
from vada.failure_modes import Level, State
from vada.models.outputs import GateCheck, Issue
from vada.models.vocabulary import ErrorKind, FailureMode, PhaseName

MODE = FailureMode.DECISION_OSCILLATION


def test_undoing_a_locked_decision_without_a_reason_is_amber() -> None:
    for run, n in planted(undo(1)):
        found = look(MODE, run, n)
        assert occurs(found, "undone decision")
        assert found.level is Level.AMBER


def test_coming_back_to_an_earlier_stance_is_red() -> None:
    for run, n in planted(there_and_back(1)):
        found = look(MODE, run, n)
        assert occurs(found, "returned decision")
        assert found.level is Level.RED


def test_coming_back_on_new_evidence_each_time_is_amber_at_most() -> None:
    for run, n in planted(there_and_back(1, evidence=True)):
        assert look(MODE, run, n).level in (None, Level.AMBER)
        assert look(MODE, run, 2).state is State.CAUGHT


def test_a_gate_that_names_the_return_and_asks_a_person_catches_it() -> None:
    run, n = planted(there_and_back(1), 1)[0]
    verdict = e.at(run, n).verdict
    assert verdict
    check = GateCheck(name="Oscillation", result=True, reason="Returned to an earlier stance.")
    run = e.put(run, n, verdict=verdict.model_copy(update={"checks": (check,), "wait": True}))
    found = look(MODE, run, n)
    assert "returned decision" not in names(found)
    assert any(c.phase is PhaseName.DECIDE for c in found.catches)


def test_another_spelling_is_no_change() -> None:
    for run, n in planted(spelt_otherwise):
        assert look(MODE, run, n).state is not State.OCCURRED


def test_correcting_a_flagged_fault_is_a_reason_to_change() -> None:
    run, n = planted(undo(1), 1)[0]
    key = look(MODE, run, n).evidence[0].id
    issue = Issue(id="i-1", kind=ErrorKind.WRONG, target=key, claim="wrong")
    assert "undone decision" not in names(look(MODE, e.with_verification(run, n - 1, issues=(issue,)), n))


def test_an_agent_that_leaves_a_locked_decision_in_vain_was_blocked() -> None:
    run = clean(11)
    d = next(d for d in e.synthesis(run, 1).decisions if d.status == "decided" and d.holders)
    role = d.holders[0]
    old = e.point(run, 1, role, d.key)
    assert old
    moved = e.with_points(
        run,
        2,
        lambda r, x: (
            x.model_copy(update={"value": "quite another way", "evidence": old.evidence})
            if r is role and x.key == d.key
            else x
        ),
    )
    kept = e.decision(moved, 2, d.key)
    assert kept
    if kept.value == d.value:
        assert any(c.phase is PhaseName.PREPARE for c in look(MODE, moved, 2).catches)


def test_in_the_first_round_nothing_can_be_undone() -> None:
    assert look(MODE, clean(11), 1).state is State.NOT_MEASURABLE
