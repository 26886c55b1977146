"""Coordinator hedging: averages, open challenges, hedges."""

import pytest

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import average, calibrated, forced, hedge, one_of_two, undecided
from vada.failure_modes import Level, State
from vada.failure_modes.signals import listed
from vada.models.outputs import ActiveItem
from vada.models.vocabulary import FailureMode, PhaseName

MODE = FailureMode.COORDINATOR_HEDGING
HEDGES = ("maybe", "perhaps", "possibly")


def test_the_mean_of_far_apart_proposals_is_red() -> None:
    for run, n in planted(average):
        found = look(MODE, run, n)
        assert occurs(found, "split difference")
        assert found.level is Level.RED


def test_taking_one_of_two_numbers_is_a_decision() -> None:
    for run, n in planted(one_of_two):
        assert not look(MODE, run, n).signals


def test_an_average_that_names_evidence_is_a_decision() -> None:
    run, n = planted(average, 1)[0]
    key = look(MODE, run, n).evidence[0].id
    source = e.proposals(run, n)[0].evidence[0].id
    decisions = tuple(
        d.model_copy(update={"reasons": (source,)}) if d.key == key else d for d in e.synthesis(run, n).decisions
    )
    assert "split difference" not in names(look(MODE, e.with_synthesis(run, n, decisions=decisions), n))


@pytest.mark.parametrize("count", [1, 2])
def test_a_third_of_the_challenges_left_undecided_is_red(count: int) -> None:
    for run, n in planted(undecided(count)):
        found = look(MODE, run, n)
        assert occurs(found, "undecided challenges")
        assert found.level is Level.RED


def test_an_undecided_challenge_that_stays_active_keeps_the_debate_open() -> None:
    run, n = planted(undecided(1), 1)[0]
    left = look(MODE, run, n).evidence[0].id
    brief = e.at(run, n).brief
    assert brief
    item = ActiveItem(id=left, text="open", origin="undecided challenge")
    kept = e.put(run, n, brief=brief.model_copy(update={"active": (*brief.active, item)}))
    assert any(c.phase is PhaseName.DECIDE for c in look(MODE, kept, n).catches)


def test_a_verdict_in_the_next_round_catches_it() -> None:
    for run, n in planted(forced):
        found = look(MODE, run, n)
        assert found.state is State.CAUGHT


def test_many_hedges_are_amber() -> None:
    for run, n in planted(hedge(30, HEDGES)):
        found = look(MODE, run, n)
        assert occurs(found, "hedges")
        assert found.level is Level.AMBER


def test_hedges_and_non_committal_phrases_together_are_red() -> None:
    for run, n in planted(hedge(20, HEDGES * 15 + listed("noncommittal"))):
        assert look(MODE, run, n).level is Level.RED


def test_one_non_committal_phrase_is_no_pattern() -> None:
    run = clean(0)
    spoiled = e.with_synthesis(run, 1, text=f"{e.synthesis(run, 1).text} It depends.")
    assert "non-committal phrases" not in names(look(MODE, spoiled, 1))


def test_calibrated_uncertainty_beside_a_decision_is_no_hedging() -> None:
    for run, n in planted(calibrated):
        assert look(MODE, run, n).state is not State.OCCURRED


def test_hedges_of_another_language_are_not_counted() -> None:
    run = clean(0)
    german = "Wir entscheiden uns für den Dienst, weil die Kosten sonst steigen und niemand weiss, wer bezahlt. " * 12
    decisions = tuple(d.model_copy(update={"statement": "Wir bleiben dabei."}) for d in e.synthesis(run, 1).decisions)
    s = e.with_synthesis(run, 1, text=german, decisions=decisions, rulings=(), veto_rulings=())
    found = look(MODE, s, 1)
    assert "Hedges are counted in English texts only." in found.notes
    assert not [n for n in found.numbers if n.name.startswith("hedges")]


def test_without_a_synthesis_nothing_can_be_measured() -> None:
    found = look(MODE, e.put(clean(0), 1, synthesis=None), 1)
    assert found.state is State.NOT_MEASURABLE
    assert found.sentence == "There is no synthesis yet."
