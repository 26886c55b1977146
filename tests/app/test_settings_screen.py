"""The Settings screen: what is set up, whether it answers, and that it never shows a key."""

import pytest
from streamlit.testing.v1 import AppTest

from tests.app.screens import labels, markup, opened, words
from tests.fake_messages import Gaps, Server, Status
from tests.fake_messages.fixture import KEY, fake_server
from vada.models.vocabulary import Role

__all__ = ["fake_server"]
PAGE = "settings.py"


def everything(screen: AppTest) -> str:
    """All that the server sent to the page, in one text."""
    frames = "".join(frame.value.to_csv() for frame in screen.dataframe)
    return markup(screen) + labels(screen) + frames + str(screen.main) + str(screen.session_state)


def test_without_a_key_it_names_the_variable_to_set() -> None:
    screen = opened(PAGE)
    assert not screen.exception
    assert "ANTHROPIC_API_KEY is not set" in labels(screen)
    assert "inside this program, offline" in words(screen)


def test_a_key_is_said_to_be_there_and_never_shown(fake_server: Server) -> None:
    screen = opened(PAGE)
    assert "ANTHROPIC_API_KEY is set" in labels(screen)
    screen.button(key="check.all").click().run()
    assert "It answers in" in words(screen)
    assert KEY not in everything(screen)


def test_a_key_that_an_endpoint_sends_back_in_an_error_is_not_shown_either(fake_server: Server) -> None:
    fake_server.script(Status(401, f"invalid x-api-key {KEY}"), times=None)
    screen = opened(PAGE)
    screen.toggle(key="check.ask").set_value(True)
    screen.button(key="check.anthropic").click().run()
    assert not screen.exception
    assert KEY not in everything(screen)


def test_what_a_check_found_is_said_kept_and_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with Server(gaps=Gaps(schema="refused", stream="ignored", count=True), models=("qwen3",)) as server:
        monkeypatch.setenv("VADA_ENDPOINTS__DESK__URL", server.url)
        screen = opened(PAGE)
        assert "enforces a schema" in words(screen)
        screen.toggle(key="check.ask").set_value(True)
        screen.button(key="check.desk").click().run()
        assert not screen.exception
        said = words(opened(PAGE))  # another session
    assert "Answered a question: qwen3." in said
    assert "Checked just now." in said
    assert "keeps no schema · calls no tools · does not stream · does not count tokens" in said
    assert "is told the schema, as a check found" in said
    assert "does not stream, as a check found" in said
    assert "no web search, as a check found" in said


def test_the_panel_of_mixed_families_appears_when_a_second_family_was_found(
    fake_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Server(models=("qwen3",), gaps=Gaps(models=True)) as server:
        monkeypatch.setenv("VADA_ENDPOINTS__DESK__URL", server.url)
        screen = opened(PAGE)
        assert "Mixed" not in screen.dataframe[0].value.columns
        assert any("A panel of mixed families appears" in c.value for c in screen.caption)
        server.gaps = Gaps()
        screen.button(key="check.desk").click().run()
    assert "qwen3@desk" in list(screen.dataframe[0].value["Mixed"])
    assert not any("A panel of mixed families appears" in c.value for c in screen.caption)


def test_an_endpoint_that_cannot_be_used_says_why_and_what_to_do() -> None:
    screen = opened(PAGE)
    screen.button(key="check.anthropic").click().run()
    said = words(screen)
    assert "Cannot be used" in said
    assert "Set ANTHROPIC_API_KEY in the environment of the server and start it again." in said


def test_the_rehearsal_answers_without_a_key_or_a_network() -> None:
    screen = opened(PAGE)
    screen.button(key="check.rehearsal").click().run()
    assert "It answers in" in words(screen)
    assert "Cannot be used" not in words(screen)


def test_panels_prices_limits_and_data_stand_there() -> None:
    screen = opened(PAGE)
    panels, prices, limits = (frame.value for frame in screen.dataframe)
    assert list(panels["Role"]) == [role.title for role in Role]
    assert "Rehearsal (default)" in panels.columns
    assert prices["Input"].notna().all()
    assert list(limits["Role"]) == [role.title for role in Role]
    assert "A new debate starts with" in words(screen)
    assert "for ever" in words(screen)


def test_who_searches_is_said_and_what_leaves_to_whom(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "nobody searches" in words(opened(PAGE))
    monkeypatch.setenv("VADA_ENDPOINTS__DESK__URL", "http://localhost:9")
    monkeypatch.setenv("VADA_SEARCH_PROVIDER", "ddgs")
    monkeypatch.setenv("VADA_BLOCKED_DOMAINS", '["spam.example"]')
    said = words(opened(PAGE))
    assert "web search by ddgs" in said
    assert "search words, and nothing else, go to DuckDuckGo, Brave and Mojeek" in said
    assert "all but spam.example" in said
    assert "cannot be used" not in said


def test_a_search_provider_without_its_key_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VADA_SEARCH_PROVIDER", "tavily")
    monkeypatch.delenv("TAVILY_API_KEY", raising=False)
    assert "Set TAVILY_API_KEY in the environment of the server" in words(opened(PAGE))
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-never-shown")
    screen = opened(PAGE)
    assert "cannot be used" not in words(screen)
    assert "tvly-never-shown" not in everything(screen)


def test_a_secret_header_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VADA_ENDPOINTS__LOCAL__URL", "http://localhost:9")
    monkeypatch.setenv("VADA_ENDPOINTS__LOCAL__HEADERS", '{"Authorization": "Bearer ${LOCAL_TOKEN}"}')
    monkeypatch.setenv("LOCAL_TOKEN", "tok-never-shown")
    screen = opened(PAGE)
    assert "local" in words(screen)
    assert "tok-never-shown" not in everything(screen)


def test_the_name_for_decisions_is_kept_for_the_session() -> None:
    screen = opened(PAGE)
    screen.text_input(key="person_name").set_value("Ada").run()
    screen.switch_page("library.py").run()
    screen.switch_page(PAGE).run()
    assert screen.text_input(key="person_name").value == "Ada"


def test_unusable_settings_are_explained_on_every_screen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VADA_DEFENDERS", "many")
    screen = opened(PAGE)
    assert not screen.exception
    assert "VADA_DEFENDERS" in words(screen)
