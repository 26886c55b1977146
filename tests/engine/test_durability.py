"""Nothing paid for is lost or paid again, whoever runs a step and however often; a person's stop is obeyed."""

import asyncio
from collections import Counter

import pytest

from tests.engine.conftest import Stage
from tests.fake_messages import Entry, Hang, Status, role, wants
from vada.errors import InputError
from vada.models.events import EventKind
from vada.models.outputs import GateDecision
from vada.models.run import Run
from vada.models.vocabulary import DebateState, GateAction, GateMode, PhaseName, Role
from vada.store import debates


def doubled(run: Run) -> list[tuple[str, int]]:
    """The attempts that were made more than once and came to an end."""
    made = Counter((c.slot, c.attempt) for c in run.calls if c.status not in ("interrupted", "cancelled"))
    return [attempt for attempt, times in made.items() if times > 1]


def answered(stage: Stage) -> list[Entry]:
    """The requests that were answered to their end."""
    return [e for e in stage.server.calls if e.message and not e.aborted]


async def test_a_step_begun_again_pays_only_for_what_is_missing(stage: Stage) -> None:
    id_ = stage.start(rounds=1)
    await stage.broken_off(id_, "SynthesisReply")
    assert stage.debates.run(id_).state is DebateState.RUNNING
    run = await stage.play(id_)
    assert run.state.ended
    assert doubled(run) == []
    assert len([c for c in run.calls if c.status == "ok"]) == len(answered(stage))
    told = stage.debates.events(id_)
    assert Counter(e.key for e in told).most_common(1)[0][1] == 1
    assert [e.kind for e in told].count(EventKind.RESUMED) == 1
    assert len([e for e in told if e.kind is EventKind.REPLIED]) == 4
    assert stage.debates.verify(id_) == []


async def test_who_lost_a_debate_writes_nothing_more_and_loses_no_reply(stage: Stage) -> None:
    stage.server.latency = 0.3
    id_ = stage.start(rounds=1)
    due, zombie, heir = stage.owed(id_), stage.runner(), stage.runner()
    assert due
    late = asyncio.ensure_future(zombie.run(due))  # nobody tells it how the debate stands: it is frozen
    await stage.until(lambda: len(stage.server.calls) >= 4)
    await heir.run(due)
    await late
    run = stage.debates.run(id_)
    assert len(run.rounds) == 1
    assert run.rounds[0].finished
    assert stage.debates.verify(id_) == []
    assert {slot for slot, _ in doubled(run)} <= {f"r1.propose.{r}" for r in Role}
    assert len(run.calls) >= len(answered(stage)), "every reply is on the record, the doubled and cut off ones too"
    assert len(stage.debates.events(id_)) == len({e.key for e in stage.debates.events(id_)})


async def test_the_heir_of_a_debate_stops_the_one_before_at_the_next_look(stage: Stage) -> None:
    stage.server.script(Hang(), times=None)
    id_ = stage.start()
    due = stage.owed(id_)
    assert due
    running = asyncio.ensure_future(stage.step(id_))
    await stage.until(lambda: len(stage.server.calls) >= 4)
    stage.database.write(lambda c: debates.claim(c, due, "heir"))
    async with asyncio.timeout(3):
        await running


async def test_stopping_breaks_off_what_is_running_at_once(stage: Stage) -> None:
    stage.server.script(Hang(), times=None)
    id_ = stage.start()
    running = asyncio.ensure_future(stage.step(id_))
    await stage.until(lambda: len(stage.server.calls) >= 4)
    stage.debates.cancel(id_, by="Ada")
    async with asyncio.timeout(3):
        run = await running
    assert (run.state, run.reason) == (DebateState.STOPPED, "Stopped by Ada.")
    assert stage.owed(id_) is None
    assert len(stage.server.calls) == 4
    stage.debates.cancel(id_)
    assert stage.debates.run(id_).reason == "Stopped by Ada."
    assert stage.debates.verify(id_) == []


async def test_finishing_lets_what_is_running_end_and_formats_what_exists(stage: Stage) -> None:
    stage.server.latency = 0.2
    id_ = stage.start()
    running = asyncio.ensure_future(stage.step(id_))
    await stage.until(lambda: len(stage.server.calls) >= 4)
    stage.debates.finish(id_, by="Ada")
    await running
    run = await stage.play(id_)
    assert run.state is DebateState.STOPPED
    assert "Ada" in run.reason
    assert run.deliverable
    assert run.rounds[0].synthesis
    assert run.rounds[0].verification is None
    assert not [c for c in run.calls if c.phase is PhaseName.VERIFY]


