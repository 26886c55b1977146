"""Engines started and stopped in the test's own process, and debates at a fake server."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fake_messages import Server
from tests.fake_messages.fixture import fake_server
from tests.phases.table import config
from vada.models.run import Run
from vada.settings import load
from vada.worker import Debates
from vada.worker.dispatch import Engine

__all__ = ["fake_server"]


class House:
    """One data folder or database, its debates, and engines that are stopped when the test is over."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.settings = load()
        self.debates = Debates.open(self.settings)
        self.engines: list[Engine] = []

    def engine(self, **options: Any) -> Engine:
        """A new engine, not started."""
        self.engines.append(Engine(self.settings, **options))
        return self.engines[-1]

    def start(self, **changes: Any) -> str:
        """Enter a debate."""
        return self.debates.start(config(**changes))

    def rest(self, debate: str, seconds: float = 30) -> Run:
        """Wait until the debate waits or has ended."""
        self.until(lambda: self.debates.run(debate).state.value not in ("queued", "running"), seconds)
        return self.debates.run(debate)

    def until(self, found: Callable[[], object], seconds: float = 15) -> None:
        """Wait until something is so. Raises TimeoutError."""
        deadline = time.monotonic() + seconds
        while not found():
            if time.monotonic() > deadline:
                raise TimeoutError
            time.sleep(0.02)


@pytest.fixture
def house(fake_server: Server) -> Iterator[House]:
    """The house of this test."""
    made = House(fake_server)
    yield made
    for engine in made.engines:
        engine.stop()
    made.debates.close()
