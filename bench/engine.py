"""Many rehearsal debates at once in one process: what the engine adds to a call, and how long a page's reads take.

`python -m bench engine [--debates N] [--speed S]`. The figures of a loaded machine say little: run it alone.
"""

import argparse
import contextlib
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from vada import settings as configured
from vada.models.debate import DebateConfig, constraints_from
from vada.models.events import EventKind
from vada.models.vocabulary import GateMode
from vada.prompts import PromptBook
from vada.settings import Settings, default_seats
from vada.worker import Debates, start_engine

MEDIAN, P95, PAGE = 20.0, 60.0, 1.0
"""The bars: milliseconds, milliseconds, seconds."""

QUESTION = "Should a 12-person startup move its monolith to microservices?"


def main(arguments: Sequence[str]) -> int:
    """Print the figures; 0 when they keep the bars and every debate ended with a sound record."""
    parser = argparse.ArgumentParser(prog="python -m bench engine")
    parser.add_argument("--debates", type=int, default=50)
    parser.add_argument("--speed", type=float, default=1.0, help="of the rehearsal; 1 types as a model would")
    asked = parser.parse_args(arguments)
    with _home(asked.speed) as settings:
        engine = start_engine(settings)
        assert engine is not None
        try:
            return _run(Debates.open(settings), settings, asked.debates)
        finally:
            engine.stop()


@contextlib.contextmanager
def _home(speed: float) -> Iterator[Settings]:
    with tempfile.TemporaryDirectory() as folder:
        os.environ.update(VADA_HOME=folder, VADA_REHEARSAL_SPEED=str(speed))
        yield configured.load()


def _run(debates: Debates, settings: Settings, many: int) -> int:
    began = time.monotonic()
    ids = [debates.start(_config(settings, n)) for n in range(many)]
    reads = []
    while not all(debates.run(i).state.ended for i in ids):
        at = time.monotonic()
        debates.run(ids[0])
        debates.partials(ids[0])
        debates.list()
        reads.append(time.monotonic() - at)
        time.sleep(0.5)
    took = sorted(ms for i in ids for ms in _overheads(debates, i))
    unsound = [i for i in ids if debates.verify(i)]
    median, p95 = statistics.median(took), took[int(len(took) * 0.95)]
    print(f"{many} debates, {len(took)} calls, {time.monotonic() - began:.0f} s")
    print(f"from reply to record: median {median:.1f} ms (bar {MEDIAN:g}), p95 {p95:.1f} ms (bar {P95:g})")
    print(f"a page's reads: median {statistics.median(reads):.3f} s, max {max(reads):.3f} s (bar {PAGE:g})")
    print(f"unsound records: {len(unsound)}")
    return int(median > MEDIAN or p95 > P95 or max(reads) > PAGE or bool(unsound))


def _config(settings: Settings, n: int) -> DebateConfig:
    pack = PromptBook.load().packs["software_architecture"]
    return DebateConfig(
        question=f"{QUESTION} Case {n}.",
        constraints=constraints_from(["At most 450 words."]),
        pack=pack,
        seats=default_seats(settings, pack, panel="rehearsal"),
        gate=GateMode.AUTOPILOT,
        seed=n,
    )


def _overheads(debates: Debates, id_: str) -> list[float]:
    """Milliseconds from each reply's last word to its event on the record."""
    ended = {c.id: datetime.fromisoformat(c.started_at) + timedelta(seconds=c.seconds) for c in debates.calls(id_)}
    return [
        (datetime.fromisoformat(e.at) - ended[e.payload["id"]]).total_seconds() * 1000
        for e in debates.events(id_)
        if e.kind is EventKind.CALL_ENDED
    ]
