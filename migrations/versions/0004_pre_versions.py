"""Keep since when jobs wait for an outage to end, what read the files, and where memories come from."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004_pre"
down_revision = "0003_pre"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("jobs", sa.Column("waiting_since", sa.DateTime(timezone=True)))
    # the default speaks for the catalogs that are there, and for programs that do not know the column
    op.add_column("catalogs", sa.Column("reading", sa.Integer, nullable=False, server_default=sa.text("1")))
    op.add_column("threads", sa.Column("documents", sa.JSON))
