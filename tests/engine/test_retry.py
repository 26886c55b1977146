"""A retry: what is asked anew, what answers from the record, and that the debate goes on to its end afterwards."""

import pytest

from tests.engine.conftest import Stage
from tests.engine.test_steps import decision
from tests.fake_messages import Status, Text, role, wants
from vada.models.events import EventKind
from vada.models.run import Run
from vada.models.vocabulary import DebateState, GateAction, GateMode, Role
from vada.store import debates

DOWN = Status(400, "no such thing")


async def without_b(stage: Stage) -> Run:
    """A debate that waits at its gate, ruled on without Optimizer B."""
    stage.server.script(DOWN, match=role("Optimizer B"), times=None)
    run = await stage.play(stage.start(gate=GateMode.EVERY, rounds=1))
    assert run.state is DebateState.WAITING
    assert run.rounds[0].synthesis
    assert Role.OPTIMIZER_B not in {p.role for p in run.rounds[0].replied}
    return run


def asked_since(stage: Stage, run: Run) -> set[str]:
    told = stage.debates.events(run.id, run.version)
    return {e.payload["slot"] for e in told if e.kind is EventKind.CALL_ENDED}


async def test_what_follows_from_a_retried_proposal_is_ruled_on_anew(stage: Stage) -> None:
    before = await without_b(stage)
    stage.server.unscripted()
    stage.debates.retry(before.id)
    run = await stage.play(before.id)
    asked = asked_since(stage, before)
    assert {"r1.propose.optimizer_b", "r1.synthesize", "r1.verify"} <= asked
    assert not asked & {"r1.propose.optimizer_a", "r1.propose.challenger", "r1.propose.simplifier"}
    ruling = [c for c in stage.debates.calls(run.id) if c.slot == "r1.synthesize"][-1]
    b = next(p for p in run.rounds[0].replied if p.role is Role.OPTIMIZER_B)
    assert any(b.points[0].claim in part.text for part in ruling.parts)
    assert stage.debates.verify(run.id) == []


async def test_a_retry_that_fails_again_pays_for_no_unchanged_prompt(stage: Stage) -> None:
    before = await without_b(stage)
    stage.debates.retry(before.id)
    run = await stage.play(before.id)
    assert run.state is DebateState.WAITING
    assert run.rounds[0].synthesis == before.rounds[0].synthesis
    assert asked_since(stage, before) == {"r1.propose.optimizer_b"}


async def test_a_retry_on_another_day_keeps_the_date_that_the_round_began_on(stage: Stage) -> None:
    stage.server.script(DOWN, match=wants("VerificationReply"), times=None)
    before = await stage.play(stage.start(gate=GateMode.EVERY, rounds=1))
    stage.server.unscripted()
    stage.debates.retry(before.id)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("vada.store.events.now", lambda: "2031-01-01T00:00:00+00:00")
        await stage.play(before.id)
    asked = asked_since(stage, before)
    assert "r1.verify" in asked
    assert "r1.synthesize" not in asked


async def test_a_round_retried_after_its_gate_was_decided_waits_decides_and_ends(stage: Stage) -> None:
    stage.server.script(DOWN, match=wants("SynthesisReply"), times=None)
    run = await stage.play(stage.start(gate=GateMode.EVERY, rounds=1))
    stage.debates.decide(run.id, 1, decision(GateAction.STOP))
    run = await stage.play(run.id)
    assert run.state is DebateState.FAILED
    stage.server.unscripted()
    stage.debates.retry(run.id)
    run = await stage.play(run.id)
    assert run.state is DebateState.WAITING
    assert run.rounds[0].synthesis
    stage.debates.decide(run.id, 1, decision(GateAction.STOP))
    run = await stage.play(run.id)
    assert run.state in (DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED), run.reason
    assert run.rounds[0].decision
    assert run.deliverable
    decided = [e for e in stage.debates.events(run.id) if e.kind is EventKind.GATE_DECIDED]
    assert len(decided) == 2, "the decision that was withdrawn stays on the record"
    assert stage.debates.verify(run.id) == []


async def test_a_round_may_fail_be_decided_and_be_retried_again_and_again(stage: Stage) -> None:
    stage.server.script(DOWN, match=wants("SynthesisReply"), times=None)
    run = await stage.play(stage.start(gate=GateMode.EVERY, rounds=1))
    stage.debates.decide(run.id, 1, decision(GateAction.STOP))
    assert (await stage.play(run.id)).state is DebateState.FAILED
    stage.debates.retry(run.id)  # and it fails once more
    assert (await stage.play(run.id)).state is DebateState.WAITING
    stage.debates.decide(run.id, 1, decision(GateAction.STOP))
    assert (await stage.play(run.id)).state is DebateState.FAILED
    assert stage.debates.verify(run.id) == []


async def test_where_only_the_ending_failed_only_the_ending_is_retried(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    waiting = await without_b(stage)

    async def broken(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as patched:
        patched.setattr("vada.engine.play_ending", broken)
        stage.debates.decide(waiting.id, 1, decision(GateAction.STOP))
        failed = await stage.play(waiting.id)
    assert failed.state is DebateState.FAILED
    stage.server.unscripted()
    stage.debates.retry(failed.id)
    run = await stage.play(failed.id)
    assert run.deliverable
    assert {slot.split(".")[0] for slot in asked_since(stage, failed)} == {"end"}
    assert run.rounds[0].decision == failed.rounds[0].decision


async def test_the_ending_of_a_debate_that_was_finished_early_can_be_retried(stage: Stage) -> None:
    id_ = stage.start()
    await stage.step(id_)
    stage.database.write(lambda c: debates.set_(c, id_, finish_by="Ada"))
    stage.server.script(DOWN, match=wants("AuditReply"), times=None)
    run = await stage.play(id_)
    assert "audit_skipped" in {d.key for d in run.degraded}
    stage.server.unscripted()
    stage.debates.retry(id_)
    run = await stage.play(id_)
    assert run.state is DebateState.STOPPED, run.reason
    assert run.audit
    assert run.audit.passes
    assert stage.debates.verify(id_) == []


async def test_a_retry_is_offered_where_it_does_something(stage: Stage) -> None:
    waiting = await without_b(stage)
    assert stage.debates.can_retry(waiting.id)
    stage.server.unscripted()
    stage.debates.retry(waiting.id)
    assert not stage.debates.can_retry(waiting.id), "it runs"
    await stage.play(waiting.id)
    assert not stage.debates.can_retry(waiting.id)


async def test_a_reply_that_cannot_be_used_can_be_retried(stage: Stage) -> None:
    stage.server.script(Text("not what was asked for"), match=role("Optimizer B"), times=None)
    run = await stage.play(stage.start(gate=GateMode.EVERY, rounds=1))
    assert {c.status for c in run.calls} == {"ok"}
    assert stage.debates.can_retry(run.id)
