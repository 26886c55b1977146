"""A round's outputs as tables."""

import pytest

from tests.builders import a_run
from vada.models.run import Round, Run
from vada.models.vocabulary import PhaseName, Role
from vada.views import record, references


def _of(run: Run, number: int) -> tuple[Round, dict[str, references.Reference]]:
    return run.rounds[number - 1], references.index(run)


def test_the_register_holds_all_that_became_of_each_challenge() -> None:
    run = a_run()
    r, found = _of(run, 1)
    rows = record.register(run, r, found)
    assert [(x.number, x.status, x.verdict) for x in rows] == [
        (1, "Defended", "Objection upheld"),
        (2, "Conceded", "Objection upheld in part"),
        (3, "Undefended", "Undecided"),
    ]
    assert rows[0].against == "Optimizer A"
    assert rows[0].aimed_at == "Billing should become a service of its own behind a thin facade."
    assert rows[0].sources[0].title == "incidents.md"
    assert rows[0].cites == ("incidents.md", "Constraint C3")
    assert rows[2].defences == ()


def test_a_challenge_without_a_ruling_says_so() -> None:
    run = a_run(rounds=1, stage=PhaseName.CHALLENGE)
    assert {x.verdict for x in record.register(run, *_of(run, 1))} == {"Not ruled yet"}


def test_the_columns_say_what_is_new_what_changed_and_why() -> None:
    run = a_run()
    second = {i.key: i for i in record.columns(run, *_of(run, 2)).active}
    assert second["rollout"].is_new
    assert second["data"].changed_from == "shared schema"
    assert second["data"].why == "Shared tables and deploy coupling"
    first = record.columns(run, *_of(run, 1))
    assert not any(i.is_new or i.changed_from for i in first.decided + first.active)
    assert first.minority[0].key == "Optimizer A, point 1, round 1"


def test_an_active_item_that_is_no_decision_is_not_lost() -> None:
    run = a_run(rounds=1)
    r, found = _of(run, 1)
    assert r.brief
    extra = r.brief.active[0].model_copy(update={"id": "r1.a9", "text": "Who pays?", "origin": "dropped point"})
    changed = r.model_copy(update={"brief": r.brief.model_copy(update={"active": (*r.brief.active, extra)})})
    assert record.columns(run, changed, found).active[-1].text == "Who pays?"


def test_a_veto_is_shown_with_its_ruling() -> None:
    run = a_run()
    assert [v.verdict for v in record.vetoes(*_of(run, 1))] == ["stands"]
    assert [v.verdict for v in record.vetoes(*_of(run, 2))] == ["overruled"]
    assert record.vetoes(*_of(run, 2))[0].cites == ("Shared tables and deploy coupling",)


def test_a_renegotiation_is_pending_until_the_person_answers() -> None:
    waiting = a_run(rounds=2, stage=PhaseName.DECIDE)
    assert record.renegotiations(waiting, waiting.rounds[1])[0].answer == "pending, the constraint holds"
    answered = a_run()
    assert record.renegotiations(answered, answered.rounds[1])[0].answer == "rejected"


def test_scores_carry_their_share_and_their_change() -> None:
    run = a_run()
    rows = record.scores(run, run.rounds[1])
    assert sum(s.weight for s in rows) == pytest.approx(1)
    assert [s.change for s in rows] == [1, 1, 1, 0, -1]
    assert all(s.change is None for s in record.scores(run, run.rounds[0]))


def test_scores_are_compared_over_a_skipped_round() -> None:
    run = a_run(skipped=(2,))
    assert [s.change for s in record.scores(run, run.rounds[2])] == [1.5, 1, 1.5, 0.5, -0.5]
    assert record.scores(run, run.rounds[1]) == ()


def test_what_was_silently_dropped_stands_first() -> None:
    run = a_run()
    rows = record.fates(*_of(run, 2))
    assert rows[0].dropped
    assert rows[0].by == "code"
    assert not any(f.dropped for f in rows[1:])


def test_the_same_fault_is_followed_through_the_rounds() -> None:
    run = a_run()
    r, found = _of(run, 2)
    third = run.rounds[2]
    assert r.verification
    assert third.verification
    again = third.model_copy(
        update={"verification": third.verification.model_copy(update={"issues": r.verification.issues})}
    )
    repeated = run.model_copy(update={"rounds": (*run.rounds[:2], again)})
    assert record.faults(repeated, again, found)[0].rounds == (2, 3)


def test_degradations_and_breaches_are_found_by_round_and_phase() -> None:
    run = a_run()
    assert [d.role for d in record.degraded(run, 3, PhaseName.PROPOSE)] == [Role.SIMPLIFIER]
    assert record.degraded(run, 3, PhaseName.VERIFY) == ()
    assert [b.rule for b in record.breaches(run, 2)] == [2]


def test_the_last_synthesis_skips_a_round_without_one() -> None:
    run = a_run()
    bare = run.rounds[1].model_copy(update={"synthesis": None})
    changed = run.model_copy(update={"rounds": (run.rounds[0], bare, run.rounds[2])})
    assert run.rounds[0].synthesis
    assert record.last_synthesis(changed, 3) == (1, run.rounds[0].synthesis.text)
    assert record.last_synthesis(changed, 1) is None
