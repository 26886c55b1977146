"""The gate of each round: opened once, decided once. A decision is a compare-and-set: one wins, others learn whose."""

from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, insert, select, update

from vada.errors import AlreadyDecidedError, NotFoundError
from vada.models.outputs import GateDecision, GateVerdict
from vada.store import chain
from vada.store.events import now, storable
from vada.store.schema import gates


@dataclass(frozen=True)
class Gate:
    """A gate; `decision` is None while it stands open."""

    round: int
    verdict: GateVerdict
    opened_at: str
    decision: GateDecision | None


def open_(c: Connection, debate: str, round_: int, verdict: GateVerdict, *, at: str = "") -> None:
    """Open the gate of a round; nothing happens when it is open or decided already."""
    if c.execute(select(gates.c.round).where(_this(debate, round_))).first() is None:
        text = chain.canonical(verdict.model_dump(mode="json"))
        c.execute(insert(gates).values(debate=debate, round=round_, verdict=text, opened_at=at or now()))


def withdraw(c: Connection, debate: str, round_: int) -> None:
    """Take back a gate, because its round is played again; verdict and decision stay in the events."""
    c.execute(delete(gates).where(_this(debate, round_)))


def find(c: Connection, debate: str, round_: int) -> Gate | None:
    """The gate of a round, or None when the round has not come to it."""
    row = c.execute(select(gates).where(_this(debate, round_))).one_or_none()
    return _gate(row) if row is not None else None


def read(c: Connection, debate: str) -> list[Gate]:
    """Every gate of a debate, in order."""
    return [_gate(row) for row in c.execute(select(gates).where(gates.c.debate == debate).order_by(gates.c.round))]


def decide(c: Connection, debate: str, round_: int, decision: GateDecision) -> None:
    """Decide the gate of a round; the same decision again is no second one.

    Raises AlreadyDecidedError saying by whom, NotFoundError when the round has not come to its gate.
    """
    text = chain.canonical(decision.model_dump(mode="json"))
    won = c.execute(
        update(gates)
        .where(_this(debate, round_), gates.c.decision.is_(None))
        .values(action=decision.action, decision=text, decided_by=storable(decision.by), decided_at=decision.at)
    )
    if won.rowcount:
        return
    row = c.execute(select(gates).where(_this(debate, round_))).one_or_none()
    if row is None:
        raise NotFoundError(f"Round {round_} of debate {debate} has not come to its gate.")
    if row.decision != text:
        raise AlreadyDecidedError(decided_by=row.decided_by, decided_at=row.decided_at, action=row.action)


def _this(debate: str, round_: int) -> Any:
    return (gates.c.debate == debate) & (gates.c.round == round_)


def _gate(row: Row[Any]) -> Gate:
    return Gate(
        round=row.round,
        verdict=GateVerdict.model_validate_json(row.verdict),
        opened_at=row.opened_at,
        decision=GateDecision.model_validate_json(row.decision) if row.decision else None,
    )
