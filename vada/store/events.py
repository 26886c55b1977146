"""The append-only record of what happened. Appends and reads events; the debate's row follows in the same transaction.

Never changes or deletes an event. A key is written once: a second append of it returns the event that stands.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from vada.errors import NotFoundError, VadaError
from vada.models.base import Value
from vada.models.events import Event, EventKind
from vada.models.vocabulary import DebateState, PhaseName
from vada.store import chain
from vada.store.schema import debates, events


class LostClaimError(VadaError):
    """Another execution has taken this debate over (or it was stopped); whoever gets this must write nothing more."""


@dataclass(frozen=True)
class Draft:
    """An event before it has its place in the record. `at` empty means now."""

    kind: EventKind
    key: str
    round: int = 0
    phase: PhaseName | None = None
    payload: Value | Mapping[str, Any] = field(default_factory=dict)
    at: str = ""

    def data(self) -> dict[str, Any]:
        """The payload as JSON values."""
        return self.payload.model_dump(mode="json") if isinstance(self.payload, Value) else dict(self.payload)


def now() -> str:
    """The time, ISO, UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def storable(text: str) -> str:
    """The text as both databases can hold it in a plain column; what must be exact is kept as canonical JSON."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode()


def lock(c: Connection, debate: str) -> Row[Any]:
    """The debate's row, kept from other writers until the transaction ends. Raises NotFoundError."""
    found = c.execute(select(debates).where(debates.c.id == debate).with_for_update()).one_or_none()
    if found is None:
        raise NotFoundError(f"There is no debate {debate}.")
    return found


def append(c: Connection, debate: str, draft: Draft, *, holder: str | None = None) -> Event:
    """Add an event at the end of a debate's record and bring the debate's row in line.

    Returns the event that stands under `draft.key`. With `holder`, raises LostClaimError when another execution holds
    the debate. Raises NotFoundError.
    """
    row = lock(c, debate)
    if (standing := find(c, debate, draft.key)) is not None:
        return standing
    if holder is not None and row.holder != holder:
        raise LostClaimError(f"Debate {debate} is in other hands.")
    content = Event(
        debate=debate,
        seq=row.version + 1,
        at=draft.at or now(),
        kind=draft.kind,
        round=draft.round,
        phase=draft.phase,
        key=draft.key,
        payload=draft.data(),
        prev=row.head,
    )
    event = content.model_copy(update={"hash": chain.seal(row.head, chain.content_of(content))})
    _write(c, event, row.dollars)
    return event


def restore(c: Connection, event: Event) -> None:
    """Write an event as it was sealed elsewhere, next in its debate's record. Raises ValueError when it is not next."""
    row = lock(c, event.debate)
    if (event.seq, event.prev) != (row.version + 1, row.head):
        raise ValueError(f"event {event.seq} does not follow event {row.version}")
    _write(c, event, row.dollars)


def find(c: Connection, debate: str, key: str) -> Event | None:
    """The event under a key, or None."""
    row = c.execute(select(events).where(events.c.debate == debate, events.c.key == key)).one_or_none()
    return _event(row) if row is not None else None


def read(c: Connection, debate: str, *, after: int = 0) -> list[Event]:
    """The events after a sequence number, in order."""
    wanted = select(events).where(events.c.debate == debate, events.c.seq > after).order_by(events.c.seq)
    return [_event(row) for row in c.execute(wanted)]


def mirrored(event: Event, dollars: float | None) -> dict[str, Any]:
    """What the debate's row becomes by an event, so that a list of debates need not fold their records."""
    values: dict[str, Any] = {"version": event.seq, "head": event.hash, "updated_at": event.at}
    match event.kind:
        case EventKind.ROUND_STARTED:
            values |= {"state": DebateState.RUNNING, "rounds": event.round}
        case EventKind.PHASE_STARTED | EventKind.GATE_DECIDED | EventKind.RESUMED:
            values["state"] = DebateState.RUNNING
        case EventKind.GATE_OPENED if event.payload["wait"]:
            values["state"] = DebateState.WAITING
        case EventKind.DEBATE_ENDED:
            values["state"] = event.payload["state"]
        case EventKind.CALL_ENDED if not event.payload["reused"]:
            cost = event.payload["usage"]["dollars"]
            values["dollars"] = None if cost is None or dollars is None else dollars + cost
        case EventKind.PHASE_FINISHED if event.phase is PhaseName.VERIFY:
            values["score"] = event.payload["total"]
    return values


def _write(c: Connection, event: Event, dollars: float | None) -> None:
    c.execute(insert(events).values(_columns(event)))
    c.execute(update(debates).where(debates.c.id == event.debate).values(mirrored(event, dollars)))


def _columns(event: Event) -> dict[str, Any]:
    return {**event.model_dump(mode="json"), "payload": chain.canonical(event.payload)}


def _event(row: Row[Any]) -> Event:
    return Event.model_validate({**row._mapping, "payload": json.loads(row.payload)})
