"""The server as a pytest fixture: `from tests.fake_messages.fixture import fake_server`."""

from collections.abc import Iterator

import pytest

from tests.fake_messages.server import Server


@pytest.fixture
def fake_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A running server that the endpoint `anthropic` points to, with a key in the environment."""
    with Server() as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
        yield server


KEY = "sk-test-0123456789-never-in-a-record"