async def test_finishing_at_a_gate_is_a_decision_to_stop(stage: Stage) -> None:
    run = await stage.play(stage.start(gate=GateMode.EVERY))
    stage.debates.finish(run.id, by="Ada")
    run = await stage.play(run.id)
    assert run.state is DebateState.STOPPED
    assert run.rounds[0].decision
    assert run.rounds[0].decision.by == "Ada"


async def test_a_failed_debate_is_retried_at_the_failed_call_only(stage: Stage) -> None:
    stage.server.script(Status(400, "no such thing"), match=wants("SynthesisReply"), times=None)
    run = await stage.play(stage.start(rounds=1))
    assert run.state is DebateState.FAILED
    assert "no such thing" in run.reason
    before = {c.slot for c in run.calls if c.status == "ok"}
    stage.server.unscripted()
    stage.debates.retry(run.id)
    told = run.version
    run = await stage.play(run.id)
    assert run.state.ended
    assert run.state is not DebateState.FAILED
    asked = {e.payload["slot"] for e in stage.debates.events(run.id, told) if e.kind is EventKind.CALL_ENDED}
    assert "r1.synthesize" in asked
    assert not asked & before
    assert "synthesis_failed" not in {d.key for d in run.degraded}
    assert run.rounds[0].synthesis
    assert len(run.rounds[0].replied) == 4, "no card is told twice"
    assert any(c.status == "bad_request" for c in run.calls), "the failed call stays on the record"
    assert stage.debates.verify(run.id) == []


async def test_a_debate_may_fail_and_be_retried_again_and_again(stage: Stage) -> None:
    stage.server.script(Status(400), match=wants("SynthesisReply"), times=None)
    id_ = stage.start(rounds=1)
    for _ in range(3):
        assert (await stage.play(id_)).state is DebateState.FAILED
        stage.debates.retry(id_)
    stage.server.unscripted()
    assert (await stage.play(id_)).state.ended
    assert stage.debates.verify(id_) == []


async def test_a_missing_challenger_can_be_retried_at_the_gate(stage: Stage) -> None:
    stage.server.script(Status(400), match=role("Challenger"), times=None)
    run = await stage.play(stage.start(gate=GateMode.EVERY))
    assert run.state is DebateState.WAITING
    assert run.rounds[0].synthesis is None
    stage.server.unscripted()
    before = len(stage.server.calls)
    stage.debates.retry(run.id)
    run = await stage.play(run.id)
    assert run.state is DebateState.WAITING
    assert run.rounds[0].synthesis
    assert "challenger_missing" not in {d.key for d in run.degraded}
    asked = [e.body for e in stage.server.calls[before:]]
    assert [b for b in asked if wants("ProposalReply")(b) and not role("Challenger")(b)] == []
    stage.debates.decide(run.id, 1, GateDecision(action=GateAction.STOP, recommended=GateAction.STOP, by="", at=""))
    assert (await stage.play(run.id)).deliverable
    assert stage.debates.verify(run.id) == []


async def test_nothing_failed_nothing_to_retry(stage: Stage) -> None:
    run = await stage.play(stage.start(gate=GateMode.EVERY))
    with pytest.raises(InputError, match="waiting"):
        stage.debates.retry(run.id)


async def test_a_fault_of_our_own_is_recorded_and_can_be_retried(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a fault of ours")

    with monkeypatch.context() as patched:
        patched.setattr("vada.engine.minutes", broken)
        run = await stage.play(stage.start(rounds=1))
    assert run.state is DebateState.FAILED
    assert "a fault of ours" in run.reason
    stage.debates.retry(run.id)
    assert (await stage.play(run.id)).state is not DebateState.FAILED


async def test_live_text_is_there_while_it_is_written_and_gone_after(stage: Stage) -> None:
    stage.server.script(Hang(after=80), match=role("Optimizer A"))
    id_ = stage.start(rounds=1)
    running = asyncio.ensure_future(stage.step(id_))
    await stage.until(lambda: stage.debates.partials(id_).get("r1.propose.optimizer_a"))
    stage.debates.cancel(id_)
    await running
    assert stage.debates.partials(id_) == {}
