"""Connections and transactions: opens SQLite or PostgreSQL by URL, migrates, runs work in one transaction with retries.

Never knows a table. On SQLite one thread writes for the whole process, so that nobody waits on the file's lock; on
PostgreSQL rows are locked by the statements themselves.
"""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from vada.errors import SettingsError
from vada.store.migrate import migrate

T = TypeVar("T")
Work = Callable[[Connection], T]

PATIENCE = 20.0
"""Seconds a transaction is tried again while the database is locked, restarting or in conflict with another."""

_BUSY_MS = 30_000
_DURABLE = {"vada_durable": True}
_WRITES = {"vada_writes": True}


class Database:
    """One database of debates. Safe to use from several threads and processes."""

    def __init__(self, url: str) -> None:
        self.url = address(url)
        self.sqlite = self.url.get_backend_name() == "sqlite"
        self.engine = _sqlite(self.url) if self.sqlite else _postgres(self.url)
        self._lock: AbstractContextManager[Any] = threading.RLock() if self.sqlite else nullcontext()
        self._writers = ThreadPoolExecutor(1 if self.sqlite else 8, thread_name_prefix="vada-write")
        self._readers = ThreadPoolExecutor(4, thread_name_prefix="vada-read")

    @classmethod
    def open(cls, url: str) -> "Database":
        """Connect and bring the schema up to date. Raises SettingsError when the address or the data cannot be used."""
        try:
            database = cls(url)
            migrate(database.engine)
        except (OperationalError, OSError) as error:
            reason = error.orig if isinstance(error, OperationalError) else error
            raise SettingsError(
                f"The database at {address(url).render_as_string(hide_password=True)} cannot be opened: {reason}.",
                next_step="Check VADA_HOME and VADA_DATABASE_URL.",
            ) from error
        return database

    def close(self) -> None:
        """Let running work end and close the connections."""
        self._writers.shutdown(wait=True)
        self._readers.shutdown(wait=True)
        self.engine.dispose()

    def write(self, work: Work[T], *, durable: bool = False) -> T:
        """Run `work` in one transaction and commit. It may run more than once, so it must not act outside of it.

        `durable` makes the commit reach the disk before it returns; without it a power cut (not a kill) may lose the
        last moments, which can be worked out again from what is durable.
        """
        options = _WRITES | (_DURABLE if durable else {})
        with self._lock:
            return _patiently(lambda: self._run(work, options))

    def read(self, work: Work[T]) -> T:
        """Run `work`, which only reads, on one consistent state of the data."""
        return _patiently(lambda: self._run(work, {}))

    async def awrite(self, work: Work[T], *, durable: bool = False) -> T:
        """`write`, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(
            self._writers, lambda: self.write(work, durable=durable)
        )

    async def aread(self, work: Work[T]) -> T:
        """`read`, off the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._readers, lambda: self.read(work))

    def _run(self, work: Work[T], options: dict[str, Any]) -> T:
        with self.engine.connect().execution_options(**options) as connection, connection.begin():
            return work(connection)


def address(url: str) -> URL:
    """The URL with the driver named. Raises SettingsError for a database that is neither SQLite nor PostgreSQL."""
    try:
        made = make_url(url)
    except Exception as error:
        raise SettingsError("VADA_DATABASE_URL is not a database address.", next_step=_FORMS) from error
    match made.get_backend_name():
        case "sqlite" if made.database and made.database != ":memory:":
            return made.set(drivername="sqlite")
        case "postgresql" | "postgres":
            return made.set(drivername="postgresql+psycopg")
    raise SettingsError(f"Debates cannot be kept in {made.get_backend_name()}.", next_step=_FORMS)


def is_sqlite(url: str) -> bool:
    """Whether the address is of a SQLite file, which one process at a time runs debates of. Raises SettingsError."""
    return address(url).get_backend_name() == "sqlite"


_FORMS = "It is written sqlite:////folder/vada.db or postgresql://user@host/name."


def _sqlite(url: URL) -> Engine:
    Path(url.database or "").parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(url, connect_args={"timeout": _BUSY_MS / 1000, "check_same_thread": False}, pool_size=8)
    event.listen(engine, "connect", _set_up)
    event.listen(engine, "begin", _begin)
    return engine


def _postgres(url: URL) -> Engine:
    return create_engine(
        url,
        pool_size=10,
        max_overflow=20,
        pool_pre_ping=True,
        connect_args={"connect_timeout": 10, "keepalives_idle": 5, "keepalives_interval": 2, "keepalives_count": 3},
    )


def _set_up(connection: sqlite3.Connection, _: object) -> None:
    """Prepare a new SQLite connection; transactions are begun by `_begin`, not by the driver."""
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout={_BUSY_MS}")
    _patiently(lambda: connection.execute("PRAGMA journal_mode=WAL"))  # does not wait by itself while others switch too
    connection.execute("PRAGMA synchronous=NORMAL")
    connection.execute("PRAGMA foreign_keys=ON")


def _begin(connection: Connection) -> None:
    """Begin with the write lock where something will be written, so that no transaction has to be given up half-way."""
    options = connection.get_execution_options()
    connection.exec_driver_sql(f"PRAGMA synchronous={'FULL' if options.get('vada_durable') else 'NORMAL'}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get("vada_writes") else "BEGIN")


def _patiently(attempt: Callable[[], T]) -> T:
    """Run an attempt again while what stops it passes by itself."""
    deadline = time.monotonic() + PATIENCE
    pause = 0.02
    while True:
        try:
            return attempt()
        except (DBAPIError, sqlite3.OperationalError) as error:
            if not _passes(error) or time.monotonic() > deadline:
                raise
        time.sleep(pause)
        pause = min(pause * 2, 1.0)


def _passes(error: Exception) -> bool:
    """Whether a later attempt can succeed: a lock, a conflict between writers, a lost connection."""
    if isinstance(error, DBAPIError):
        state = getattr(error.orig, "sqlstate", None) or ""
        if error.connection_invalidated or state[:2] in ("40", "57", "08"):  # conflict, shutdown, connection
            return True
        if isinstance(error, IntegrityError):
            return state == "23505"  # two writers made the same row: the second one finds it
    return "locked" in str(error) or "busy" in str(error)
