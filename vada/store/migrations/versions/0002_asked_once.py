"""One model asked once, beside the debate: whether that is owed, and under which workflow."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("debates", sa.Column("beside", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("debates", sa.Column("beside_generation", sa.Integer, nullable=False, server_default="0"))
    owed = sa.text("beside")
    op.create_index("ix_debates_beside", "debates", ["beside"], sqlite_where=owed, postgresql_where=owed)
