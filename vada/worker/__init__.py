"""What stands between the pages or the command line and the debates: `Debates` to look at and steer them from any
process, `start_engine` to run them in this one."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from vada.settings import Settings
from vada.store import Database, DebateRow, workers
from vada.store.database import address, is_sqlite
from vada.worker.debates import LOCAL, Debates
from vada.worker.lock import FileLock

if TYPE_CHECKING:
    from vada.worker.dispatch import Engine

__all__ = ["LOCAL", "DebateRow", "Debates", "Engine", "anyone", "run_here", "start_engine"]


def start_engine(settings: Settings) -> "Engine | None":
    """Run debates in this process; None when the settings say that it runs none (`VADA_WORKER=off`).

    Where another process has the data folder, the engine stands by (`running` is False) and begins as soon as that
    one is gone. Raises SettingsError, PromptError.
    """
    return _begun(settings, ()) if settings.worker else None


def run_here(settings: Settings, only: Collection[str]) -> "Engine | None":
    """Run these debates, and those begun from now on, in this process; None when it may not or need not.

    Interrupted debates that nobody asked for are left alone. Where another process has the data folder, it runs them,
    and this one stands by.
    """
    if not settings.worker or (not is_sqlite(settings.database_url) and _served(settings)):
        return None
    return _begun(settings, only)


def anyone(settings: Settings) -> bool:
    """Whether a process runs the debates of this data folder or database now."""
    if not is_sqlite(settings.database_url):
        return _served(settings)
    lock = FileLock(Path(address(settings.database_url).database or "").with_suffix(".lock"))
    free = lock.take()
    lock.release()
    return not free


def _begun(settings: Settings, only: Collection[str]) -> "Engine":
    from vada.worker.dispatch import Engine  # brings DBOS and the model SDK, which looking at debates does not need

    engine = Engine(settings, only=only)
    if not engine.start():
        engine.stand_by()
    return engine


def _served(settings: Settings) -> bool:
    """Whether a worker of a shared database lives."""
    database = Database.open(settings.database_url)
    try:
        return bool(database.write(lambda c: workers.living(c, workers.PATIENCE)))
    finally:
        database.close()


def __getattr__(name: str) -> object:
    if name == "Engine":
        from vada.worker.dispatch import Engine

        return Engine
    raise AttributeError(name)
