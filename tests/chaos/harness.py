"""Real worker processes that are killed and frozen while debates run, and the account that is taken afterwards."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from tests.fake_messages import Entry, Server
from tests.phases.table import QUESTION, config
from vada.models.run import Run
from vada.models.vocabulary import DebateState
from vada.settings import Settings, load
from vada.worker import Debates

WINDOW = 0.5
"""Seconds before a kill in which a reply may have come and not been committed yet."""


class Nursery:
    """Where workers come from; see `tests.chaos.nursery`."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.chaos.nursery"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def worker(self, number: int) -> "Worker":
        """A new worker, running. Its calls bear its number."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(number, file=self._process.stdin, flush=True)
        said, pid = self._process.stdout.readline().split()
        assert int(said) == number
        return Worker(number, int(pid))

    def close(self) -> None:
        """No more workers."""
        self._process.communicate()


@dataclass(frozen=True)
class Worker:
    """A process that runs debates."""

    number: int
    pid: int

    def kill(self) -> None:
        """Kill -9, and wait until it is gone."""
        os.kill(self.pid, signal.SIGKILL)
        try:
            while True:
                os.kill(self.pid, 0)
                time.sleep(0.001)
        except ProcessLookupError:
            return

    def freeze(self) -> None:
        """SIGSTOP: it holds everything and does nothing."""
        os.kill(self.pid, signal.SIGSTOP)

    def thaw(self) -> None:
        """SIGCONT."""
        os.kill(self.pid, signal.SIGCONT)


@dataclass
class Account:
    """What came of it all."""

    debates: int
    kills: int
    finished: int  # calls that were answered before their worker was killed
    twice: int  # of these, those that were made again
    lost: int  # of these, those that are on no record
    unexplained: int  # of both, those that no kill followed within the window of the commit
    windows: list[int]  # milliseconds between an answer and the kill that may have lost it
    unsound: list[str] = field(default_factory=list)
    unended: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def sound(self) -> bool:
        """Whether every debate ended well, every record verifies, and every loss is one of a commit cut off."""
        return not (self.unexplained or self.unsound or self.unended)

    @property
    def good(self) -> bool:
        """Whether, besides, at most one call in a hundred was made again; means something for many calls only."""
        return self.sound and self.twice <= self.finished // 100

    def __str__(self) -> str:
        return json.dumps(self.__dict__)


class Yard:
    """Debates at one fake server, workers that come and go, and when they were killed."""

    def __init__(self, server: Server, seed: int = 0) -> None:
        self.server = server
        self.settings: Settings = load()
        self.debates = Debates.open(self.settings)
        self.ids: list[str] = []
        self.nursery = Nursery()
        self.workers: list[Worker] = []
        self.kills: dict[int, float] = {}  # worker's number to the moment it was killed
        self.dice = random.Random(seed)

    def start(self, count: int) -> None:
        """Enter debates, each with a question of its own."""
        for _ in range(count):
            question = f"{QUESTION} (case {len(self.ids)})"
            self.ids.append(self.debates.start(config(question=question)))

    def worker(self) -> Worker:
        """A new worker, running."""
        self.workers.append(self.nursery.worker(len(self.kills) + len(self.workers)))
        return self.workers[-1]

    def kill(self, worker: Worker) -> None:
        """Kill -9, and note when."""
        self.kills[worker.number] = time.monotonic()
        worker.kill()
        self.workers.remove(worker)

    def running(self) -> list[str]:
        """The debates that have not ended."""
        return [i for i in self.ids if not self.debates.run(i).state.ended]

    def until(self, found: Callable[[], object], seconds: float) -> float:
        """Wait until something is so; how long it took. Raises TimeoutError."""
        began = time.monotonic()
        while not found():
            if time.monotonic() - began > seconds:
                raise TimeoutError(f"not within {seconds} s")
            time.sleep(0.05)
        return time.monotonic() - began

    def torture(self, kills: int, workers: int, longest: float) -> None:
        """Kill a worker at a random moment, again and again, and have another in its place; ended debates are
        replaced, so that there is always something to break."""
        count = len(self.ids)
        for _ in range(workers):
            self.worker()
        while len(self.kills) < kills:
            time.sleep(self.dice.uniform(0, longest))
            self.kill(self.dice.choice(self.workers))
            self.start(count - len(self.running()))
            self.worker()

    def close(self) -> None:
        """Stop what still runs."""
        for worker in self.workers:
            worker.kill()
        self.nursery.close()
        self.debates.close()

    def account(self, began: float) -> Account:
        """Compare what the server answered with what is on the record."""
        runs = [self.debates.run(i) for i in self.ids]
        standing, kept = self._kept(runs)
        answered: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.server.calls:
            if entry.message is not None and not entry.aborted and self._arrived(entry):
                answered[_body(entry.body)].append(entry)
        twice = {b: max(0, len(entries) - standing[b]) for b, entries in answered.items()}
        lost = {b: max(0, len(entries) - kept[b]) for b, entries in answered.items()}
        cut = {b: [w for e in entries if (w := self._window(e)) is not None] for b, entries in answered.items()}
        return Account(
            debates=len(runs),
            kills=len(self.kills),
            finished=sum(len(x) for x in answered.values()),
            twice=sum(twice.values()),
            lost=sum(lost.values()),
            unexplained=sum(max(0, lost[b] - len(cut[b])) for b in answered),
            windows=sorted(round(1000 * w) for b in answered if lost[b] for w in cut[b]),
            unsound=[p for r in runs for p in self.debates.verify(r.id)],
            unended=[f"{r.id}: {r.state} {r.reason}" for r in runs if not _well_ended(r)],
            seconds=time.monotonic() - began,
        )

    def _kept(self, runs: list[Run]) -> tuple[Counter[str], Counter[str]]:
        """Per request body: how many attempts have an answer on the record, and how many answers there are at all."""
        standing, kept = Counter[str](), Counter[str]()
        for run in runs:
            whole = [r for r in self.debates.calls(run.id) if r.message is not None and r.error is None]
            kept.update(_body(r.request) for r in whole)
            standing.update({(r.slot, r.attempt): _body(r.request) for r in whole}.values())
        return standing, kept

    def _arrived(self, entry: Entry) -> bool:
        """Whether the worker that asked lived when the answer had been sent."""
        assert entry.ended is not None
        return entry.ended < self.kills.get(_worker(entry), float("inf"))

    def _window(self, entry: Entry) -> float | None:
        """Seconds between this answer and the kill of the worker that asked, where that came just after it."""
        assert entry.ended is not None
        after = self.kills.get(_worker(entry), float("inf")) - entry.ended
        return after if 0 <= after <= WINDOW else None


def _worker(entry: Entry) -> int:
    return int(entry.headers["x-worker"])


def _body(body: dict[str, object]) -> str:
    return json.dumps([body.get("messages"), body.get("model")], sort_keys=True)


def _well_ended(run: Run) -> bool:
    return run.state in (DebateState.CLEAN, DebateState.REVISED, DebateState.UNCONVERGED)


@contextmanager
def yard(latency: float, seed: int = 0) -> Iterator[Yard]:
    """A yard with its server; the environment names the data and gets the server's address."""
    with Server(latency=latency, seed=seed) as server:
        os.environ["ANTHROPIC_BASE_URL"] = server.url
        os.environ["ANTHROPIC_API_KEY"] = "sk-test-chaos"
        made = Yard(server, seed)
        try:
            yield made
        finally:
            made.close()


def torture(*, kills: int, debates: int, workers: int, latency: float, longest: float, seed: int = 0) -> Account:
    """Kills over debates in the data that the environment names, then the end of all of them, then the account."""
    began = time.monotonic()
    with yard(latency, seed) as made:
        made.start(debates)
        made.torture(kills, workers, longest)
        made.until(lambda: not made.running(), 120 + 10 * debates)
        return made.account(began)
