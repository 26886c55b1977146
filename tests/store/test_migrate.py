"""The schema comes up to date by itself: from nothing, from every released version, with several processes at once."""

import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Connection, text

from vada.errors import SettingsError
from vada.store import Database, debates
from vada.store.migrate import revision, script
from vada.store.schema import HEAD, metadata

OPEN = "import sys; from vada.store import Database; Database.open(sys.argv[1]).close()"


def test_the_named_head_is_the_newest_migration() -> None:
    assert script().get_current_head() == HEAD


def test_the_migrations_make_the_tables_that_are_declared(database: Database) -> None:
    def differences(c: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(c), metadata))

    assert database.read(differences) == []
    assert database.read(revision) == HEAD


def test_several_processes_may_open_a_new_database_at_once(database_url: str) -> None:
    opening = [subprocess.Popen([sys.executable, "-c", OPEN, database_url]) for _ in range(5)]
    assert [p.wait(60) for p in opening] == [0] * 5
    opened = Database.open(database_url)
    assert opened.read(debates.listed) == []
    opened.close()


def test_newer_data_is_refused_untouched(database: Database) -> None:
    database.write(lambda c: c.execute(text("UPDATE alembic_version SET version_num = '9999'")))
    with pytest.raises(SettingsError, match="newer"):
        Database.open(database.engine.url.render_as_string(hide_password=False))
    assert database.read(revision) == "9999"


@pytest.mark.parametrize("url", ["mysql://x/y", "sqlite://", "nonsense"])
def test_other_databases_are_refused_saying_what_to_write(url: str) -> None:
    with pytest.raises(SettingsError, match="postgresql://"):
        Database.open(url)


def test_a_folder_that_cannot_be_written_is_said(home: Path) -> None:
    home.parent.joinpath("home").write_text("a file where the folder should be")
    with pytest.raises(SettingsError, match="VADA_HOME"):
        Database.open(f"sqlite:///{home / 'vada.db'}")
