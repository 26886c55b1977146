"""The first record: debates, events, calls, partials, gates, presets, meta, workers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def _debate() -> sa.Column[str]:
    return sa.Column(
        "debate",
        sa.String(32),
        sa.ForeignKey("debates.id", ondelete="CASCADE"),
        nullable=False,
    )


def upgrade() -> None:
    op.create_table(
        "debates",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("search", sa.Text, nullable=False),
        sa.Column("state", sa.String(16), nullable=False),
        sa.Column("config", sa.Text, nullable=False),
        sa.Column("pack", sa.String(64), nullable=False),
        sa.Column("rehearsal", sa.Boolean, nullable=False),
        sa.Column("parent", sa.String(32), nullable=True),
        sa.Column("parent_round", sa.Integer, nullable=True),
        sa.Column("created_at", sa.String(40), nullable=False),
        sa.Column("updated_at", sa.String(40), nullable=False),
        sa.Column("dollars", sa.Float, nullable=True),
        sa.Column("score", sa.Float, nullable=True),
        sa.Column("rounds", sa.Integer, nullable=False, server_default="0"),
        sa.Column("version", sa.Integer, nullable=False, server_default="0"),
        sa.Column("head", sa.String(64), nullable=False, server_default=""),
        sa.Column("due", sa.String(8), nullable=False, server_default=""),
        sa.Column("generation", sa.Integer, nullable=False, server_default="1"),
        sa.Column("holder", sa.String(40), nullable=False, server_default=""),
        sa.Column("cancelled_by", sa.Text, nullable=False, server_default=""),
        sa.Column("finish_by", sa.Text, nullable=False, server_default=""),
        sa.Column("deleted_at", sa.String(40), nullable=True),
    )
    for column in ("state", "parent", "created_at"):
        op.create_index(f"ix_debates_{column}", "debates", [column])
    is_due = sa.text("due <> ''")
    op.create_index("ix_debates_due", "debates", ["due"], sqlite_where=is_due, postgresql_where=is_due)
    op.create_table(
        "events",
        _debate(),
        sa.Column("seq", sa.Integer, nullable=False),
        sa.Column("key", sa.String(200), nullable=False),
        sa.Column("at", sa.String(40), nullable=False),
        sa.Column("kind", sa.String(32), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("phase", sa.String(32), nullable=True),
        sa.Column("payload", sa.Text, nullable=False),
        sa.Column("prev", sa.String(64), nullable=False),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.PrimaryKeyConstraint("debate", "seq"),
        sa.UniqueConstraint("debate", "key"),
    )
    op.create_table(
        "calls",
        _debate(),
        sa.Column("id", sa.String(64), nullable=False),
        sa.Column("slot", sa.String(80), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("started_at", sa.String(40), nullable=False),
        sa.Column("spent", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("broken", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("superseded", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("reused", sa.Boolean, nullable=False, server_default=sa.false()),
        sa.Column("body", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("debate", "id"),
    )
    stands = sa.text("NOT superseded")
    op.create_index(
        "uq_calls_standing",
        "calls",
        ["debate", "slot", "attempt"],
        unique=True,
        sqlite_where=stands,
        postgresql_where=stands,
    )
    op.create_table(
        "partials",
        _debate(),
        sa.Column("slot", sa.String(80), nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("debate", "slot"),
    )
    op.create_table(
        "gates",
        _debate(),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("opened_at", sa.String(40), nullable=False),
        sa.Column("action", sa.String(16), nullable=True),
        sa.Column("decision", sa.Text, nullable=True),
        sa.Column("decided_by", sa.Text, nullable=True),
        sa.Column("decided_at", sa.String(40), nullable=True),
        sa.PrimaryKeyConstraint("debate", "round"),
    )
    op.create_table(
        "presets",
        sa.Column("name", sa.String(200), primary_key=True),
        sa.Column("data", sa.Text, nullable=False),
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.String(200), primary_key=True),
        sa.Column("value", sa.Text, nullable=False),
    )
    op.create_table(
        "workers",
        sa.Column("id", sa.String(200), primary_key=True),
        sa.Column("started_at", sa.String(40), nullable=False),
        sa.Column("beat", sa.Float, nullable=False),
    )
