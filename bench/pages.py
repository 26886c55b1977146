"""How the pages hold up: many viewers of one live debate, and a browser that has never been here.

Viewers are raw websocket clients that do what a browser does: they ask for the page, and again for each of its live
parts whenever that part is due. A poll counts from the moment it is due to the end of its answer, so waiting in line
counts too. The browser is Chromium with an empty cache against a server that has served others before.
"""

import argparse
import asyncio
import os
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect

from vada.models.debate import DebateConfig
from vada.models.vocabulary import GateMode
from vada.prompts import PromptBook
from vada.settings import Settings, default_seats
from vada.worker import Debates

if TYPE_CHECKING:
    from playwright.sync_api import Browser

POLL_MS, COLD_MB, NEW_S, DEBATE_S = 150.0, 3.0, 2.0, 3.5
"""The bars: p95 of a poll, bytes a cold visit transfers, seconds to useful content of New debate and of Debate."""

SLOW, FAST = 0.1, 50.0
"""Paces of the rehearsal: one that goes on while it is watched, one that ends at once."""

ARRIVALS = 4.0
"""Seconds over which the viewers come, evenly: nobody opens a page in the same instant as nineteen others."""

_STREAM = {"subprotocols": ["streamlit"], "max_size": None}


def main(arguments: Sequence[str]) -> int:
    """Measure and print; 1 when a bar is missed."""
    parser = argparse.ArgumentParser(prog="python -m bench pages", description=__doc__)
    parser.add_argument("--viewers", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--skip-browser", action="store_true", help="no Chromium")
    parser.add_argument("--skip-viewers", action="store_true", help="no viewers")
    given = parser.parse_args(arguments)
    print(f"{os.cpu_count()} cores, load before: {os.getloadavg()[0]:.1f}")
    kept = True
    if not given.skip_viewers:
        with served(SLOW) as place:
            kept = viewed(place, given.viewers, given.seconds)
    if not given.skip_browser:
        with served(FAST) as place:
            kept = cold(place) and kept
    print("every bar is kept" if kept else "a bar is missed")
    return 0 if kept else 1


@dataclass(frozen=True)
class Place:
    """A server of this bench and its record."""

    port: int
    home: Path
    pid: int

    def cpu(self) -> float | None:
        """Seconds of processor time the server has used; None where the system does not tell."""
        stat = Path(f"/proc/{self.pid}/stat")
        if not stat.is_file():
            return None
        fields = stat.read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def debates(self) -> Debates:
        """The record of the server."""
        return Debates.open(Settings(home=self.home))

    def debate(self, rounds: int = 3) -> str:
        """A rehearsal that the server's engine begins with at once."""
        settings, pack = Settings(home=self.home), PromptBook.load().packs["product_strategy"]
        seats = default_seats(settings, pack, panel="rehearsal")
        config = DebateConfig(
            question=pack.examples[0], pack=pack, seats=seats, rounds=rounds, gate=GateMode.AUTOPILOT, seed=1
        )
        return self.debates.start(config)


@contextmanager
def served(speed: float) -> Iterator[Place]:
    """`python -m vada` with an empty record, ready to answer."""
    with socket.socket() as free, tempfile.TemporaryDirectory() as home:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
        free.close()
        env = {**os.environ, "VADA_HOME": home, "VADA_REHEARSAL_SPEED": str(speed), "STREAMLIT_SERVER_HEADLESS": "true"}
        command = [sys.executable, "-m", "vada", "--port", str(port), "--host", "127.0.0.1"]
        server = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _wait(port)
            yield Place(port, Path(home), server.pid)
        finally:
            server.terminate()
            server.wait(30)


def _wait(port: int, seconds: float = 90) -> None:
    """Wait until the server is healthy. Raises TimeoutError."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise TimeoutError("the server did not come up")


# Viewers.


@dataclass
class Viewer:
    """One browser tab without a browser."""

    url: str
    query: str
    page: str = ""  # the hash of the page's script, as the server names it
    parts: dict[str, float] = field(default_factory=dict)  # live part to seconds between its polls
    polls: list[float] = field(default_factory=list)  # milliseconds from when it is due
    answers: list[float] = field(default_factory=list)  # milliseconds from when it is sent
    received: int = 0  # bytes, unpacked

    async def watch(self, seconds: float, after: float = 0) -> None:
        """Open the page, `after` so many seconds, and poll its live parts for so long."""
        await asyncio.sleep(after)
        async with connect(self.url, **_STREAM) as line:  # type: ignore[arg-type]
            await self._asked(line)
            now = time.monotonic()
            due, end = {part: now + every for part, every in self.parts.items()}, now + seconds
            while due and (when := min(due.values())) < end:
                await asyncio.sleep(max(0.0, when - time.monotonic()))
                part, sent = min(due, key=lambda p: due[p]), time.monotonic()
                await self._asked(line, part)
                done = time.monotonic()
                self.answers.append((done - sent) * 1000)
                self.polls.append((done - when) * 1000)
                due[part] = max(when + self.parts[part], done)

    async def _asked(self, line: ClientConnection, part: str = "") -> None:
        """Ask for the page or one part of it, and read until it is drawn."""
        asked = BackMsg()
        asked.rerun_script.query_string = self.query
        if self.page:
            asked.rerun_script.page_script_hash = self.page
        else:
            asked.rerun_script.page_name = "debate"
        if part:
            asked.rerun_script.fragment_id, asked.rerun_script.is_auto_rerun = part, True
        await line.send(asked.SerializeToString())
        while True:
            data = await line.recv()
            assert isinstance(data, bytes)
            self.received += len(data)
            if self._read(ForwardMsg.FromString(data)):
                return

    def _read(self, told: ForwardMsg) -> bool:
        """Take in a message; whether it was the last of an answer. Raises RuntimeError when the page failed."""
        kind = told.WhichOneof("type")
        if kind == "delta" and told.delta.new_element.WhichOneof("type") == "exception":
            raise RuntimeError(told.delta.new_element.exception.message)
        if kind == "new_session":
            self.page = told.new_session.page_script_hash or self.page
        elif kind == "navigation":
            self.page = told.navigation.page_script_hash
        elif kind == "auto_rerun":
            self.parts[told.auto_rerun.fragment_id] = told.auto_rerun.interval
        return kind == "script_finished"


def viewed(place: Place, viewers: int, seconds: float) -> bool:
    """Many viewers of one debate that is being written; whether the bar is kept."""
    id_ = place.debate()
    while not place.debates.partials(id_):
        time.sleep(0.2)
    watching = [Viewer(f"ws://127.0.0.1:{place.port}/_stcore/stream", f"id={id_}") for _ in range(viewers)]
    begun, used = time.monotonic(), place.cpu()

    async def all_of_them() -> None:
        await asyncio.gather(*(v.watch(seconds, ARRIVALS * i / viewers) for i, v in enumerate(watching)))

    asyncio.run(all_of_them())
    took, after = time.monotonic() - begun, place.cpu()
    polls = [p for v in watching for p in v.polls]
    live = bool(place.debates.partials(id_)) or not place.debates.run(id_).state.ended
    if len(polls) < 20 or not live:
        print(f"viewers: not measured, {len(polls)} polls, the debate is {place.debates.run(id_).state}")
        return False
    p95 = statistics.quantiles(polls, n=20)[-1]
    alone = statistics.quantiles([a for v in watching for a in v.answers], n=20)[-1]
    parts = ", ".join(f"{every:g} s" for every in sorted(watching[0].parts.values()))
    print(f"viewers: {viewers} of one live debate for {seconds:g} s, live parts every {parts}")
    print(
        f"    {len(polls)} polls, {len(polls) / took:.1f} a second, p50 {statistics.median(polls):.0f} ms, "
        f"p95 {p95:.0f} ms (bar {POLL_MS:.0f}; {alone:.0f} from when it is sent), slowest {max(polls):.0f} ms, "
        f"{sum(v.received for v in watching) / len(polls) / 1000:.0f} kB a poll"
    )
    if used is not None and after is not None:
        each, share = 1000 * (after - used) / len(polls), (after - used) / took
        print(f"    the server took {each:.0f} ms of processor time a poll, {share:.0%} of a core")
    return p95 <= POLL_MS


# A browser that has never been here.


def cold(place: Place) -> bool:
    """Cold visits of New debate and of a finished debate; whether the bars are kept."""
    from playwright.sync_api import sync_playwright

    from tests.browser.conftest import ARGS, NAMES

    found = next((p for n in NAMES if (p := shutil.which(n))), None)
    if found is None:
        print(f"browser: not measured, none of {', '.join(NAMES)} is on the PATH")
        return False
    id_ = place.debate(rounds=2)
    while not place.debates.run(id_).state.ended:
        time.sleep(0.2)
    asyncio.run(Viewer(f"ws://127.0.0.1:{place.port}/_stcore/stream", f"id={id_}").watch(0))  # others were here before
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=ARGS)
        pages = (
            ("New debate", "/new", "textarea", NEW_S),
            ("Debate", f"/debate?id={id_}", '[class*="st-key-card-"] .vd-weakness', DEBATE_S),
        )
        kept = [_visit(browser, place, *page) for page in pages]
        browser.close()
    return all(kept)


def _visit(browser: "Browser", place: Place, name: str, path: str, useful: str, bar: float) -> bool:
    """One cold visit: seconds until something useful stands there, and bytes until everything does."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    line, loaded, frames = context.new_cdp_session(page), list[float](), list[int]()
    line.send("Network.enable")
    line.on("Network.loadingFinished", lambda e: loaded.append(e["encodedDataLength"]))
    line.on("Network.webSocketFrameReceived", lambda e: frames.append(len(e["response"]["payloadData"]) * 3 // 4))
    begun = time.monotonic()
    page.goto(f"http://127.0.0.1:{place.port}{path}")
    page.locator(useful).first.wait_for(timeout=60_000)
    seconds = time.monotonic() - begun
    page.wait_for_timeout(4000)  # what is loaded after that, figures above all
    megabytes = sum(loaded) / 1e6
    print(
        f"{name}, cold: useful content after {seconds:.2f} s (bar {bar:g}), {megabytes:.2f} MB in {len(loaded)} "
        f"requests (bar {COLD_MB:g}), and {sum(frames) / 1e6:.2f} MB by websocket before its compression"
    )
    context.close()
    return seconds <= bar and megabytes <= COLD_MB
