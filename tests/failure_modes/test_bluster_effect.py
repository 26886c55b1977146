"""Bluster: confident claims without evidence."""

import pytest

from tests.failure_modes.cases import clean, look, names, occurs, planted
from tests.planted import edits as e
from tests.planted.generator import cut
from tests.planted.mutators import bluster
from vada.failure_modes import Level, State
from vada.failure_modes.signals import listed
from vada.models.outputs import Issue
from vada.models.vocabulary import ErrorKind, FailureMode, PhaseName

MODE = FailureMode.BLUSTER_EFFECT


@pytest.mark.parametrize("confidence", [0.78, 0.9, 0.97])
def test_winning_over_evidence_without_any_is_red(confidence: float) -> None:
    for run, n in planted(bluster(confidence)):
        found = look(MODE, run, n)
        assert occurs(found, "won over evidence")
        assert found.level is Level.RED


def test_without_a_supported_rival_it_is_amber() -> None:
    run, n = planted(bluster(0.9), 1)[0]
    key = look(MODE, run, n).signals[0].links[-1].id
    alone = e.with_points(run, n, lambda _, x: x.model_copy(update={"evidence": ()}) if x.key == key else x)
    assert occurs(look(MODE, alone, n), "taken up unsupported")


@pytest.mark.parametrize("make", [bluster(0.9, evidence=True), bluster(0.5)])
def test_with_evidence_or_without_confidence_it_is_none(make: object) -> None:
    for run, n in planted(make):  # type: ignore[arg-type]
        assert not look(MODE, run, n).signals


def test_a_claim_that_does_not_prevail_is_caught() -> None:
    for run, n in planted(bluster(0.9, wins=False)):
        found = look(MODE, run, n)
        assert found.state is State.CAUGHT
        assert found.phase is PhaseName.SYNTHESIZE


def test_a_claim_the_verifier_finds_unsupported_is_caught() -> None:
    run, n = planted(bluster(0.9), 1)[0]
    point = look(MODE, run, n).signals[0].links[0].id
    issue = Issue(id="i-1", kind=ErrorKind.UNSUPPORTED_NUMBER, target=point, claim="x")
    found = look(MODE, e.with_verification(run, n, issues=(issue,)), n)
    assert found.state is State.CAUGHT
    assert found.phase is PhaseName.VERIFY


def test_before_the_synthesis_nothing_has_prevailed() -> None:
    run, _ = planted(bluster(0.9), 1)[0]
    assert look(MODE, cut(run, 1, PhaseName.CHALLENGE), 1).state is State.QUIET


def test_assertive_words_count_only_beside_a_claim_that_prevailed() -> None:
    shout = " ".join(f"The plan is {w} right." for w in listed("boosters")[:20])
    run, n = planted(bluster(0.9), 1)[0]
    loud = e.with_proposals(run, n, lambda p: p.model_copy(update={"text": shout}))
    assert "assertive wording" in names(look(MODE, loud, n))
    calm = e.with_proposals(clean(4), 1, lambda p: p.model_copy(update={"text": shout}))
    assert not look(MODE, calm, 1).signals


def test_confidence_that_rises_without_new_evidence_is_amber() -> None:
    run = clean(5)
    seen = {i for p in e.proposals(run, 1) for x in p.points for i in x.evidence}
    old = {(p.role, x.key): x.confidence for p in e.proposals(run, 1) for x in p.points}
    run = e.with_proposals(run, 2, lambda p: p.model_copy(update={"objections": ()}))
    run = e.put(run, 2, challenges=None)
    run = e.with_points(
        run,
        2,
        lambda r, x: x.model_copy(
            update={
                "confidence": min(1.0, old[r, x.key] + 0.2),
                "evidence": tuple(i for i in x.evidence if i in seen),
            }
        ),
    )
    assert "escalation" in names(look(MODE, run, 2))
