"""A debate's events as lines for a terminal. Pure; says what a person following along wants to know, and no more."""

from vada.models.debate import ModelRef
from vada.models.events import Event, EventKind
from vada.models.vocabulary import PhaseName, Role


def line(event: Event) -> str:
    """One line for an event; empty for those that need none."""
    said = event.payload
    match event.kind:
        case EventKind.ROUND_STARTED:
            return f"Round {event.round}"
        case EventKind.PHASE_STARTED if event.phase in (PhaseName.FORMAT, PhaseName.AUDIT):
            return f"  {event.phase.title} …"
        case EventKind.REPLIED:
            return f"  Propose: {Role(said['role']).title} answered, {said['words'] + said['draft_words']} words"
        case EventKind.PHASE_FINISHED if event.phase is not None:
            what = _finished(event.phase, said)
            return f"  {event.phase.title}: {what}" if what else ""
        case EventKind.DEGRADED:
            return f"  ! {said['message']}" + (f" ({said['cause']})" if said["cause"] else "")
        case EventKind.CALL_ENDED if said["status"] != "ok":
            return f"  ! {Role(said['role']).title}, attempt {said['attempt']}: {said['message'] or said['status']}"
        case EventKind.GATE_OPENED:
            return f"  Gate: {said['recommendation']} is recommended"
        case EventKind.GATE_DECIDED:
            return f"  Decided: {said['action']}, by {said['by']}"
        case EventKind.BASELINE:
            return _asked_once(said)
        case EventKind.RESUMED:
            return "  Tried again" if "retry" in said else "  Taken up again"
        case EventKind.DEBATE_ENDED:
            return f"Ended: {said['state']}. {said['reason']}"
    return ""


def _asked_once(said: dict[str, object]) -> str:
    """How it stands with the one model that is asked once."""
    match said["state"]:
        case "answered":
            return f"  {said['words']} words, one answer, no debate"
        case "failed":
            return f"  ! No answer: {said['problem']}"
    model = ModelRef.model_validate(said["model"])
    return f"  {model} is asked once, without a debate"


def _finished(phase: PhaseName, said: dict[str, object]) -> str:
    """What a phase came to, in a few words."""
    match phase:
        case PhaseName.CHALLENGE:
            return _count(said["challenges"], "challenge") + " on the register"
        case PhaseName.SYNTHESIZE:
            return f"{_count(said['decisions'], 'decision')}, {_count(said['minority'], 'minority position')}"
        case PhaseName.VERIFY:
            return f"{said['total']:.1f} of 10, {_count(said['issues'], 'fault')} found"
        case PhaseName.COMPRESS:
            return f"{said['tokens']} tokens of brief, {_count(said['active'], 'active item')}"
        case PhaseName.FORMAT:
            return f"{said['words']} words"
        case PhaseName.AUDIT:
            return f"{_count(said['passes'], 'look')} of the Blind Critic"
    return ""


def _items(value: object) -> list[object]:
    return list(value) if isinstance(value, list | tuple) else []


def _count(value: object, noun: str) -> str:
    number = len(_items(value))
    return f"{number} {noun}{'' if number == 1 else 's'}"
