"""Which engines are alive, where several share a PostgreSQL database: each beats, and who stopped beating is dead.

Times are the database's, so that the machines' clocks need not agree.
"""

import time

from sqlalchemy import Connection, delete, func, insert, select, text, update

from vada.store.events import now
from vada.store.schema import workers

PATIENCE = 6.0
"""Seconds without a beat after which a worker's debates are taken over."""

_ALONE = 0x76616462  # the PostgreSQL advisory lock under which dead engines' work is handed on


def beat(c: Connection, id_: str) -> bool:
    """Say that an engine lives; False when it had been given up (or is new), so that its work may be in other hands."""
    moment = _clock(c)
    if c.execute(update(workers).where(workers.c.id == id_).values(beat=moment)).rowcount:
        return True
    c.execute(insert(workers).values(id=id_, started_at=now(), beat=moment))
    return False


def leave(c: Connection, id_: str) -> None:
    """Say that an engine has stopped, so that its work can be taken at once."""
    c.execute(delete(workers).where(workers.c.id == id_))


def living(c: Connection, patience: float) -> set[str]:
    """Engines that have beaten within so many seconds; the others are struck off."""
    c.execute(delete(workers).where(workers.c.beat < _clock(c) - patience))
    return set(c.execute(select(workers.c.id)).scalars())


def alone(c: Connection) -> bool:
    """Whether this transaction alone may hand work on; False while another does."""
    if c.dialect.name != "postgresql":
        return True
    return bool(c.execute(text("SELECT pg_try_advisory_xact_lock(:key)"), {"key": _ALONE}).scalar())


def _clock(c: Connection) -> float:
    if c.dialect.name != "postgresql":
        return time.time()
    return float(c.execute(select(func.extract("epoch", func.clock_timestamp()))).scalar_one())
