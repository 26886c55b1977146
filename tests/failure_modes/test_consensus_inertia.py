"""Consensus inertia: decisions that stand because they stand."""

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.mutators import never_upheld, stand_firm
from vada.failure_modes import Level, State
from vada.models.outputs import Sunset
from vada.models.run import Run
from vada.models.vocabulary import FailureMode, PhaseName

MODE = FailureMode.CONSENSUS_INERTIA


def test_keeping_a_decision_against_new_evidence_without_naming_any_is_amber() -> None:
    for run, n in planted(stand_firm(1)):
        assert occurs(look(MODE, run, n), "kept without a reason")


def test_half_of_two_or_more_such_decisions_are_red() -> None:
    for run, n in planted(stand_firm(3)):
        assert look(MODE, run, n).level is Level.RED


def test_a_ruling_that_cites_evidence_is_a_defence_that_fired() -> None:
    for run, n in planted(stand_firm(2, cites=True)):
        found = look(MODE, run, n)
        assert "kept without a reason" not in names(found)
        assert any(c.phase is PhaseName.SYNTHESIZE for c in found.catches)


def test_a_challenge_without_evidence_obliges_nobody() -> None:
    for run, n in planted(stand_firm(2, evidence=False)):
        assert "kept without a reason" not in names(look(MODE, run, n))


def test_five_challenges_of_which_none_is_upheld_are_red() -> None:
    for run, n in planted(never_upheld):
        found = look(MODE, run, n)
        assert occurs(found, "nothing is ever upheld")
        assert found.level is Level.RED


def test_a_decision_nobody_looks_at_for_two_rounds_is_stale() -> None:
    run = _silent()
    found = look(MODE, run, 3)
    assert occurs(found, "stale decision")
    assert found.level is Level.AMBER


def test_a_sunset_is_a_catch() -> None:
    run = _silent()
    key = next(s.links[0].id for s in look(MODE, run, 3).signals if s.name == "stale decision")
    asked = e.with_verification(run, 3, sunsets=(Sunset(key=key, reason="still needed?"),))
    assert any(c.phase is PhaseName.VERIFY for c in look(MODE, asked, 3).catches)


def test_nothing_is_locked_before_the_first_round() -> None:
    assert look(MODE, clean(9), 1).state is State.NOT_MEASURABLE


def _silent() -> Run:
    """A debate in which nobody speaks of one locked decision in rounds 2 and 3."""
    run = clean(9)
    locked = next(d.key for d in e.synthesis(run, 1).decisions if d.status == "decided")
    for n in (2, 3):
        run = e.with_proposals(
            run, n, lambda p: p.model_copy(update={"points": tuple(x for x in p.points if x.key != locked)})
        )
        kept = tuple(c for c in e.challenges(run, n) if c.target_key != locked)
        register = e.at(run, n).challenges
        assert register
        run = e.put(run, n, challenges=register.model_copy(update={"challenges": kept}))
        run = e.with_verification(run, n, issues=())
    return run
