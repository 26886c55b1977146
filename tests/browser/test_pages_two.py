"""Debate, Coverage and Deliverable in a real browser: watched, steered, read; wide and narrow, light and dark."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pages.parts.tour import STEPS
from tests.app.hostile_run import poisoned
from tests.browser.conftest import LOOKS, Person
from tests.builders import a_config, a_rehearsal, a_run
from vada.models.vocabulary import PhaseName, Role
from vada.store import Database
from vada.store.debates import create, new_id

People = Callable[[str], Person]
QUESTION = "Should our museum charge for entry on weekends?"


def started(person: Person) -> str:
    """A rehearsal that the server's own engine runs, asking at every gate."""
    seats = a_rehearsal().seats
    config = a_config(question=QUESTION, seats=seats, material=(), priorities="")
    database, id_ = Database.open(f"sqlite:///{person.server.home / 'vada.db'}"), new_id()
    database.write(lambda c: create(c, id_, config, step="r1"), durable=True)
    database.close()
    return id_


def gate(page: Page) -> None:
    """Wait until the gate's bar is there."""
    page.locator(".st-key-gate").wait_for(timeout=60_000)


def test_a_debate_is_watched_steered_to_its_end_and_read(people: People) -> None:
    ada, phone = people("1440-light"), people("390-dark")
    id_ = started(ada)
    page, small = ada.opens(f"/debate?id={id_}"), phone.opens(f"/debate?id={id_}")
    gate(page)
    gate(small)
    assert page.locator(".vd-gate").text_content() == small.locator(".vd-gate").text_content()
    ada.shot("debate-gate")
    phone.shot("debate-gate")
    page.get_by_role("button", name="Notes").click()
    page.get_by_label("Note for the next round").fill("Look at what it costs the visitors.")
    page.keyboard.press("Escape")
    expect(page.get_by_role("button", name="Notes (1)")).to_be_visible()
    expect(page.get_by_label("Note for the next round")).to_be_hidden()
    ada.settles()
    page.mouse.click(5, 500)  # no field and no button has the focus
    page.keyboard.press("Shift+Enter")
    for watched in (page, small):
        watched.get_by_text("Decision gate of round 2").wait_for(timeout=60_000)
    page.reload()
    gate(page)
    expect(page.get_by_text("Round 2", exact=True).first).to_be_visible()
    expect(page.get_by_text("Your note: Look at what it costs the visitors.")).to_be_visible()
    page.get_by_role("button", name="Stop and write").last.click()
    page.locator(".vd-steps .done", has_text="Audit").wait_for(timeout=60_000)
    ada.settles()
    ada.shot("debate-ended")
    page.get_by_role("link", name="Read the deliverable").click()
    expect(page.get_by_text("No model was called")).to_be_visible()
    ada.shot("deliverable-rehearsal")


@pytest.mark.parametrize("look", list(LOOKS))
def test_every_screen_fits_its_window_and_can_be_used_by_everyone(people: People, look: str) -> None:
    person = people(look)
    ended = person.server.put(a_run(id=f"ended-{look}"))
    waits = person.server.put(a_run(id=f"waits-{look}", rounds=2, stage=PhaseName.DECIDE))
    for name, path in (
        ("debate", f"/debate?id={ended}"),
        ("gate", f"/debate?id={waits}"),
        ("coverage", f"/coverage?id={ended}"),
        ("deliverable", f"/deliverable?id={ended}"),
    ):
        page = person.opens(path)
        page.wait_for_timeout(1500)
        person.shot(name)
        assert person.overflow() <= 0, name
        assert person.findings() == [], name


def test_an_open_drawer_and_typed_words_outlive_the_polls(people: People) -> None:
    person = people("1440-light")
    id_ = person.server.put(a_run(id="polled", rounds=2, stage=PhaseName.DECIDE))
    page = person.opens(f"/debate?id={id_}")
    page.get_by_role("button", name="Notes").click()
    field = page.get_by_label("Note for the next round")
    field.press_sequentially("typed over several polls of the bar", delay=150)
    assert field.input_value() == "typed over several polls of the bar"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Open", exact=True).first.click()
    drawer = page.get_by_role("dialog")
    drawer.get_by_text("Steel man", exact=True).wait_for()
    page.wait_for_timeout(7000)
    expect(drawer).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()


