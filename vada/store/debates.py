"""The row of each debate: made once, found, listed, claimed by the execution that runs it, deleted and brought back.

What a debate has become is in its events; the row only mirrors them, and says what the engine owes it (`due`).
"""

import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, literal, select, update

from vada.errors import NotFoundError
from vada.models.debate import DebateConfig
from vada.models.events import Event, EventKind
from vada.models.run import BASELINE
from vada.models.vocabulary import DebateState
from vada.store import chain
from vada.store.events import Draft, append, lock, now, restore, storable
from vada.store.schema import debates

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_RANDOM = 11  # characters of 5 bits


@dataclass(frozen=True)
class DebateRow:
    """A debate in the library. `dollars` None means that a price is unknown; `score` is of the last verified round."""

    id: str
    question: str
    state: DebateState
    created_at: str
    updated_at: str
    dollars: float | None
    rounds: int
    parent: str | None
    pack: str
    rehearsal: bool
    score: float | None
    parent_round: int | None = None
    deleted_at: str | None = None
    version: int = 0


@dataclass(frozen=True)
class Due:
    """What the engine owes a debate: round `r<n>`, the `end`, or the `baseline` beside it. `generation` tells one try
    from the next."""

    debate: str
    step: str
    generation: int

    @property
    def workflow(self) -> str:
        """The id of the workflow that does it; the same for everyone who reads the record."""
        return f"{self.debate}:{self.step}:g{self.generation}"


def new_id() -> str:
    """An id that sorts by time of creation, fits a URL and cannot be guessed (55 random bits)."""
    seconds = int(time.time())
    stamp = "".join(_ALPHABET[seconds >> (5 * i) & 31] for i in reversed(range(7)))
    return stamp + "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))


def create(c: Connection, id_: str, config: DebateConfig, *, step: str, first: Event | None = None) -> None:
    """Enter a debate whose first owed step is `step`; nothing happens when it is there already.

    `first` is its first event, where that was written elsewhere.
    """
    if c.execute(select(debates.c.id).where(debates.c.id == id_)).first() is not None:
        return
    at = now()
    question = storable(config.question)
    lineage = config.lineage
    c.execute(
        insert(debates).values(
            id=id_,
            question=question,
            search=question.casefold(),
            state=DebateState.QUEUED,
            config=chain.canonical(config.model_dump(mode="json")),
            pack=config.pack.key,
            rehearsal=config.rehearsal,
            parent=lineage.parent if lineage else None,
            parent_round=lineage.round if lineage else None,
            created_at=at,
            updated_at=at,
            dollars=0.0,
            due=step,
        )
    )
    if first is not None:
        restore(c, first)
    else:
        append(c, id_, Draft(EventKind.DEBATE_CREATED, "created", payload=config, at=at))


