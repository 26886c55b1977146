"""Debates for the benchmarks: the real engine, phases, prompts and SDK over HTTP to the fake server, on autopilot."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fake_messages import Server
from vada.engine import Runner
from vada.llm.base import CallRecord
from vada.llm.endpoints import Endpoints
from vada.llm.messages import MessagesLLM
from vada.models.debate import DebateConfig, Material, constraints_from
from vada.models.run import Run
from vada.models.vocabulary import GateMode
from vada.prompts import PromptBook
from vada.settings import Settings, default_seats
from vada.store import Database, debates
from vada.worker import Debates

KEY = "VADA_BENCH_KEY"
_SENTENCE = "The team of twelve ships on Tuesdays, and one database holds what four services would have to share. "
_CONSTRAINTS = ("Nothing may be down for more than a minute.", "At most 120 000 euros.", "No new language.", "By June.")


@dataclass(frozen=True)
class Bench:
    """A fake server and a record of its own."""

    server: Server
    settings: Settings
    book: PromptBook

    def config(self, *, pack: str, rounds: int, constraints: int = 0, words: int = 0, web: bool = False,
               panel: str = "balanced", seed: int = 0) -> DebateConfig:  # fmt: skip
        """A debate on the pack's first example question, with so many constraints and words of material."""
        chosen = self.book.packs[pack]
        text = _SENTENCE * (words // len(_SENTENCE.split()))
        return DebateConfig(
            question=chosen.examples[seed % len(chosen.examples)],
            constraints=constraints_from(list(_CONSTRAINTS[:constraints])),
            material=(Material(name="notes.txt", text=text),) if text else (),
            pack=chosen,
            seats=default_seats(self.settings, chosen, panel=panel, web=web),
            rounds=rounds,
            gate=GateMode.AUTOPILOT,
            seed=seed,
        )

    def play(self, config: DebateConfig) -> Run:
        """Play a debate to its end."""
        return asyncio.run(self._play(config))

    def records(self, run: Run) -> list[CallRecord]:
        """The calls of a debate as they were sent and answered."""
        with closing(Database.open(self.settings.database_url)) as database:
            return Debates(self.settings, database).calls(run.id)

    async def _play(self, config: DebateConfig) -> Run:
        with closing(Database.open(self.settings.database_url)) as database:
            client, endpoints = Debates(self.settings, database), Endpoints(self.settings)
            runner = Runner(self.settings, database, self.book, lambda j, _: MessagesLLM(endpoints, j))
            id_ = client.start(config)
            while due := next((d for d in database.read(debates.owed) if d.debate == id_), None):
                await runner.run(due)
            await endpoints.aclose()
            return client.run(id_)


@contextmanager
def bench() -> Iterator[Bench]:
    """A bench that is gone afterwards."""
    os.environ[KEY] = "sk-bench"
    with Server() as server, tempfile.TemporaryDirectory() as home:
        endpoint = {"url": server.url, "key_env": KEY, "search": True}
        yield Bench(server, Settings(home=Path(home), endpoints={"anthropic": endpoint}), PromptBook.load())
