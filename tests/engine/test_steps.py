"""A debate from its first step to its end: what is recorded, what waits, what a person's decision reaches."""

from typing import Any

import pytest

from tests.engine.conftest import Stage
from vada.errors import AlreadyDecidedError, InputError, NotFoundError
from vada.models.events import EventKind
from vada.models.outputs import GateDecision, Whisper
from vada.models.run import Run
from vada.models.vocabulary import DebateState, GateAction, GateMode, Role


def decision(action: GateAction = GateAction.CONTINUE, **changes: Any) -> GateDecision:
    return GateDecision(**{"action": action, "recommended": action, "by": "Ada", "at": "", **changes})


async def at_the_gate(stage: Stage, **changes: object) -> Run:
    run = await stage.play(stage.start(gate=GateMode.EVERY, **changes))
    assert run.state is DebateState.WAITING, run.reason
    return run


async def test_on_autopilot_a_debate_runs_to_its_end_and_its_record_is_sound(stage: Stage) -> None:
    run = await stage.play(stage.start())
    assert run.state in (DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED)
    assert run.deliverable
    assert run.audit
    assert all(r.finished and r.verdict and r.decision and r.decision.by == "autopilot" for r in run.rounds)
    assert len(run.calls) == len(stage.server.calls) == len({c.id for c in run.calls})
    assert stage.debates.verify(run.id) == []
    row = stage.debates.list()[0]
    assert (row.state, row.rounds) == (run.state, len(run.rounds))
    assert row.dollars == pytest.approx(run.usage.dollars)


async def test_the_calls_are_kept_as_sent_and_answered(stage: Stage) -> None:
    run = await stage.play(stage.start(rounds=1))
    kept = {r.id: r for r in stage.debates.calls(run.id)}
    assert kept.keys() == {c.id for c in run.calls}
    sent = [e.body["messages"] for e in stage.server.calls]
    assert all(r.request["messages"] in sent and r.message for r in kept.values())


async def test_a_gate_waits_with_nothing_owed(stage: Stage) -> None:
    run = await at_the_gate(stage)
    assert stage.owed(run.id) is None
    assert [r.number for r in run.rounds] == [1]
    assert run.reason == "waiting at the gate of round 1"


async def test_a_private_note_reaches_that_role_in_the_next_round_and_no_other(stage: Stage) -> None:
    run = await at_the_gate(stage, rounds=2)
    note = Whisper(text="Ask who is on call in August.", to=Role.CHALLENGER)
    stage.debates.decide(run.id, 1, decision(whispers=(note,)))
    run = await stage.play(run.id)
    told = stage.asked(note.text)
    assert told
    assert all("# Challenger\n" in t and "Round 2 of" in t for t in told)
    assert run.rounds[0].decision
    assert run.rounds[0].decision.whispers == (note,)


async def test_a_decision_is_kept_with_who_and_when_and_what_it_replaced(stage: Stage) -> None:
    run = await at_the_gate(stage)
    assert run.rounds[0].verdict
    recommended = run.rounds[0].verdict.recommendation
    stage.debates.decide(run.id, 1, decision(GateAction.STOP, recommended=GateAction.WAIT))
    made = stage.debates.run(run.id).rounds[0].decision
    assert made
    assert (made.action, made.by, made.recommended) == (GateAction.STOP, "Ada", recommended)
    assert made.at > run.created_at
    with pytest.raises(AlreadyDecidedError, match="by Ada"):
        stage.debates.decide(run.id, 1, decision())
    assert stage.debates.verify(run.id) == []


async def test_a_person_who_stops_early_gets_the_page_and_the_state_stopped(stage: Stage) -> None:
    run = await at_the_gate(stage)
    assert run.rounds[0].verdict
    assert run.rounds[0].verdict.recommendation is GateAction.CONTINUE
    stage.debates.decide(run.id, 1, decision(GateAction.STOP))
    run = await stage.play(run.id)
    assert run.state is DebateState.STOPPED
    assert "Ada" in run.reason
    assert run.deliverable
    assert run.audit


async def test_a_person_who_stops_as_recommended_gets_what_the_audit_says(stage: Stage) -> None:
    run = await at_the_gate(stage, rounds=1)
    assert run.rounds[0].verdict
    assert run.rounds[0].verdict.recommendation is GateAction.STOP
    stage.debates.decide(run.id, 1, decision(GateAction.STOP))
    run = await stage.play(run.id)
    assert run.state in (DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED)


async def test_a_person_may_go_on_past_the_rounds_asked_for_but_not_past_three(stage: Stage) -> None:
    run = await at_the_gate(stage, rounds=1)
    for number in (1, 2):
        stage.debates.decide(run.id, number, decision())
        run = await stage.play(run.id)
        assert run.state is DebateState.WAITING
    assert len(run.rounds) == 3
    with pytest.raises(InputError, match="at most 3"):
        stage.debates.decide(run.id, 3, decision())


async def test_a_gate_that_is_not_open_cannot_be_decided(stage: Stage) -> None:
    run = await at_the_gate(stage)
    with pytest.raises(NotFoundError, match="round 2"):
        stage.debates.decide(run.id, 2, decision())
    with pytest.raises(InputError, match="continue, fork or stop"):
        stage.debates.decide(run.id, 1, decision(GateAction.WAIT))


@pytest.mark.parametrize("base", [2, 9])
async def test_a_deliverable_is_not_written_from_a_round_that_has_no_text(stage: Stage, base: int) -> None:
    run = await at_the_gate(stage)
    with pytest.raises(InputError, match=f"Round {base} has no synthesis"):
        stage.debates.decide(run.id, 1, decision(GateAction.STOP, base_round=base))
    assert stage.debates.run(run.id).rounds[0].decision is None


async def test_the_base_chosen_at_an_earlier_gate_holds_until_a_person_chooses_another(stage: Stage) -> None:
    run = await at_the_gate(stage, rounds=2)
    stage.debates.decide(run.id, 1, decision(base_round=1))
    run = await stage.play(run.id)
    stage.debates.decide(run.id, 2, decision(GateAction.STOP, by="autopilot"))
    run = await stage.play(run.id)
    assert [bool(r.synthesis) for r in run.rounds] == [True, True]
    assert run.deliverable
    assert run.deliverable.base_round == 1


async def test_what_happened_is_told_in_order_and_once(stage: Stage) -> None:
    run = await stage.play(stage.start(rounds=1))
    told = stage.debates.events(run.id)
    kinds = [e.kind for e in told]
    assert kinds[0] is EventKind.DEBATE_CREATED
    assert kinds[-1] is EventKind.DEBATE_ENDED
    assert len({e.key for e in told}) == len(told)
    assert kinds.count(EventKind.ROUND_STARTED) == kinds.count(EventKind.ROUND_FINISHED) == 1
    again = stage.debates.events(run.id, after=5)
    assert [e.seq for e in again] == list(range(6, len(told) + 1))
