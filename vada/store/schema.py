"""The tables of the record, once, for SQLite and PostgreSQL alike. Never a query; migrations make what is named here.

Everything with structure is canonical JSON in a text column (`chain.canonical`), so that both databases keep the same
bytes and a hash over them means the same everywhere.
"""

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    text,
)

HEAD = "0002"
"""The newest migration; a test asserts that it is."""

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def _debate() -> Column[str]:
    return Column("debate", String(32), ForeignKey("debates.id", ondelete="CASCADE"), nullable=False)


debates = Table(
    "debates",
    metadata,
    Column("id", String(32), primary_key=True),
    Column("question", Text, nullable=False),
    Column("search", Text, nullable=False),  # casefolded question: what the library searches
    Column("state", String(16), nullable=False, index=True),
    Column("config", Text, nullable=False),
    Column("pack", String(64), nullable=False),
    Column("rehearsal", Boolean, nullable=False),
    Column("parent", String(32), nullable=True, index=True),
    Column("parent_round", Integer, nullable=True),
    Column("created_at", String(40), nullable=False, index=True),
    Column("updated_at", String(40), nullable=False),
    Column("dollars", Float, nullable=True),  # NULL: a price is unknown
    Column("score", Float, nullable=True),
    Column("rounds", Integer, nullable=False, server_default="0"),
    Column("version", Integer, nullable=False, server_default="0"),  # events so far
    Column("head", String(64), nullable=False, server_default=""),  # hash of the last event
    Column("due", String(8), nullable=False, server_default=""),  # `r2`, `end`, or nothing for the engine to do
    Column("generation", Integer, nullable=False, server_default="1"),  # of the workflow that is due
    Column("holder", String(40), nullable=False, server_default=""),  # the execution that may write events
    Column("cancelled_by", Text, nullable=False, server_default=""),  # who stopped it at once
    Column("finish_by", Text, nullable=False, server_default=""),  # who asked to end it after what is running
    Column("deleted_at", String(40), nullable=True),
    Column("beside", Boolean, nullable=False, server_default=false()),  # one model is to be asked once
    Column("beside_generation", Integer, nullable=False, server_default="0"),  # of the workflow that does it
    Index("ix_debates_beside", "beside", sqlite_where=text("beside"), postgresql_where=text("beside")),
    Index("ix_debates_due", "due", sqlite_where=text("due <> ''"), postgresql_where=text("due <> ''")),
)

events = Table(
    "events",
    metadata,
    _debate(),
    Column("seq", Integer, nullable=False),
    Column("key", String(200), nullable=False),
    Column("at", String(40), nullable=False),
    Column("kind", String(32), nullable=False),
    Column("round", Integer, nullable=False),
    Column("phase", String(32), nullable=True),
    Column("payload", Text, nullable=False),
    Column("prev", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    PrimaryKeyConstraint("debate", "seq"),
    UniqueConstraint("debate", "key"),
)

calls = Table(
    "calls",
    metadata,
    _debate(),
    Column("id", String(64), nullable=False),
    Column("slot", String(80), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("started_at", String(40), nullable=False),
    Column("spent", Boolean, nullable=False, server_default=false()),  # its slot gave up: what a retry asks again
    Column("broken", Boolean, nullable=False, server_default=false()),  # cut off from our side before it ended
    Column("superseded", Boolean, nullable=False, server_default=false()),  # kept, but another stands in its place
    Column("reused", Boolean, nullable=False, server_default=false()),  # the parent's, not paid here
    Column("body", Text, nullable=False),
    PrimaryKeyConstraint("debate", "id"),
    Index(
        "uq_calls_standing",
        "debate",
        "slot",
        "attempt",
        unique=True,
        sqlite_where=text("NOT superseded"),
        postgresql_where=text("NOT superseded"),
    ),
)

partials = Table(
    "partials",
    metadata,
    _debate(),
    Column("slot", String(80), nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("text", Text, nullable=False),
    PrimaryKeyConstraint("debate", "slot"),
)

gates = Table(
    "gates",
    metadata,
    _debate(),
    Column("round", Integer, nullable=False),
    Column("verdict", Text, nullable=False),
    Column("opened_at", String(40), nullable=False),
    Column("action", String(16), nullable=True),
    Column("decision", Text, nullable=True),
    Column("decided_by", Text, nullable=True),
    Column("decided_at", String(40), nullable=True),
    PrimaryKeyConstraint("debate", "round"),
)

presets = Table(
    "presets", metadata, Column("name", String(200), primary_key=True), Column("data", Text, nullable=False)
)

meta = Table("meta", metadata, Column("key", String(200), primary_key=True), Column("value", Text, nullable=False))

workers = Table(
    "workers",
    metadata,
    Column("id", String(200), primary_key=True),
    Column("started_at", String(40), nullable=False),
    Column("beat", Float, nullable=False),  # seconds since 1970, by the database's clock
)
