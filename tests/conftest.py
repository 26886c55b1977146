"""What every test stands on: a data folder of its own, no key in the environment, and the record on both databases."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import postgres
from vada.store import Database

_KEYS = ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL")


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh VADA_HOME; every other VADA_ variable and every key is gone."""
    for name in (*_KEYS, *(n for n in os.environ if n.startswith("VADA_"))):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "home"
    monkeypatch.setenv("VADA_HOME", str(folder))
    monkeypatch.setenv("VADA_REHEARSAL_SPEED", "0")
    return folder


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """A PostgreSQL server of this test session; skipped where it is not installed, except in CI."""
    found = postgres.binaries()
    if found is None:
        reason = "PostgreSQL's initdb and pg_ctl are not installed"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    server = postgres.Server(found)
    yield server
    server.stop()


@pytest.fixture
def postgres_url(postgres_server: postgres.Server) -> str:
    """The address of an empty PostgreSQL database."""
    return postgres_server.database()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.postgres)])
def database_url(request: pytest.FixtureRequest, home: Path) -> str:
    """The address of an empty database, once for each kind."""
    if request.param == "postgres":
        url: str = request.getfixturevalue("postgres_url")
        return url
    return f"sqlite:///{home / 'vada.db'}"


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    """The record, open and empty, once for each kind of database."""
    opened = Database.open(database_url)
    yield opened
    opened.close()
