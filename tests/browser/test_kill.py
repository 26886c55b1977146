"""A closed tab and a killed server in the middle of the proposals: the debate goes on, and its page shows it once."""

import contextlib
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Browser, Page

from tests.browser import conftest
from tests.browser.conftest import PATIENCE, Server
from vada.models.events import EventKind
from vada.models.vocabulary import DEBATERS

QUESTION = "Should nine engineers split their Django monolith into services this year?"


@contextlib.contextmanager
def alive(server: Server) -> Iterator[subprocess.Popen[bytes]]:
    """The server as a group of processes of its own, killed with signal 9 at the end."""
    env = conftest._environment(server.home, speed=2)
    with server.log.open("a") as log:
        process = subprocess.Popen(
            conftest._command(server), cwd=server.log.parent, env=env, stdout=log, stderr=log, start_new_session=True
        )
        try:
            conftest._wait(server, process)
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def begun(page: Page, server: Server) -> str:
    """The address of a debate that a person has just started."""
    page.goto(f"{server.url}/new")
    box = page.get_by_role("textbox", name="What must be decided?")
    box.fill(QUESTION)
    box.press("Control+Enter")
    page.wait_for_url("**/debate?id=*", timeout=2 * PATIENCE)
    return page.url


def test_a_debate_outlives_its_tab_and_its_server(chromium: Browser, tmp_path: Path) -> None:
    server = Server(f"http://127.0.0.1:{conftest._free_port()}", tmp_path / "home", tmp_path / "server.log")
    with alive(server):
        page = chromium.new_page()
        url = begun(page, server)
        id_ = parse_qs(urlsplit(url).query)["id"][0]
        until(lambda: any(server.debates().partials(id_).values()), "no proposal was being written")
        page.close()
    before = server.debates()
    assert before.run(id_).rounds[0].synthesis is None
    paid = {c.id for c in before.calls(id_) if c.error is None}

    with alive(server):
        page = chromium.new_page(viewport={"width": 1440, "height": 1000})
        page.goto(url)
        page.get_by_text("Decision gate of round 1").wait_for(timeout=6 * PATIENCE)
        run = server.debates().run(id_)
        for proposal in run.rounds[0].proposals.proposals:
            assert page.get_by_text(proposal.weakness[:60]).count() == 1, f"{proposal.role}'s card"
        page.screenshot(path=conftest.OUT / "after-kill.png")
        page.close()

    after = server.debates()
    assert paid <= {c.id for c in after.calls(id_)}, "a finished call was lost"
    assert max(Counter(c.slot for c in after.calls(id_) if c.error is None).values()) == 1, "a call was paid twice"
    told = Counter(e.key for e in after.events(id_))
    assert max(told.values()) == 1
    assert sum(e.kind is EventKind.REPLIED for e in after.events(id_)) == len(DEBATERS)
    assert after.verify(id_) == []


def until(holds, otherwise: str) -> None:  # type: ignore[no-untyped-def]
    end = time.monotonic() + 40
    while not holds():
        assert time.monotonic() < end, otherwise
        time.sleep(0.1)
