"""Keep by which version of the analyzer each catalog's tokens were made."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002_pre"
down_revision = "0001_pre"
branch_labels = None
depends_on = None


def upgrade() -> None:
    # the default speaks for the catalogs that are there, and for programs that do not know the column
    column = sa.Column("analyzer", sa.Integer, nullable=False, server_default=sa.text("1"))
    op.add_column("catalogs", column)
