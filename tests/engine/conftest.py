"""A stage: debates played step by step by a Runner, the real phases and the real SDK over HTTP, without a queue."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.fake_messages import Hang, Server, wants
from tests.fake_messages.fixture import fake_server
from tests.phases.table import config
from vada.engine import Runner
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.models.run import Run
from vada.prompts import PromptBook
from vada.settings import load
from vada.store import Database, Due, debates
from vada.worker import Debates

__all__ = ["fake_server"]


class Stage:
    """Debates over one record and one fake server. Each `runner()` is as good as another process."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.settings = load()
        self.database = Database.open(self.settings.database_url)
        self.debates = Debates(self.settings, self.database)
        self.endpoints = Endpoints(self.settings)

    def start(self, **changes: Any) -> str:
        """Enter a debate; nothing runs yet."""
        return self.debates.start(config(**changes))

    def runner(self) -> Runner:
        """A new runner, which knows nothing but the record."""
        return Runner(self.settings, self.database, PromptBook.load(), lambda j, _: MessagesLLM(self.endpoints, j))

    def owed(self, debate: str) -> Due | None:
        """What is owed to a debate."""
        return next((d for d in self.database.read(debates.owed) if d.debate == debate), None)

    async def step(self, debate: str, runner: Runner | None = None) -> Run:
        """Play the step that is owed, with an eye on how the debate stands."""
        due, runner = self.owed(debate), runner or self.runner()
        assert due is not None, "nothing is owed"
        running = asyncio.ensure_future(runner.run(due))
        while not running.done():
            await asyncio.wait({running}, timeout=0.02)
            await asyncio.to_thread(runner.look)
            await asyncio.to_thread(runner.write_texts)
        await running
        return self.debates.run(debate)

    async def play(self, debate: str) -> Run:
        """Play until the debate waits or has ended."""
        while self.owed(debate) is not None:
            await self.step(debate)
        return self.debates.run(debate)

    async def broken_off(self, debate: str, reply: str) -> None:
        """Play the step that is owed until a call for this reply hangs, then end it as a dying worker does."""
        self.server.script(Hang(), match=wants(reply))
        first = asyncio.ensure_future(self.step(debate))
        await self.until(lambda: any(wants(reply)(e.body) for e in self.server.calls))
        first.cancel()
        with pytest.raises(asyncio.CancelledError):
            await first

    async def until(self, found: Callable[[], object], seconds: float = 10) -> None:
        """Wait until something is so. Raises TimeoutError."""
        async with asyncio.timeout(seconds):
            while not await asyncio.to_thread(found):  # noqa: ASYNC110  another process would change it too
                await asyncio.sleep(0.01)

    def asked(self, words: str) -> list[str]:
        """The prompts, as one text each, of the calls whose prompt holds some words."""
        told = ["\n".join(b["text"] for m in e.body["messages"] for b in m["content"] if b["type"] == "text")
                for e in self.server.calls]  # fmt: skip
        return [t for t in told if words in t]


@pytest.fixture
def stage(fake_server: Server) -> Iterator[Stage]:
    """A stage of this test."""
    made = Stage(fake_server)
    yield made
    made.database.close()
