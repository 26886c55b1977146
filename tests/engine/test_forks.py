"""A fork reuses every call up to its round, pays for its own only, and stands on its own record."""

from typing import Any

import pytest
from sqlalchemy import Connection

from tests import builders
from tests.engine.conftest import Stage
from vada.errors import InputError
from vada.models.events import Event, EventKind
from vada.models.outputs import ForkOption, GateDecision, GateVerdict
from vada.models.vocabulary import DebateState, GateAction, GateMode
from vada.phases import p7_decide
from vada.store import Draft, debates, events, gates

OPTION = ForkOption(key="split", value_a="now", value_b="never", confidence_a=0.9, confidence_b=0.8)


async def test_a_fork_from_round_one_pays_for_its_own_calls_only(stage: Stage) -> None:
    parent = await stage.play(stage.start())
    before = len(stage.server.calls)
    id_ = stage.debates.fork(parent.id, 1, locked=("split", "not this year"), reason="try the other")
    child = await stage.play(id_)
    assert child.state.ended
    assert child.config.lineage
    assert (child.config.lineage.parent, child.config.lineage.locked_value) == (parent.id, "not this year")
    own = [c for c in child.calls if not c.reused]
    assert len(own) == len(stage.server.calls) - before
    assert {c.id for c in child.calls if c.reused} == {c.id for c in parent.calls if c.round == 1}
    assert all(c.round > 1 or c.slot.startswith("end.") for c in own)
    assert child.rounds[0].model_copy(update={"decision": None}) == parent.rounds[0].model_copy(
        update={"decision": None}
    )
    assert child.usage.dollars == pytest.approx(sum(c.usage.dollars or 0 for c in own))
    assert stage.debates.run(parent.id).children == (id_,)
    assert stage.debates.verify(id_) == stage.debates.verify(parent.id) == []
    row = next(d for d in stage.debates.list() if d.id == id_)
    assert (row.parent, row.parent_round) == (parent.id, 1)
    assert row.dollars == pytest.approx(child.usage.dollars)


async def test_a_fork_after_the_last_round_only_ends_anew(stage: Stage) -> None:
    parent = await stage.play(stage.start(rounds=1))
    child = await stage.play(stage.debates.fork(parent.id, 1))
    assert child.state.ended
    assert all(c.reused or c.slot.startswith("end.") for c in child.calls)


async def test_a_fork_may_change_what_was_entered(stage: Stage) -> None:
    parent = await stage.play(stage.start(rounds=1))
    changed = parent.config.model_copy(update={"rounds": 2, "priorities": "Cheapness above all."})
    child = await stage.play(stage.debates.fork(parent.id, 1, config=changed))
    assert child.config.priorities == "Cheapness above all."
    assert len(child.rounds) == 2
    assert stage.debates.run(parent.id).config == parent.config
    assert stage.asked("Cheapness above all.")


async def test_a_fork_of_a_fork_reuses_what_its_parent_reused(stage: Stage) -> None:
    parent = await stage.play(stage.start(rounds=2))
    child = await stage.play(stage.debates.fork(parent.id, 1))
    before = len(stage.server.calls)
    grandchild = stage.debates.run(stage.debates.fork(child.id, 1))
    assert len(stage.server.calls) == before
    assert {c.id for c in grandchild.calls} == {c.id for c in parent.calls if c.round == 1}
    assert all(c.reused for c in grandchild.calls)


async def test_an_unfinished_round_cannot_be_forked_from(stage: Stage) -> None:
    id_ = stage.start()
    with pytest.raises(InputError, match="Round 1"):
        stage.debates.fork(id_, 1)
    assert len(stage.debates.list()) == 1


