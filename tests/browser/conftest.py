"""A real server with its engine, and Chromium before it: what every browser test stands on.

The server is started as a person starts it, with no key and a data folder of its own, so that debates are rehearsals at
twenty times their pace. Chromium ends with this package: it would stand in the way of the asyncio tests after it.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from tests import recorded
from vada.models.debate import DebateConfig, constraints_from
from vada.models.run import Run
from vada.models.vocabulary import GateMode
from vada.prompts import PromptBook
from vada.settings import Settings, default_seats
from vada.worker import Debates

ROOT = Path(__file__).resolve().parents[2]
OUT = Path(__file__).resolve().parent / "out"
ARGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 20_000
"""Milliseconds until a thing that should come is missed."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Everything in this folder needs Chromium."""
    here = Path(__file__).parent
    for item in items:
        if here in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="package")
def chromium() -> Iterator[Browser]:
    """The browser; without one the test is skipped, in CI it fails."""
    path = next(filter(None, map(shutil.which, NAMES)), None)
    if path is None:
        reason = f"no Chromium found: looked for {', '.join(NAMES)} on the PATH"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGS)
        yield browser
        browser.close()


@dataclass
class Server:
    """A running Vāda and where its data lies."""

    url: str
    home: Path
    log: Path

    def put(self, run: Run) -> str:
        """Write a builder's run into this server's record; returns its id. No engine acts on it."""
        before = os.environ.get("VADA_HOME")
        os.environ["VADA_HOME"] = str(self.home)
        try:
            return recorded.put(run)
        finally:
            if before is None:
                del os.environ["VADA_HOME"]
            else:
                os.environ["VADA_HOME"] = before

    def debates(self) -> Debates:
        """The record of this server."""
        return Debates.open(Settings(home=self.home))


