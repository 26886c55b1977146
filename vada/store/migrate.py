"""Brings the schema up to date when a database is opened; safe with several processes opening at once."""

from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from vada.errors import SettingsError
from vada.store.schema import HEAD

if TYPE_CHECKING:
    from alembic.config import Config
    from alembic.script import ScriptDirectory

_LOCK = 0x76616461  # "vada": the PostgreSQL advisory lock that migrations are run under


def migrate(engine: Engine) -> None:
    """Run the migrations that are missing. Raises SettingsError when the data is newer than this program."""
    with engine.connect() as connection, connection.begin():
        if revision(connection) == HEAD:
            return
    with engine.connect().execution_options(vada_writes=True, vada_durable=True) as connection, connection.begin():
        if connection.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        upgrade(connection)


def revision(connection: Connection) -> str | None:
    """The migration the data is at; None for an empty database."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    found: str | None = connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    return found


def script() -> "ScriptDirectory":
    """The migrations, for whoever lists them."""
    from alembic.script import ScriptDirectory  # alembic is loaded only where there is something to migrate

    return ScriptDirectory.from_config(_config())


def upgrade(connection: Connection, to: str = "head") -> None:
    """Run the migrations up to one of them. Raises SettingsError when the data is newer than this program."""
    from alembic import command
    from alembic.util.exc import CommandError

    config = _config()
    config.attributes["connection"] = connection
    try:
        command.upgrade(config, to)
    except CommandError as error:
        raise SettingsError(
            f"This data was written by a newer Vāda (its schema is {revision(connection)}, this program knows {HEAD}).",
            next_step="Install the newer version; nothing was changed.",
        ) from error


def _config() -> "Config":
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations").replace("%", "%%"))
    return config