async def test_forking_at_a_gate_makes_a_child_for_each_decision_and_ends_the_parent(stage: Stage) -> None:
    """The gate is opened by hand, so that two incompatible decisions stand there for certain."""
    id_ = stage.start(gate=GateMode.EVERY)
    run = await stage.play(id_)
    assert run.rounds[0].verdict
    verdict = run.rounds[0].verdict.model_copy(update={"fork": OPTION})

    def reopen(c: Connection) -> None:
        gates.withdraw(c, id_, 1)
        gates.open_(c, id_, 1, verdict)

    stage.database.write(reopen)
    before = len(stage.server.calls)
    stage.debates.decide(id_, 1, GateDecision(action=GateAction.FORK, recommended=GateAction.FORK, by="Ada", at=""))
    parent = stage.debates.run(id_)
    assert parent.state is DebateState.STOPPED
    assert parent.rounds[0].decision
    assert parent.children == parent.rounds[0].decision.children
    assert len(parent.children) == 2
    locked = [debates_of.config.lineage for debates_of in map(stage.debates.run, parent.children)]
    assert [(x.locked_key, x.locked_value) for x in locked if x] == [("split", "now"), ("split", "never")]
    assert len(stage.server.calls) == before
    assert {stage.owed(c).step for c in parent.children} == {"r2"}  # type: ignore[union-attr]
    assert [stage.debates.verify(x) for x in (id_, *parent.children)] == [[]] * 3


async def test_a_locked_decision_needs_a_round_in_which_it_holds(stage: Stage) -> None:
    parent = await stage.play(stage.start(rounds=1))
    with pytest.raises(InputError, match="No round is left after round 1"):
        stage.debates.fork(parent.id, 1, locked=("split", "never"))
    assert len(stage.debates.list()) == 1
    longer = parent.config.model_copy(update={"rounds": 2})
    child = stage.debates.run(stage.debates.fork(parent.id, 1, locked=("split", "never"), config=longer))
    assert child.config.lineage
    assert child.config.lineage.locked_value == "never"


async def test_a_gate_of_the_last_round_does_not_fork(stage: Stage) -> None:
    run = await stage.play(stage.start(gate=GateMode.EVERY, rounds=1))
    assert run.rounds[0].verdict
    verdict = run.rounds[0].verdict.model_copy(update={"fork": OPTION})

    def reopen(c: Connection) -> None:
        gates.withdraw(c, run.id, 1)
        gates.open_(c, run.id, 1, verdict)

    stage.database.write(reopen)
    with pytest.raises(InputError, match="No round is left"):
        stage.debates.decide(
            run.id, 1, GateDecision(action=GateAction.FORK, recommended=GateAction.FORK, by="Ada", at="")
        )
    assert stage.debates.run(run.id).children == ()


async def test_on_autopilot_a_fork_goes_on_with_the_surer_branch_and_says_which(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The gate's recommendation is set by hand, so that two incompatible decisions stand there for certain."""
    decide = p7_decide.decide

    def forked(*args: Any) -> GateVerdict:
        changes = {"fork": OPTION, "recommendation": GateAction.FORK}
        verdict: GateVerdict = decide(*args).model_copy(update=changes)
        return verdict

    monkeypatch.setattr(p7_decide, "decide", forked)
    run = await stage.step(stage.start(rounds=2))
    made = run.rounds[0].decision
    assert made
    assert (made.action, made.by) == (GateAction.FORK, "autopilot")
    assert "split = now" in made.note


async def test_a_gate_without_two_firm_decisions_cannot_fork(stage: Stage) -> None:
    run = await stage.play(stage.start(gate=GateMode.EVERY))
    assert run.rounds[0].verdict
    if run.rounds[0].verdict.fork is None:
        with pytest.raises(InputError, match="incompatible"):
            stage.debates.decide(
                run.id, 1, GateDecision(action=GateAction.FORK, recommended=GateAction.FORK, by="Ada", at="")
            )


def test_a_retried_round_is_taken_over_as_it_is_now(stage: Stage) -> None:
    """A record with a retry in it, written by hand: the child sees the round once."""
    run = builders.a_run(rounds=1)
    retry = Draft(EventKind.RESUMED, "retry.r1.9", 1, payload={"retry": "r1"})

    def drafts(told: list[Event], key: str) -> list[Draft]:
        return [Draft(e.kind, f"{key}.{e.key}", e.round, e.phase, e.payload, e.at) for e in told]

    def write(c: Connection) -> None:
        debates.create(c, "parent", run.config, step="")
        told = [e for e in builders.events(run) if e.round == 1 and e.kind is not EventKind.CALL_ENDED]
        for draft in (*drafts(told, "first"), retry, *drafts(told, "again")):
            events.append(c, "parent", draft)

    stage.database.write(write)
    child = stage.debates.run(stage.debates.fork("parent", 1))
    assert len(child.rounds[0].replied) == len(run.rounds[0].replied)
