"""The sample debate and its tour: offered on a first run only, taken in once, shown until it is closed."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.tour import STEPS
from tests.app.screens import opened, words
from tests.builders import a_run
from tests.recorded import put
from vada.settings import load
from vada.worker import Debates


def offers(screen: AppTest) -> list[str]:
    """The buttons that lead to the sample."""
    return [b.label for b in screen.button if b.key == "sample.see"]


def sampled(page: str = "new_debate.py") -> tuple[AppTest, str]:
    """The screen that the offer of a page leads to, and the sample's id."""
    screen = opened(page)
    screen.button(key="sample.see").click().run()
    debates = Debates.open(load())
    (row,) = debates.list()
    debates.close()
    return screen, row.id


@pytest.mark.parametrize("page", ["new_debate.py", "library.py"])
def test_a_first_run_offers_it_and_no_later_one(page: str) -> None:
    assert offers(opened(page)) == ["See a sample debate"]
    put(a_run())
    assert offers(opened(page)) == []


def test_the_offer_takes_the_sample_in_once_and_brings_a_deleted_one_back() -> None:
    _, id_ = sampled()
    debates = Debates.open(load())
    debates.delete(id_)
    assert sampled("library.py")[1] == id_
    debates.close()


def test_the_tour_goes_forward_and_back_and_stays_closed() -> None:
    _, id_ = sampled()
    screen = opened("debate.py", id=id_)
    assert f"tour 1 of {len(STEPS)} {STEPS[0].title}" in words(screen)
    assert screen.button(key="tour-back").disabled
    screen.button(key="tour-next").click().run()
    assert STEPS[1].title in words(screen)
    screen.button(key="tour-back").click().run()
    assert STEPS[0].title in words(screen)
    screen.button(key="tour-close").click().run()
    assert STEPS[0].title not in words(screen)
    again = opened("debate.py", id=id_)  # another session of the same person
    assert STEPS[0].title not in words(again)
    assert again.button(key="tour-begin").label == "Take the tour"


def test_each_step_has_its_screen_and_the_last_one_stands_beside_the_deliverable() -> None:
    _, id_ = sampled()
    screen = opened("deliverable.py", id=id_)
    screen.session_state["tour"] = len(STEPS) - 1
    screen.run()
    said = words(screen)
    assert STEPS[-1].title in said
    assert "One answer, no debate" in said
    assert screen.button(key="tour-close").label == "Done, ask my own question"


def test_the_library_leads_back_to_the_sample_when_there_are_other_debates() -> None:
    put(a_run())
    screen = opened("library.py")
    assert screen.button(key="sample.again").label == "Sample and tour"
    screen.button(key="sample.again").click().run()
    assert STEPS[0].title in words(screen)


def test_no_other_debate_has_a_tour() -> None:
    screen = opened("debate.py", id=put(a_run()))
    assert not [b for b in screen.button if (b.key or "").startswith("tour")]