def test_what_is_pressed_in_the_note_keeps_it_and_decides_nothing(people: People) -> None:
    person = people("1440-light")
    id_ = person.server.put(a_run(id="noted", rounds=2, stage=PhaseName.DECIDE))
    page = person.opens(f"/debate?id={id_}")
    page.get_by_role("button", name="Notes").click()
    field = page.get_by_label("Note for the next round")
    field.press_sequentially("First line.")
    for keys in ("Control+Enter", "Meta+Enter"):
        field.press(keys)
    page.get_by_text("1 note goes to all agents with the next round.").wait_for()
    field.press("Shift+Enter")  # a new line in the text, outside a field the gate's shortcut
    field.press_sequentially("Second line.")
    page.keyboard.press("Escape")  # at once: before the pause after which typed text is handed over
    expect(field).to_be_hidden()
    page.wait_for_timeout(1500)
    assert person.server.debates().run(id_).rounds[1].decision is None
    page.get_by_role("button", name="Notes (1)").click()
    expect(page.get_by_label("Note for the next round")).to_have_value("First line.\nSecond line.")
    page.keyboard.press("Escape")
    for screen in ("Coverage", "Debate"):
        page.get_by_role("link", name=screen, exact=True).click()
        person.settles()
    assert id_ in page.url
    expect(page.get_by_role("button", name="Notes (1)")).to_be_visible()


def test_on_a_phone_the_gate_leaves_the_page_its_room_and_unfolds(people: People) -> None:
    person = people("390-light")
    page = person.opens(f"/debate?id={person.server.put(a_run(id='small', rounds=2, stage=PhaseName.DECIDE))}")
    gate(page)
    who = person.keyed("gate-rest")
    expect(who).to_be_hidden()
    box = person.keyed("gate").bounding_box()
    assert box
    assert box["height"] < 844 / 3
    page.locator(".vd-fold summary").click()
    expect(who).to_contain_text("Against: Optimizer A")


def test_a_cell_of_the_matrix_is_chosen_by_a_click(people: People) -> None:
    person = people("1440-light")
    page = person.opens(f"/coverage?id={person.server.put(a_run(id='clicked'))}")
    plot = page.locator(".st-key-matrix .nsewdrag")
    plot.wait_for()
    box = plot.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] * 3.5 / 8, box["y"] + box["height"] * 9.5 / 11)
    expect(page.locator(".vd-cellname")).to_have_text("Decision Oscillation, synthesize")


def test_hostile_text_asks_no_other_host_for_anything_even_in_a_drawer(people: People) -> None:
    person = people("1440-light")
    id_ = person.server.put(poisoned(a_run(id="hostile"), 5))
    page = person.opens(f"/debate?id={id_}")
    for role in (Role.OPTIMIZER_A, Role.CHALLENGER):
        person.keyed(f"card-3-{role.value}-open").get_by_role("button").click()
        page.get_by_role("dialog").get_by_text("Claims").wait_for()
        page.wait_for_timeout(400)
        page.keyboard.press("Escape")
    page.get_by_role("button", name="Open", exact=True).first.click()
    page.get_by_role("dialog").get_by_text("Ruling", exact=True).wait_for()
    page.wait_for_timeout(400)
    for screen in ("coverage", "deliverable"):
        person.opens(f"/{screen}?id={id_}")
        page.wait_for_timeout(800)
        assert page.evaluate("document.querySelectorAll('.stMain img, .stMain script, .stMain iframe').length") == 0


def test_the_deliverable_is_taken_away_as_a_file(people: People) -> None:
    person = people("1440-light")
    page = person.opens(f"/deliverable?id={person.server.put(a_run(id='taken'))}")
    for name in ("md", "json"):
        with page.expect_download() as download:
            person.keyed(f"export-{name}").get_by_role("button").first.click()
        assert download.value.suggested_filename.endswith(f"taken.{name}")


def test_each_step_of_the_tour_brings_its_part_into_sight_and_next_stays_put(people: People) -> None:
    person = people("1440-light")
    person.server.put(a_run(id="beside-the-sample"))
    page = person.opens("/library")
    page.get_by_role("button", name="Sample and tour").click()
    seen = []
    for step in STEPS:
        page.locator(".st-key-tour", has_text=step.title).wait_for()
        part = page.locator("[data-tour]")
        expect(part).to_have_count(1)
        expect(part).to_be_in_viewport()
        page.wait_for_timeout(300)
        following = page.get_by_role("button", name="Next")
        if step is not STEPS[-1]:
            box = following.bounding_box()
            assert box
            seen.append((round(box["x"]), round(box["y"])))
            following.click()
    assert len(set(seen)) == 1
    expect(page.get_by_role("button", name="Done, ask my own question")).to_be_in_viewport()
