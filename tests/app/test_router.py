"""Every screen is reached through the router: with its navigation, and with the sign-in before it where one is set."""

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import links
from tests.app.screens import ROUTER, opened
from tests.builders import a_run
from tests.recorded import put

FILES = [place.file for place in links.PAGES.values()]


def test_streamlit_finds_no_pages_of_its_own_beside_the_script() -> None:
    """A folder `pages` beside the script would be served without the router, and so without the sign-in."""
    assert not (ROUTER.parent / "pages").exists()
    app = (ROUTER.parents[1] / "app.py").read_text(encoding="utf-8")
    assert 'st.App("pages/router.py"' in app


def test_every_screen_is_there() -> None:
    assert links.existing() == links.PAGES


@pytest.mark.parametrize("file", FILES)
def test_every_screen_opens_without_a_debate_and_without_a_key(file: str) -> None:
    assert not opened(file).exception


@pytest.mark.parametrize("file", FILES)
def test_every_screen_opens_with_a_debate(file: str) -> None:
    assert not opened(file, id=put(a_run())).exception


@pytest.mark.parametrize("file", FILES)
def test_no_screen_shows_anything_before_the_sign_in(file: str) -> None:
    id_ = put(a_run())
    screen = AppTest.from_file(str(ROUTER), default_timeout=30)
    screen.secrets["auth"] = {"client_id": "x", "client_secret": "y", "server_metadata_url": "z", "redirect_uri": "r"}
    screen.query_params["id"] = id_
    screen.run()
    screen.switch_page(file).run()
    assert not screen.exception
    assert [b.label for b in screen.button] == ["Sign in"]
    assert [t.value for t in screen.title] == ["Vāda"]
    assert "billing" not in str(screen.main)


def test_the_bare_address_leads_to_the_first_screen_with_its_query() -> None:
    screen = AppTest.from_file(str(ROUTER), default_timeout=30)
    screen.query_params["like"] = put(a_run())
    screen.run()
    assert screen.title[0].value == "New debate"
    assert screen.text_area(key="n.question").value == a_run().config.question
