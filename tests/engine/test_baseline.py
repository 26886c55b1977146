"""One model asked once beside a debate: one call, recorded, never paid twice, and the debate stays as it is."""

import pytest

from tests.builders import a_config, a_run
from tests.engine.conftest import Stage
from tests.fake_messages import Status, wants
from tests.recorded import put
from vada import exports
from vada.errors import InputError
from vada.models.debate import Budget, ModelRef
from vada.models.outputs import GateDecision
from vada.models.run import BASELINE
from vada.models.vocabulary import DebateState, GateAction, GateMode, Role
from vada.settings import load
from vada.worker import Debates


async def ended(stage: Stage) -> str:
    """A debate of one round that has ended."""
    id_ = stage.start(rounds=1, gate=GateMode.AUTOPILOT)
    await stage.play(id_)
    return id_


async def test_one_call_with_the_debates_own_words_and_nothing_of_the_debate(stage: Stage) -> None:
    id_ = await ended(stage)
    before, state = len(stage.server.calls), stage.debates.run(id_).state
    stage.debates.ask_once(id_, by="Ana")
    assert stage.debates.asking(id_)
    run = await stage.step(id_)
    (sent,) = stage.server.calls[before:]
    blocks = [b["text"] for b in sent.body["messages"][0]["content"]]
    assert run.config.question in blocks[0]
    assert all(f"{c.id}: {c.text}" in blocks[0] for c in run.config.constraints)
    assert blocks[-1].startswith("CRITICAL REMINDER:")
    assert run.deliverable
    assert run.rounds[0].synthesis
    assert run.rounds[0].synthesis.text not in "\n".join(blocks)
    once = run.baseline
    assert once
    assert (once.state, once.seat, once.by) == ("answered", Role.COORDINATOR, "Ana")
    assert once.words > 50
    assert [c.slot for c in run.calls if c.beside] == [BASELINE]
    assert once.call_id == run.calls[-1].id
    assert (run.state, stage.debates.asking(id_)) == (state, False)
    assert stage.debates.verify(id_) == []


async def test_an_answer_that_is_on_the_record_is_not_paid_again(stage: Stage) -> None:
    id_ = await ended(stage)
    stage.debates.ask_once(id_)
    due = stage.owed(id_)
    assert due
    await stage.step(id_)
    before = len(stage.server.calls)
    await stage.runner().run(due)  # a worker that was late
    assert len(stage.server.calls) == before
    with pytest.raises(InputError, match="has answered once"):
        stage.debates.ask_once(id_)


async def test_a_worker_that_dies_meanwhile_leaves_it_owed(stage: Stage) -> None:
    id_ = await ended(stage)
    stage.debates.ask_once(id_)
    await stage.broken_off(id_, "BaselineReply")
    assert stage.debates.asking(id_)
    run = await stage.play(id_)
    assert run.baseline
    assert run.baseline.state == "answered"


async def test_a_failure_keeps_the_providers_words_and_can_be_tried_again(stage: Stage) -> None:
    id_ = await ended(stage)
    stage.server.script(Status(400, "No such model here."), match=wants("BaselineReply"))
    stage.debates.ask_once(id_)
    run = await stage.step(id_)
    assert run.baseline
    assert run.baseline.state == "failed"
    assert "No such model here." in run.baseline.problem
    assert run.state.ended
    assert run.state is not DebateState.FAILED
    stage.debates.ask_once(id_, Role.VERIFIER)
    run = await stage.step(id_)
    assert (run.baseline.state, run.baseline.seat) == ("answered", Role.VERIFIER)
    assert [c.status for c in run.calls if c.beside] == ["bad_request", "ok"]


async def test_at_a_gate_it_goes_on_whatever_is_decided_meanwhile(stage: Stage) -> None:
    id_ = stage.start(rounds=2, gate=GateMode.EVERY)
    run = await stage.play(id_)
    assert run.state is DebateState.WAITING
    assert run.last
    assert run.last.verdict
    stage.debates.ask_once(id_)
    recommended = run.last.verdict.recommendation
    stage.debates.decide(id_, 1, GateDecision(action=GateAction.STOP, recommended=recommended, by="Ana", at=""))
    run = await stage.play(id_)
    assert run.state.ended
    assert run.baseline
    assert run.baseline.state == "answered"
    assert run.deliverable


async def test_a_running_debate_is_not_held_against_one_answer(stage: Stage) -> None:
    with pytest.raises(InputError, match="queued"):
        stage.debates.ask_once(stage.start())


def test_one_answer_may_not_take_the_debate_over_its_cap() -> None:
    spent = a_run().usage.dollars
    assert spent
    priced = tuple(s.model_copy(update={"model": ModelRef(name="claude-sonnet-5-5")}) for s in a_config().seats)
    for cap, refused in ((spent + 0.001, True), (spent + 10, False)):
        config = a_config(budget=Budget(dollars=cap), seats=priced)
        id_ = put(a_run(id=f"capped-{refused}", config=config))
        debates = Debates.open(load())
        if refused:
            with pytest.raises(InputError, match="one answer would cost about"):
                debates.ask_once(id_)
        else:
            debates.ask_once(id_)
        assert debates.asking(id_) is not refused
        debates.close()


async def test_exports_hold_the_answer_and_name_its_cost_apart(stage: Stage) -> None:
    id_ = await ended(stage)
    stage.debates.ask_once(id_)
    run = await stage.step(id_)
    assert run.baseline
    text = exports.render(run, "md").decode()
    assert "### One answer, no debate" in text
    assert "| One answer | 1 |" in text
    assert exports.whole(run)["baseline"]["text"] == run.baseline.text
