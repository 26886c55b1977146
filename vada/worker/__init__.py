"""What stands between the pages or the command line and the debates: `Debates` to look at and steer them from any
process, `start_engine` to run them in this one."""

from vada.settings import Settings
from vada.store import DebateRow
from vada.worker.debates import Debates
from vada.worker.dispatch import Engine

__all__ = ["DebateRow", "Debates", "Engine", "start_engine"]


def start_engine(settings: Settings) -> Engine | None:
    """Run debates in this process; None when the settings say that it runs none (`VADA_WORKER=off`).

    Where another process has the data folder, the engine stands by (`running` is False) and begins as soon as that
    one is gone. Raises SettingsError, PromptError.
    """
    if not settings.worker:
        return None
    engine = Engine(settings)
    if not engine.start():
        engine.stand_by()
    return engine
