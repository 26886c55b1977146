"""New debate, Library, Calls and Settings in a real browser: their main paths, wide and narrow, light and dark."""

from tests.browser.conftest import Person


def test_settings_say_what_is_set_up_and_check_it_live(person: Person) -> None:
    page = person.opens("/settings")
    page.get_by_text("ANTHROPIC_API_KEY is not set").wait_for()
    person.shot("settings")
    assert person.overflow() <= 0
