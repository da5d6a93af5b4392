"""Keep what chat platforms need: questions and files under way, channels' preferences, and secrets."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003_pre"
down_revision = "0002_pre"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    # turns that a program without the column adds belong to no message, as those on the command line do
    op.add_column("turns", sa.Column("question_key", sa.Text))
    op.create_index("ix_turns_question_key", "turns", ["question_key"])
    _create_ledger()
    op.create_table(
        "preferences",
        sa.Column("scope_key", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("values", sa.JSON, nullable=False),
        sa.PrimaryKeyConstraint("scope_key", name="pk_preferences"),
    )
    op.create_table(
        "vault",
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("sealed", sa.Text, nullable=False),
        sa.Column("stored_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_vault"),
    )


def _create_ledger() -> None:
    op.create_table(
        "ledger",
        sa.Column("scope_key", sa.Text, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("id", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("platform", sa.Text, nullable=False),
        sa.Column("workspace", sa.Text, nullable=False),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("author", sa.Text, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("messages", sa.JSON, nullable=False),
        sa.Column("attempt", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("lease_until", _MOMENT),
        sa.Column("at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("scope_key", "kind", "id", name="pk_ledger"),
    )
    op.create_index("ix_ledger_scope_key_thread_author", "ledger", ["scope_key", "thread", "author"])
    op.create_index("ix_ledger_state_platform", "ledger", ["state", "platform"])