def get(c: Connection, id_: str) -> Row[Any]:
    """The row. Raises NotFoundError."""
    row = c.execute(select(debates).where(debates.c.id == id_)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no debate {id_}.", next_step="`vada list` shows those there are.")
    return row


def listed(
    c: Connection, *, text: str = "", states: Sequence[DebateState] = (), deleted: bool = False
) -> list[DebateRow]:
    """Debates, newest first, whose question holds `text` (case does not matter) and whose state is one of `states`."""
    wanted = select(debates).where(debates.c.deleted_at.is_not(None) if deleted else debates.c.deleted_at.is_(None))
    if text.strip():
        wanted = wanted.where(debates.c.search.contains(storable(text.strip()).casefold(), autoescape=True))
    if states:
        wanted = wanted.where(debates.c.state.in_(states))
    order = wanted.order_by(debates.c.created_at.desc(), debates.c.id.desc())
    return [_listed(row) for row in c.execute(order)]


def owed(c: Connection) -> list[Due]:
    """Everything the engine owes, oldest debate first."""
    steps = select(debates.c.id, debates.c.due, debates.c.generation).where(debates.c.due != "")
    beside = select(debates.c.id, literal(BASELINE), debates.c.beside_generation).where(debates.c.beside)
    wanted = (x.where(debates.c.deleted_at.is_(None)).order_by(debates.c.created_at) for x in (steps, beside))
    return [Due(*row) for x in wanted for row in c.execute(x)]


@dataclass(frozen=True)
class Claim:
    """A step that was taken: whether an earlier execution had been under way, and who asked to finish early."""

    resumed: bool
    finish_by: str


def claim(c: Connection, due: Due, holder: str) -> Claim | None:
    """Take a debate for one execution; from now on only `holder` may write its events.

    None when the step is not owed any more.
    """
    row = lock(c, due.debate)
    if (row.due, row.generation) != (due.step, due.generation):
        return None
    set_(c, due.debate, holder=holder)
    return Claim(bool(row.holder), row.finish_by)


def owe(c: Connection, id_: str, step: str) -> None:
    """Say what the engine owes the debate next (empty: nothing). Whoever held it holds it no more."""
    set_(c, id_, due=step, holder="")


def again(c: Connection, due: Due) -> bool:
    """Have a step that came to nothing tried under a new workflow id; False when it is not owed any more."""
    beside = due.step == BASELINE
    owed = debates.c.beside if beside else debates.c.due == due.step
    generation = debates.c.beside_generation if beside else debates.c.generation
    this = update(debates).where(debates.c.id == due.debate, owed, generation == due.generation)
    return bool(c.execute(this.values({generation: due.generation + 1})).rowcount)


def owe_beside(c: Connection, id_: str) -> None:
    """Say that the engine owes the debate the one answer of one model, under a new workflow id."""
    set_(c, id_, beside=True, beside_generation=lock(c, id_).beside_generation + 1)


def owes_beside(c: Connection, id_: str) -> bool:
    """Whether that answer is owed."""
    return bool(get(c, id_).beside)


def settle_beside(c: Connection, due: Due) -> bool:
    """Owe that answer no more; False when it is not owed any more under this workflow."""
    row = lock(c, due.debate)
    if not row.beside or row.beside_generation != due.generation:
        return False
    set_(c, due.debate, beside=False)
    return True


def set_(c: Connection, id_: str, **values: Any) -> None:
    """Set columns of a debate's row. Raises NotFoundError."""
    if not c.execute(update(debates).where(debates.c.id == id_).values(**values)).rowcount:
        raise NotFoundError(f"There is no debate {id_}.")


@dataclass(frozen=True)
class Standing:
    """What an execution has to know of its debate while it runs."""

    holder: str
    cancelled: bool
    finish_by: str


def watched(c: Connection, ids: Sequence[str]) -> dict[str, Standing]:
    """How the debates stand that are being run."""
    columns = (debates.c.id, debates.c.holder, debates.c.cancelled_by, debates.c.finish_by)
    rows = c.execute(select(*columns).where(debates.c.id.in_(ids)))
    return {row.id: Standing(row.holder, bool(row.cancelled_by), row.finish_by) for row in rows}


def purge(c: Connection, id_: str) -> None:
    """Remove a debate and everything of it for good."""
    c.execute(delete(debates).where(debates.c.id == id_))


def expired(c: Connection, before: str) -> list[str]:
    """Debates that nothing has happened to since `before` and that owe nothing to anyone."""
    ended = [s for s in DebateState if s.ended]
    wanted = select(debates.c.id).where(debates.c.updated_at < before, debates.c.due == "", debates.c.state.in_(ended))
    wanted = wanted.where(~debates.c.beside)
    return list(c.execute(wanted).scalars())


def _listed(row: Row[Any]) -> DebateRow:
    fields = DebateRow.__dataclass_fields__
    values = {name: value for name, value in row._mapping.items() if name in fields}
    return DebateRow(**{**values, "state": DebateState(row.state)})