@pytest.fixture(scope="package")
def server(chromium: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """`python -m vada` with an engine and an empty record."""
    with serving(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture(scope="package")
def finished(server: Server) -> str:
    """The id of a rehearsal that the server's engine ran to its end."""
    settings, packs = Settings(home=server.home), PromptBook.load().packs
    pack = packs["software_architecture"]
    config = DebateConfig(
        question="Should nine engineers split their Django monolith into services this year?",
        constraints=constraints_from(["At most 400 words.", "No new hires."]),
        pack=pack,
        seats=default_seats(settings, pack),
        gate=GateMode.AUTOPILOT,
        seed=7,
    )
    id_ = server.debates().start(config)
    end = time.monotonic() + 120
    while not server.debates().run(id_).state.ended:
        assert time.monotonic() < end, f"the rehearsal did not end:\n{server.log.read_text()}"
        time.sleep(0.5)
    return id_


@contextlib.contextmanager
def serving(folder: Path, *, speed: float = 20) -> Iterator[Server]:
    """A server whose working folder and data lie in `folder`; ended with the context. `speed`: of its rehearsals."""
    found = Server(f"http://127.0.0.1:{_free_port()}", folder / "home", folder / "server.log")
    with found.log.open("w") as log:
        process = subprocess.Popen(
            _command(found), cwd=folder, env=_environment(found.home, speed), stdout=log, stderr=log
        )
        try:
            _wait(found, process)
            yield found
        finally:
            process.terminate()
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def _command(server: Server) -> list[str]:
    return [sys.executable, "-m", "vada", "--host", "127.0.0.1", "--port", str(urlsplit(server.url).port)]


def _environment(home: Path, speed: float) -> dict[str, str]:
    """No key and no setting of whoever runs the tests, and the checkout's package wherever the server stands."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("VADA_", "ANTHROPIC_", "STREAMLIT_"))}
    return {**kept, "VADA_HOME": str(home), "VADA_REHEARSAL_SPEED": str(speed), "PYTHONPATH": str(ROOT)}


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    """Until the server answers. Fails with its log when it does not."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    pytest.fail(f"the server did not start:\n{server.log.read_text()}")


@dataclass
class Person:
    """Somebody before a browser window of their own."""

    page: Page
    server: Server
    look: str
    outside: list[str] = field(default_factory=list)
    """Requests that left the server, and what the content security policy refused."""
    broken: list[str] = field(default_factory=list)
    """Errors of scripts in the page."""

    @property
    def narrow(self) -> bool:
        """Whether the window is a phone's."""
        size = self.page.viewport_size
        return size is not None and size["width"] < 640

    def opens(self, path: str) -> Page:
        """Open an address of the server and wait for the screen's heading."""
        self.page.goto(self.server.url + path)
        self.page.locator("h1, h2, [role=heading]").first.wait_for()
        self.settles()
        return self.page

    def settles(self) -> None:
        """Wait until the page has drawn what it was asked for."""
        self.page.wait_for_timeout(150)
        self.page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()

    def keyed(self, key: str) -> Locator:
        """The element of a Streamlit key."""
        return self.page.locator(f".st-key-{key.replace('.', '-')}")

    def shot(self, name: str) -> None:
        """A picture of the whole screen, to be looked at: `out/<name>-<width>-<mode>.png`."""
        OUT.mkdir(exist_ok=True)
        window = self.page.viewport_size
        assert window is not None
        tall = int(self.page.locator('[data-testid="stMain"]').evaluate("e => e.scrollHeight"))
        bottom = 220  # the bar at the bottom lies over the screen
        self.page.set_viewport_size(
            {"width": window["width"], "height": min(max(tall + bottom, window["height"]), 6000)}
        )
        self.page.wait_for_timeout(400)
        self.page.screenshot(path=OUT / f"{name}-{self.look}.png")
        self.page.set_viewport_size(window)

    def findings(self) -> list[str]:
        """What axe finds serious or critical on the screen, without what Streamlit itself brings. The pointer is taken
        away first: a help text that is just fading in has no contrast yet."""
        self.page.mouse.move(0, 0)
        expect(self.page.get_by_test_id("stTooltipContent")).to_have_count(0)
        found = Axe().run(self.page).response["violations"]
        return [
            f"{v['id']}: {node['html']}" for v in found if v["impact"] in GRAVE for node in v["nodes"] if ours(node)
        ]

    def overflow(self) -> int:
        """By how many pixels the page is wider than its window."""
        wider = "e => e.scrollWidth - e.clientWidth"
        return int(self.page.locator('[data-testid="stMain"]').evaluate(wider))


GRAVE = ("serious", "critical")
_THEIRS = ("<kbd", '<pre class="st-emotion')
"""Streamlit's own: the shortcut in a primary button is pale, a code block that scrolls takes no focus by itself."""


def ours(node: dict[str, Any]) -> bool:
    """Whether a finding of axe is about something that we draw."""
    return not any(mark in node["html"] for mark in _THEIRS)


LOOKS = {
    f"{width}-{mode}": (width, height, mode)
    for width, height in ((1440, 1000), (390, 844))
    for mode in ("light", "dark")
}


@pytest.fixture
def people(chromium: Browser, server: Server) -> Iterator[Callable[[str], Person]]:
    """Makes a person before the common server."""
    with windows(chromium, server) as person:
        yield person


@contextlib.contextmanager
def windows(chromium: Browser, server: Server) -> Iterator[Callable[[str], Person]]:
    """Makes a person by the look of their window, such as `1440-light`. None of their pages may have asked another
    host for anything, or met an error of a script."""
    made: list[tuple[Person, BrowserContext]] = []

    def person(look: str = "1440-light") -> Person:
        width, height, mode = LOOKS[look]
        context = chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if mode == "dark" else "light",
            reduced_motion="reduce",
        )
        context.set_default_timeout(PATIENCE)
        someone = Person(context.new_page(), server, look)
        _listen(someone)
        made.append((someone, context))
        return someone

    yield person
    for someone, context in made:
        context.close()
        assert someone.outside == []
        assert someone.broken == []


def _listen(person: Person) -> None:
    host = urlsplit(person.server.url).netloc

    def asked(url: str) -> None:
        if urlsplit(url).scheme in ("http", "https", "ws", "wss") and urlsplit(url).netloc != host:
            person.outside.append(url)

    def said(kind: str, text: str) -> None:
        if kind == "error" and "Content Security Policy" in text:
            person.outside.append(text)

    person.page.on("request", lambda request: asked(request.url))
    person.page.on("console", lambda message: said(message.type, message.text))
    person.page.on("pageerror", lambda error: person.broken.append(str(error)))


@pytest.fixture(params=list(LOOKS))
def person(request: pytest.FixtureRequest, people: Callable[[str], Person]) -> Person:
    """Somebody at a desk or with a phone, in light and in dark."""
    return people(request.param)
