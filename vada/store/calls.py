"""The model calls of each debate, exactly as sent and answered, and the text of those still being written.

Of a (slot, attempt) one call stands: the first that came to its end; every other writer gets that one. What does not
stand (a call cut off, one made twice, a failed one that a retry replaces) is superseded, not removed: it was paid for.
The body is the call record as JSON values, opaque here.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, exists, insert, or_, select, update

from vada.store import chain
from vada.store.events import lock, storable
from vada.store.schema import calls, debates, partials


@dataclass(frozen=True)
class Call:
    """One kept call."""

    id: str
    slot: str
    attempt: int
    round: int
    started_at: str
    body: dict[str, Any]
    broken: bool = False
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
    """Keep a call; returns the one that stands for its attempt. Raises NotFoundError."""
    lock(c, debate)
    standing = find(c, debate, call.slot, call.attempt)
    if standing is not None and standing.broken and not call.broken:
        c.execute(update(calls).where(calls.c.debate == debate, calls.c.id == standing.id).values(superseded=True))
        standing = None
    kept = call if standing is None else replace(call, superseded=True)
    if standing is None or standing.id != call.id:
        c.execute(insert(calls).values(debate=debate, **columns(kept)))
    return standing or kept


def read(c: Connection, debate: str, *, rounds: Iterable[int] | None = None) -> list[Call]:
    """Every call of a debate, superseded ones too, in the order they were started."""
    wanted = select(calls).where(calls.c.debate == debate)
    if rounds is not None:
        wanted = wanted.where(calls.c.round.in_(list(rounds)))
    return [_call(row) for row in c.execute(wanted.order_by(calls.c.started_at, calls.c.slot, calls.c.attempt))]


def copy(c: Connection, debate: str, taken: Sequence[Call]) -> None:
    """Give a debate the calls of its parent, as reused; those it has already are left alone."""
    have = set(c.execute(select(calls.c.id).where(calls.c.debate == debate)).scalars())
    rows = [{"debate": debate, **columns(replace(x, reused=True))} for x in taken if x.id not in have]
    if rows:
        c.execute(insert(calls), rows)


def give_up(c: Connection, debate: str, slot: str) -> None:
    """Mark the standing attempts of a slot as spent: nothing usable came of them."""
    standing = and_(calls.c.debate == debate, calls.c.slot == slot, ~calls.c.superseded)
    c.execute(update(calls).where(standing).values(spent=True))


def supersede(c: Connection, debate: str, *, step: str) -> int:
    """Make room for a retry of every spent slot of a step (`r2`, `end`), or of the slot of that name; returns how many
    attempts made room."""
    of_step = or_(calls.c.slot == step, calls.c.slot.startswith(f"{step}.", autoescape=True))
    given_up = and_(calls.c.debate == debate, calls.c.spent, ~calls.c.superseded, of_step)
    return c.execute(update(calls).where(given_up).values(superseded=True)).rowcount


def set_aside(c: Connection, debate: str, slot: str, stale: Callable[[Call], bool]) -> None:
    """Supersede the standing attempts of a slot when one of them is stale: what it answers is not asked any more."""
    standing = and_(calls.c.debate == debate, calls.c.slot == slot, ~calls.c.superseded)
    if any(stale(_call(row)) for row in c.execute(select(calls).where(standing))):
        c.execute(update(calls).where(standing).values(superseded=True))


def spent(c: Connection, debate: str) -> set[str]:
    """The slots of which nothing usable came, so that they can be asked again."""
    wanted = select(calls.c.slot).where(calls.c.debate == debate, calls.c.spent, ~calls.c.superseded)
    return set(c.execute(wanted).scalars())


def write_partials(c: Connection, texts: Mapping[tuple[str, str], tuple[int, str]]) -> None:
    """Set the text so far of live calls: (debate, slot) to (attempt, text)."""
    for (debate, slot), (attempt, text) in texts.items():
        row = {"attempt": attempt, "text": storable(text)}
        this = and_(partials.c.debate == debate, partials.c.slot == slot)
        if not c.execute(update(partials).where(this).values(**row)).rowcount:
            c.execute(insert(partials).values(debate=debate, slot=slot, **row))


def read_partials(c: Connection, debate: str) -> dict[str, str]:
    """Slot to text so far, of calls that are not finished, while something is owed to the debate."""
    ended = exists().where(
        calls.c.debate == partials.c.debate,
        calls.c.slot == partials.c.slot,
        calls.c.attempt == partials.c.attempt,
        ~calls.c.superseded,
    )
    runs = exists().where(debates.c.id == debate, or_(debates.c.due != "", debates.c.beside))
    wanted = select(partials.c.slot, partials.c.text).where(partials.c.debate == debate, runs, ~ended)
    return {row.slot: row.text for row in c.execute(wanted)}


def clear_partials(c: Connection, debate: str) -> None:
    """Forget the text of calls that will not be finished."""
    c.execute(delete(partials).where(partials.c.debate == debate))


def columns(call: Call) -> dict[str, Any]:
    """The call as a row, without its debate."""
    return {**call.__dict__, "body": chain.canonical(call.body)}


def _call(row: Row[Any]) -> Call:
    values = {k: v for k, v in row._mapping.items() if k != "debate"}
    return Call(**{**values, "body": json.loads(row.body)})
