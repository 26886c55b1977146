"""The deliverable: its state is never softened, and what it rests on is found."""

import pytest

from tests.builders import a_deliverable, a_run, an_audit
from vada.models.outputs import Baseline
from vada.models.vocabulary import AuditVerdict, DebateState, PhaseName, Role
from vada.views import result


@pytest.mark.parametrize("state", list(DebateState))
def test_every_state_has_a_banner(state: DebateState) -> None:
    banner = result.banner(a_run(state=state, reason="stopped by Ada"))
    assert banner.title
    assert banner.text.endswith(".")


def test_a_failed_debate_says_why() -> None:
    banner = result.banner(a_run(state=DebateState.FAILED, reason="the Coordinator gave no synthesis"))
    assert banner.tone == "bad"
    assert "The Coordinator gave no synthesis." in banner.text


def test_before_there_is_a_deliverable_the_last_synthesis_is_shown() -> None:
    run = a_run(rounds=2, stage=PhaseName.VERIFY)
    assert run.rounds[1].synthesis
    assert result.text(run) == run.rounds[1].synthesis.text
    assert result.text(a_run(rounds=1, stage=PhaseName.PROPOSE)) == ""


def test_a_text_from_an_earlier_round_says_so() -> None:
    run = a_run(deliverable=a_deliverable(base_round=2))
    assert result.base(run) == run.rounds[1]
    assert "round 2" in result.base_words(run)
    assert result.base_words(a_run()) == ""


def test_both_objections_of_an_unconverged_audit_are_kept() -> None:
    run = a_run(audit=an_audit(AuditVerdict.FLAG, AuditVerdict.FLAG), state=DebateState.UNCONVERGED)
    looks = result.looks(run)
    assert [x.passed for x in looks] == [False, False]
    assert all(x.objection and x.field == "recommendation" for x in looks)


def test_an_audit_that_did_not_take_place_is_not_called_an_objection() -> None:
    silent = an_audit().model_copy(update={"passes": (), "revision": None})
    banner = result.banner(a_run(audit=silent, state=DebateState.UNCONVERGED))
    assert "did not answer" in banner.text
    assert "twice" not in banner.text


def test_the_one_field_fix_is_readable() -> None:
    fixed = result.fix(a_run())
    assert fixed
    assert fixed.field == "recommendation"
    assert "where it sends nothing" in fixed.after
    assert '"' not in fixed.before[0]
    assert result.fix(a_run(audit=an_audit(AuditVerdict.PASS))) is None


@pytest.mark.parametrize(
    ("canonical", "said"),
    [
        ('"a"', "a"),
        ('["a","b"]', "- a\n- b"),
        ('[{"condition":"c","path":"p"}]', "- condition: c; path: p"),
        ("not json", "not json"),
    ],
)
def test_a_field_is_read_from_its_canonical_json(canonical: str, said: str) -> None:
    assert result.readable(canonical) == said


def test_the_summary_counts_what_this_debate_itself_paid() -> None:
    run = a_run()
    reused = run.model_copy(update={"calls": tuple(c.model_copy(update={"reused": True}) for c in run.calls)})
    assert "0 calls, $0.00" in result.ended_in(reused)
    assert result.ended_in(run).startswith("3 rounds, 25 calls, $0.30")


def test_the_time_is_that_of_the_phases_without_the_wait_between_them() -> None:
    at = "2026-03-01T{}+00:00".format
    times = {"1.p2_propose": (at("09:00:00"), at("09:01:00")), "2.p2_propose": (at("17:00:00"), at("17:00:30"))}
    run = a_run().model_copy(update={"phase_times": times})
    assert result.ended_in(run).endswith(", 1 min 30 s")


def test_one_answer_asked_long_after_the_debate_does_not_lengthen_it() -> None:
    run = a_run()
    once = Baseline(
        state="answered", seat=Role.COORDINATOR, model=run.config.seat(Role.COORDINATOR).model, text="Wait."
    )
    asked = run.model_copy(update={"baseline": once})
    later = asked.model_copy(update={"updated_at": "2027-01-01T00:00:00+00:00"})
    assert result.ended_in(later) == result.ended_in(asked)
