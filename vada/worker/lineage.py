"""A fork: a new debate that takes over its parent's rounds, events and calls, and goes on from there by itself."""

from collections.abc import Sequence

from sqlalchemy import Connection

from vada.engine import next_step
from vada.models.debate import DebateConfig
from vada.models.events import Event, EventKind
from vada.models.outputs import GateDecision
from vada.models.run import Run
from vada.models.vocabulary import PhaseName
from vada.store import Draft, calls, debates, events, gates

_ENDING = (PhaseName.FORMAT, PhaseName.AUDIT)


def branch(
    c: Connection, parent: Run, told: Sequence[Event], child: str, config: DebateConfig, decision: GateDecision | None
) -> None:
    """Enter the child of a parent's record `told`, with everything up to the round that `config.lineage` names.

    `decision` is what the child begins with at that round's gate; None when it takes over no round. Nothing happens
    when the child is there already.
    """
    assert config.lineage is not None
    after = config.lineage.round
    step = next_step(after, decision.action, config.rounds) if decision else "r1"
    debates.create(c, child, config, step=step)
    for event in told:
        if taken_over(event, after):
            events.append(c, child, _copied(event))
    mine = calls.read(c, parent.id, rounds=range(1, after + 1))
    calls.copy(c, child, [call for call in mine if not call.slot.startswith("end.")])
    for round_ in parent.rounds[:after]:
        verdict, taken = round_.verdict, decision if round_.number == after else round_.decision
        if verdict is None or taken is None:
            continue
        gates.open_(c, child, round_.number, verdict)
        gates.decide(c, child, round_.number, taken)
    if decision is not None:
        events.append(c, child, Draft(EventKind.GATE_DECIDED, f"r{after}.decided", after, payload=decision))


def taken_over(event: Event, after: int) -> bool:
    """Whether a child that goes on after a round has this event of its parent."""
    if not 1 <= event.round <= after or event.phase in _ENDING:
        return False
    match event.kind:
        case EventKind.DEBATE_CREATED | EventKind.FORKED | EventKind.DEBATE_ENDED:
            return False
        case EventKind.GATE_DECIDED:
            return event.round < after
        case EventKind.RESUMED:
            return str(event.payload.get("retry", "end")) != "end"
    return True


def _copied(event: Event) -> Draft:
    payload = {**event.payload, "reused": True} if event.kind is EventKind.CALL_ENDED else event.payload
    return Draft(event.kind, event.key, event.round, event.phase, payload, event.at)
