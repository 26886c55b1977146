"""Context drift: constraints and the question."""

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import (
    break_constraint,
    break_deliverable,
    foreign,
    long_on_topic,
    lose_constraints,
    renegotiated,
)
from vada.failure_modes import Level, State
from vada.models.vocabulary import FailureMode, Holds, PhaseName

MODE = FailureMode.CONTEXT_DRIFT


def test_a_constraint_that_is_not_kept_and_not_renegotiated_is_red() -> None:
    for run, n in planted(break_constraint):
        found = look(MODE, run, n)
        assert occurs(found, "constraint broken")
        assert found.level is Level.RED
        assert found.evidence[0].quote in [c.text for c in run.config.constraints]


def test_a_formal_renegotiation_is_a_catch() -> None:
    for run, n in planted(renegotiated):
        found = look(MODE, run, n)
        assert found.state is State.CAUGHT
        assert found.phase is PhaseName.SYNTHESIZE


def test_a_constraint_kept_again_a_round_later_is_a_catch() -> None:
    run = clean(6)
    checks = e.verification(run, 1).constraint_checks
    broken = (checks[0].model_copy(update={"holds": Holds.NO}), *checks[1:])
    found = look(MODE, e.with_verification(run, 1, constraint_checks=broken), 1)
    assert found.state is State.CAUGHT


def test_a_prompt_without_the_constraints_is_red_and_linked() -> None:
    for run, n in planted(lose_constraints):
        found = look(MODE, run, n)
        assert occurs(found, "prompt without the constraints")
        assert found.evidence[0].id.startswith("call-")


def test_a_brief_with_other_constraints_is_red() -> None:
    run = clean(6)
    brief = e.at(run, 2).brief
    assert brief
    spoiled = e.put(run, 2, brief=brief.model_copy(update={"constraints_block": "C1: be nice"}))
    assert occurs(look(MODE, spoiled, 2), "brief without the constraints")


def test_a_dossier_that_rewords_a_constraint_is_red() -> None:
    run = clean(6)
    dossier = e.at(run, 1).dossier
    assert dossier
    spoiled = e.put(run, 1, dossier=dossier.model_copy(update={"constraints_block": "C1: spend little"}))
    assert occurs(look(MODE, spoiled, 1), "constraint not verbatim")


def test_a_deliverable_that_breaks_a_constraint_is_red_in_the_debate() -> None:
    run, _ = planted(break_deliverable, 1)[0]
    found = look(MODE, run, 0)
    assert occurs(found, "deliverable breaks a constraint")
    assert found.phase is PhaseName.FORMAT


def test_a_foreign_text_is_amber_however_foreign() -> None:
    for run, n in planted(foreign(1.0)):
        found = look(MODE, run, n)
        assert occurs(found, "question's words lost")
        assert found.level is Level.AMBER


def test_a_long_text_on_the_question_is_no_drift() -> None:
    for run, n in planted(long_on_topic):
        assert names(look(MODE, run, n)) == set()


def test_without_constraints_and_synthesis_nothing_can_be_measured() -> None:
    run = clean(6)
    bare = run.model_copy(update={"config": run.config.model_copy(update={"constraints": ()})})
    assert look(MODE, e.put(bare, 1, synthesis=None, verification=None), 1).state is State.NOT_MEASURABLE
