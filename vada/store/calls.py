"""The model calls of each debate, exactly as sent and answered, and the text of those still being written.

A (slot, attempt) is kept once: the first writer wins and every other gets what stands. A failed attempt that a retry
replaces is superseded, not removed. The body is the call record as JSON values, opaque here.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, exists, insert, select, update

from vada.store import chain
from vada.store.events import lock
from vada.store.schema import calls, partials


@dataclass(frozen=True)
class Call:
    """One kept call."""

    id: str
    slot: str
    attempt: int
    round: int
    started_at: str
    body: dict[str, Any]
    spent: bool = False
    superseded: bool = False
    reused: bool = False


def find(c: Connection, debate: str, slot: str, attempt: int) -> Call | None:
    """The attempt that stands, or None."""
    wanted = select(calls).where(
        calls.c.debate == debate, calls.c.slot == slot, calls.c.attempt == attempt, ~calls.c.superseded
    )
    row = c.execute(wanted).one_or_none()
    return _call(row) if row is not None else None


def save(c: Connection, debate: str, call: Call) -> Call:
    """Keep a call unless its attempt is kept already; returns the one that stands. Raises NotFoundError."""
    lock(c, debate)
    if (standing := find(c, debate, call.slot, call.attempt)) is not None:
        return standing
    c.execute(insert(calls).values(debate=debate, **_columns(call)))
    return call


def read(c: Connection, debate: str, *, rounds: Iterable[int] | None = None) -> list[Call]:
    """Every call of a debate, superseded ones too, in the order they were started."""
    wanted = select(calls).where(calls.c.debate == debate)
    if rounds is not None:
        wanted = wanted.where(calls.c.round.in_(list(rounds)))
    return [_call(row) for row in c.execute(wanted.order_by(calls.c.started_at, calls.c.slot, calls.c.attempt))]


def give_up(c: Connection, debate: str, slot: str) -> None:
    """Mark the standing attempts of a slot as spent: nothing usable came of them."""
    standing = and_(calls.c.debate == debate, calls.c.slot == slot, ~calls.c.superseded)
    c.execute(update(calls).where(standing).values(spent=True))


def supersede(c: Connection, debate: str, *, from_round: int = 0) -> int:
    """Make room for a retry of every spent slot of a round and later ones; returns how many attempts made room."""
    spent = and_(calls.c.debate == debate, calls.c.spent, ~calls.c.superseded, calls.c.round >= from_round)
    return c.execute(update(calls).where(spent).values(superseded=True)).rowcount


def write_partials(c: Connection, texts: Mapping[tuple[str, str], tuple[int, str]]) -> None:
    """Set the text so far of live calls: (debate, slot) to (attempt, text)."""
    for (debate, slot), (attempt, text) in texts.items():
        row = {"attempt": attempt, "text": text.replace("\x00", "").encode("utf-8", "replace").decode()}
        this = and_(partials.c.debate == debate, partials.c.slot == slot)
        if not c.execute(update(partials).where(this).values(**row)).rowcount:
            c.execute(insert(partials).values(debate=debate, slot=slot, **row))


def read_partials(c: Connection, debate: str) -> dict[str, str]:
    """Slot to text so far, of calls that are not finished."""
    ended = exists().where(
        calls.c.debate == partials.c.debate,
        calls.c.slot == partials.c.slot,
        calls.c.attempt == partials.c.attempt,
        ~calls.c.superseded,
    )
    wanted = select(partials.c.slot, partials.c.text).where(partials.c.debate == debate, ~ended)
    return {row.slot: row.text for row in c.execute(wanted)}


def clear_partials(c: Connection, debate: str) -> None:
    """Forget the text of calls that will not be finished."""
    c.execute(delete(partials).where(partials.c.debate == debate))


def _columns(call: Call) -> dict[str, Any]:
    return {**call.__dict__, "body": chain.canonical(call.body)}


def _call(row: Row[Any]) -> Call:
    values = {k: v for k, v in row._mapping.items() if k != "debate"}
    return Call(**{**values, "body": json.loads(row.body)})
