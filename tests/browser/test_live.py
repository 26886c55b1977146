"""What a person has open, typed, chosen or scrolled to stays as it is while the debate goes on around it.

`MINUTES=10 uv run pytest tests/browser/test_live.py` watches a debate of that length; by default it is short.
"""

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Person, serving, windows
from tests.browser.test_pages_two import gate, started
from vada.models.vocabulary import DebateState

MINUTES = float(os.environ.get("MINUTES", "0.7"))
NOTE = "Ask what it costs the people who come every week, and who would pay for the guards."

MAIN = "document.querySelector('[data-testid=stMain]')"
SCROLLED = f"{MAIN}.scrollTop"


@pytest.fixture
def person_of(chromium: Browser, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Makes people before a server whose rehearsals last about `MINUTES`."""
    with serving(tmp_path, speed=0.8 / MINUTES) as server, windows(chromium, server) as person:
        yield person


def test_nothing_a_person_holds_open_is_lost_in_a_live_debate(person_of: Callable[[str], Person]) -> None:
    ada = person_of("1440-light")
    id_ = started(ada)
    began = time.monotonic()
    page = ada.opens(f"/debate?id={id_}")
    card = page.locator(".vd-weakness").first
    card.wait_for(timeout=MINUTES * 60_000)
    reader, drawer, menu = (window(person_of, id_) for _ in range(3))
    reads = reading(reader)
    drawer.get_by_role("button", name="Open", exact=True).or_(
        drawer.locator('[class*="st-key-card-"][class*="-open"] button')
    ).first.click()
    opened = drawer.get_by_role("dialog")
    expect(opened).to_be_visible()
    menu.get_by_role("button", name="Actions").click()
    item = menu.get_by_text("Cancel now")
    expect(item).to_be_visible()

    held: list[Callable[[], None]] = [reads, lambda: shown(opened), lambda: shown(item)]
    watched(page, held, until=lambda: page.locator(".st-key-gate").count() > 0)

    gate(page)
    page.get_by_role("button", name="Notes").click()
    field = page.get_by_label("Note for the next round")
    field.press_sequentially(NOTE, delay=MINUTES * 200, timeout=MINUTES * 60_000)
    to = window(person_of, id_)
    to.get_by_role("button", name="Notes").click()
    to.get_by_label("Note for the next round").fill(NOTE)
    to.get_by_role("combobox", name="To").click()
    options = to.get_by_role("option")
    expect(options.first).to_be_visible()
    typed: list[Callable[[], None]] = [*held, lambda: holds(field), lambda: shown(options.first)]
    watched(page, typed, seconds=MINUTES * 10)

    page.keyboard.press("Escape")
    page.get_by_role("button", name="Continue").click()
    page.get_by_text("Round 2", exact=True).first.wait_for()
    watched(page, held, until=lambda: page.get_by_text("Decision gate of round 2").count() > 0)
    expect(reader.get_by_text("The debate is further on.")).to_be_visible()
    plot = zoomed(ada)

    page.get_by_role("button", name="Continue").click()
    watched(page, [*held, plot], until=lambda: synthesized(ada, id_) == 3)
    page.wait_for_timeout(5000)
    for check in held:
        check()
    reader.locator('[data-testid="stMain"]').evaluate("e => e.scrollTo(0, 0)")
    expect(reader.get_by_text("The debate is further on.")).to_have_count(0)
    print(f"held for {(time.monotonic() - began) / 60:.1f} minutes of a live debate")
    assert ada.server.debates().run(id_).state is not DebateState.FAILED


def window(person_of: Callable[[str], Person], id_: str) -> Page:
    """The debate in a window of its own."""
    return person_of("1440-light").opens(f"/debate?id={id_}")


def reading(page: Page) -> Callable[[], None]:
    """Scroll down and select words of the first card that is done (one that is being written begins at its top again
    when it ends); returns the check that both are still so."""
    card = page.locator('[class*="st-key-card-1-"]:has(.vd-chip.good) .vd-weakness').first
    card.wait_for(timeout=MINUTES * 60_000)
    page.wait_for_function(f"{MAIN}.scrollHeight > {MAIN}.clientHeight + 400", timeout=MINUTES * 60_000)
    page.evaluate(f"{MAIN}.scrollTo(0, 320)")
    page.wait_for_timeout(800)
    card.evaluate("e => getSelection().selectAllChildren(e)")
    words, scrolled = page.evaluate("String(getSelection())"), page.evaluate(SCROLLED)
    assert words.strip()
    assert scrolled > 240

    def check() -> None:
        assert page.evaluate("String(getSelection())") == words
        assert abs(page.evaluate(SCROLLED) - scrolled) <= 2

    return check


def zoomed(person: Person) -> Callable[[], None]:
    """Zoom into the scores and switch one line off; returns the check that both are still so."""
    page = person.page
    plot = person.keyed("trajectory").locator(".js-plotly-plot")
    plot.scroll_into_view_if_needed()
    plot.hover()
    plot.locator('[data-title="Zoom in"]').click()
    plot.locator(".legendtoggle").first.click()
    page.wait_for_timeout(900)
    state = "e => [e.layout.yaxis.range.join(), e.data.filter(t => t.visible === 'legendonly').length]"
    before = plot.evaluate(state)
    assert before[1] == 1

    def check() -> None:
        assert plot.evaluate(state) == before

    return check


def synthesized(person: Person, id_: str) -> int:
    """How many rounds have their synthesis; with its scores a round enters the chart, which is then drawn anew."""
    return sum(r.synthesis is not None for r in person.server.debates().run(id_).rounds)


def shown(what: Locator) -> None:
    assert what.is_visible()


def holds(field: Locator) -> None:
    assert field.input_value() == NOTE


def watched(
    page: Page, held: list[Callable[[], None]], *, until: Callable[[], bool] = lambda: False, seconds: float = 0
) -> None:
    """Check again and again, for so long or until something has come."""
    end = time.monotonic() + (seconds or MINUTES * 60 + 60)
    while time.monotonic() < end:
        for check in held:
            check()
        if until():
            return
        page.wait_for_timeout(500)
    assert seconds, "what should come did not"
