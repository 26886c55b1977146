"""New debate, Library, Calls and Settings in a real browser: their main paths, wide and narrow, light and dark."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser.conftest import Person, Server, serving
from tests.builders import a_run
from tests.hostile import CASES
from vada.models.debate import Lineage

People = Callable[[str], Person]
QUESTION = "Should nine engineers and one database expert split their monolith this year?"


def asks(person: Person, question: str) -> None:
    """Type a question on New debate."""
    person.keyed("n.question").locator("textarea").fill(question)


def ended(page: Page) -> Locator:
    """The badge of a debate that came to its end."""
    return page.locator(".stMarkdownBadge", has_text=re.compile("Clean|Revised|Unconverged")).first


# From a question to a deliverable.


def test_a_question_runs_to_a_deliverable_labelled_rehearsal_and_all_see_the_same(people: People) -> None:
    ada = people("1440-light")
    page = ada.opens("/new")
    asks(ada, QUESTION)
    page.get_by_role("radio", name="Autopilot").click()
    page.get_by_role("button", name="Start rehearsal").click()
    page.wait_for_url(re.compile(r"/debate\?id="))
    ended(page).wait_for(timeout=120_000)
    state = ended(page).inner_text()
    page.reload()
    expect(ended(page)).to_have_text(state)
    expect(page.get_by_role("heading", name=QUESTION)).to_be_visible()
    ada.shot("debate-ended")
    ben = people("390-dark")
    ben.opens(page.url.removeprefix(ada.server.url))
    expect(ended(ben.page)).to_have_text(state)
    expect(ben.page.get_by_text("Rehearsal, no model is called")).to_be_visible()
    ben.opens(page.url.removeprefix(ada.server.url).replace("/debate", "/deliverable"))
    expect(ben.page.get_by_text("No model was called: every reply was made offline by rules.")).to_be_visible()
    ben.shot("deliverable-ended")


def test_a_double_click_starts_one_debate(people: People) -> None:
    ada = people("1440-light")
    page = ada.opens("/new")
    question = "Does a second press of the same button begin a second debate?"
    asks(ada, question)
    page.get_by_role("button", name="Start rehearsal").dblclick()
    page.wait_for_url(re.compile(r"/debate\?id="))
    ada.settles()
    assert [row.question for row in ada.server.debates().list(text=question)] == [question]


def test_the_keyboard_starts_a_debate_from_within_the_question(people: People) -> None:
    ada = people("1440-dark")
    page = ada.opens("/new")
    question = "May a person who types stay with both hands on the keyboard?"
    asks(ada, question)
    page.keyboard.press("Control+Enter")
    page.wait_for_url(re.compile(r"/debate\?id="))
    assert [row.question for row in ada.server.debates().list(text=question)] == [question]


# New debate.


def test_new_debate_empty(person: Person) -> None:
    page = person.opens("/new")
    expect(page.get_by_text("This will be a rehearsal.")).to_be_visible()
    expect(page.get_by_role("button", name="Start rehearsal")).to_be_in_viewport()
    expect(page.get_by_text(re.compile(r"\d+–\d+ calls"))).to_be_in_viewport()
    person.shot("new-empty")
    assert person.overflow() <= 0
    assert person.findings() == []


def test_new_debate_filled_in_and_refused(person: Person) -> None:
    page = person.opens("/new")
    page.get_by_role("button", name="Start rehearsal").click()
    expect(page.get_by_text("There is no question yet.").first).to_be_visible()
    expect(page.get_by_text("Not started.")).to_be_in_viewport()
    person.shot("new-refused")
    page.get_by_placeholder("Add a constraint").fill("At most 400 words")
    page.get_by_placeholder("Add a constraint").press("Enter")
    expect(page.get_by_text("Counted by code: at most 400 words")).to_be_visible()
    asks(person, QUESTION)
    expect(page.get_by_text("There is no question yet.")).to_have_count(0)
    page.get_by_text("Edit dimensions and weights").click()
    page.get_by_text("Models and expertise of each role").click()
    page.get_by_role("textbox", name="Expertise of Optimizer B").wait_for()
    person.shot("new-filled")
    assert person.overflow() <= 0
    assert person.findings() == []


def test_what_is_being_typed_outlives_a_reload_though_the_field_was_never_left(people: People) -> None:
    ada = people("1440-light")
    page = ada.opens("/new")
    field = ada.keyed("n.question").locator("textarea")
    field.click()
    page.keyboard.type("Half a question that", delay=20)
    page.wait_for_timeout(2000)
    expect(field).to_be_focused()
    page.keyboard.type(" goes on", delay=20)
    page.wait_for_timeout(2000)
    expect(field).to_have_value("Half a question that goes on")
    page.reload()
    expect(ada.keyed("n.question").locator("textarea")).to_have_value("Half a question that goes on")


def test_what_was_typed_outlives_a_visit_to_another_screen(people: People) -> None:
    ada = people("1440-light")
    page = ada.opens("/new")
    asks(ada, QUESTION)
    page.get_by_role("link", name="Settings", exact=True).click(delay=80)  # as long as a person presses
    page.get_by_role("heading", name="Settings").wait_for()
    page.get_by_role("link", name="New debate", exact=True).click(delay=80)
    expect(ada.keyed("n.question").locator("textarea")).to_have_value(QUESTION)


# Library.


@pytest.fixture(scope="module")
def shelf(server: Server, finished: str) -> str:
    """The finished debate with a fork, and some others; returns its id."""
    questions = ["Do we move the clinic's records?", "Two seniors or four juniors?", *(c.text for c in CASES[:6])]
    for i, question in enumerate(questions):
        run = a_run(rounds=1 + i % 3)
        config = run.config.model_copy(update={"question": question})
        server.put(run.model_copy(update={"id": f"other{i}", "config": config}))
    run = a_run(rounds=2)
    lineage = Lineage(parent=finished, round=1, reason="forked", locked_key="split", locked_value="yes")
    config = run.config.model_copy(update={"lineage": lineage})
    server.put(run.model_copy(update={"id": "branch", "config": config}))
    return finished


def test_library_finds_compares_and_keeps_its_filters_in_the_address(person: Person, shelf: str) -> None:
    page = person.opens("/library")
    expect(page.get_by_text("Do we move the clinic's records?")).to_be_visible()
    person.shot("library")
    assert person.overflow() <= 0
    assert person.findings() == []
    page.get_by_placeholder("Words of").fill("clinic")
    expect(page.get_by_text("1 debate found")).to_be_visible()
    page.wait_for_url(re.compile("q=clinic"))
    page.reload()
    expect(page.get_by_text("1 debate found")).to_be_visible()
    person.opens(f"/library?compare={shelf}&compare=branch")
    expect(page.get_by_role("heading", name="Compared")).to_be_visible()
    expect(page.get_by_text("Failure modes", exact=True)).to_be_visible()
    person.shot("library-compared")
    assert person.overflow() <= 0
    assert person.findings() == []


def test_library_shows_forks_below_their_parent(person: Person, shelf: str) -> None:
    page = person.opens("/library?view=Family+tree")
    expect(page.get_by_text("fork after round 1")).to_be_visible()
    person.shot("library-tree")
    assert person.overflow() <= 0


def test_a_deleted_debate_comes_back_by_undo(people: People, shelf: str) -> None:
    ada = people("1440-light")
    page = ada.opens("/library?q=juniors")
    page.get_by_role("button", name="More").first.click()
    ada.keyed("delete.other1").get_by_role("button").click()
    expect(page.get_by_text("Two seniors or four juniors?")).to_have_count(0)
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Two seniors or four juniors?")).to_be_visible()


def test_an_exported_record_is_a_file_that_can_be_imported(
    people: People, chromium: Browser, shelf: str, tmp_path: Path
) -> None:
    ada = people("1440-light")
    page = ada.opens("/library?q=Django")
    page.get_by_role("button", name="More").first.click()
    with page.expect_download() as coming:
        page.get_by_role("button", name="Export the record").first.click()
    file = tmp_path / coming.value.suggested_filename
    coming.value.save_as(file)
    with serving(tmp_path) as elsewhere:
        there = chromium.new_page()
        there.goto(elsewhere.url + "/library")
        there.get_by_role("button", name="Import").click()
        there.locator('input[type="file"]').set_input_files(file)
        expect(there.get_by_role("link", name="Imported. Open it")).to_be_visible()
        there.close()
        assert [row.id for row in elsewhere.debates().list()] == [shelf]


def test_replay_moves_through_a_debate(person: Person, shelf: str) -> None:
    page = person.opens(f"/library?replay={shelf}")
    expect(page.get_by_text("Round 1: prepare begins.")).to_be_visible()
    page.get_by_role("slider").press("End")
    expect(page.get_by_text("The debate ends:")).to_be_visible()
    expect(page.get_by_role("heading", name="Challenge register")).to_be_visible()
    person.shot("replay")
    assert person.overflow() <= 0
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_text("4 of")).to_be_visible()
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("button", name="All debates").click()
    expect(page.get_by_role("heading", name="Library")).to_be_visible()


# Calls.


def test_calls_show_the_time_line_and_a_prompt_by_its_parts(person: Person, finished: str) -> None:
    page = person.opens(f"/calls?id={finished}")
    person.keyed("time.line").locator(".nsewdrag").first.wait_for()
    for part in ("Shared", "Posture", "Horizon", "Round", "Anchor"):
        expect(page.locator(".vada-part b", has_text=part)).to_be_visible()
    expect(page.get_by_text("CRITICAL REMINDER:").first).to_be_visible()
    person.shot("calls")
    assert person.overflow() <= 0
    assert person.findings() == []
    page.get_by_role("tab", name="Reply").click()
    expect(page.get_by_text('"weakness"').first).to_be_visible()
    page.get_by_role("tab", name="Table").click()
    person.shot("calls-table")


def test_a_bar_of_the_time_line_opens_its_call(people: People, finished: str) -> None:
    ada = people("1440-light")
    page = ada.opens(f"/calls?id={finished}")
    line = ada.keyed("time.line")
    line.locator(".nsewdrag").first.wait_for()
    before = page.url
    line.locator(".bars .point").last.click(force=True)
    page.wait_for_url(lambda url: url != before and "call=" in url)


# Settings.


def test_settings_say_what_is_set_up_and_check_it_live(person: Person) -> None:
    page = person.opens("/settings")
    expect(page.get_by_text("ANTHROPIC_API_KEY is not set").first).to_be_visible()
    page.get_by_role("button", name="Check all").click()
    expect(page.get_by_text("Cannot be used")).to_be_visible()
    expect(page.get_by_text("It answers in")).to_be_visible()
    page.mouse.move(5, 500)
    person.shot("settings")
    assert person.overflow() <= 0
    assert person.findings() == []
    page.get_by_role("tab", name="Panels and prices").click()
    expect(page.get_by_role("heading", name="Prices")).to_be_visible()
    person.shot("settings-panels")


# Cold.


def test_a_cold_deep_link_meets_the_sign_in(chromium: Browser, tmp_path: Path) -> None:
    """The very first request of a server goes straight to a screen: the router must still stand before it."""
    secrets = tmp_path / ".streamlit" / "secrets.toml"
    secrets.parent.mkdir()
    secrets.write_text('[auth]\nclient_id = "x"\nclient_secret = "y"\ncookie_secret = "z"\nredirect_uri = "r"\n')
    with serving(tmp_path) as cold:
        page = chromium.new_page()
        page.goto(f"{cold.url}/library")
        expect(page.get_by_role("button", name="Sign in")).to_be_visible(timeout=30_000)
        expect(page.get_by_text("No debates yet")).to_have_count(0)
        page.close()


def test_what_opens_over_a_dark_page_has_the_colours_of_a_dark_page(people: People) -> None:
    ada = people("1440-dark")
    page = ada.opens("/new")
    ada.keyed("assumptions").get_by_role("button").click()
    said = page.get_by_text("Retries are not counted")
    expect(said).to_be_visible()
    expect(said).to_have_css("color", "rgb(154, 163, 181)")
