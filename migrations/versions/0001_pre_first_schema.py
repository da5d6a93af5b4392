"""The first schema.

A name's second part says when to apply a migration: ``pre`` before the new program starts, ``post``
after the last old one has stopped.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001_pre"
down_revision = None
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    _create_catalogs()
    _create_threads()
    _create_jobs()
    op.create_table(
        "seen_events",
        sa.Column("key", sa.Text, nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("key", name="pk_seen_events"),
    )
    op.create_index("ix_seen_events_seen_at", "seen_events", ["seen_at"])


def _create_catalogs() -> None:
    op.create_table(
        "channels",
        sa.Column("scope_key", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("last_generation", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("scope_key", name="pk_channels"),
    )
    op.create_table(
        "catalogs",
        sa.Column("scope_key", sa.Text, nullable=False),
        sa.Column("generation", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("embedder", sa.Text, nullable=False),
        sa.Column("dimension", sa.Integer, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("scope_key", "generation", name="pk_catalogs"),
        sa.ForeignKeyConstraint(["scope_key"], ["channels.scope_key"], name="fk_catalogs_scope_key_channels"),
    )
    _create_index_where("uq_catalogs_current", "catalogs", ["scope_key"], "state = 'current'", unique=True)


def _create_threads() -> None:
    op.create_table(
        "threads",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("scope_key", sa.Text, nullable=False),
        sa.Column("thread", sa.Text, nullable=False),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_threads"),
        sa.UniqueConstraint("scope_key", "thread", name="uq_threads_scope_key_thread"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "turns",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("thread_id", sa.Integer, nullable=False),
        sa.Column("question", sa.Text, nullable=False),
        sa.Column("answer", sa.Text, nullable=False),
        sa.Column("reason", sa.Text),
        sa.Column("response", sa.JSON, nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_turns"),
        sa.ForeignKeyConstraint(
            ["thread_id"], ["threads.id"], name="fk_turns_thread_id_threads", ondelete="CASCADE"
        ),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_turns_thread_id", "turns", ["thread_id"])
    op.create_table(
        "feedback",
        sa.Column("turn_id", sa.Integer, nullable=False),
        sa.Column("user", sa.Text, nullable=False),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("note", sa.Text),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("turn_id", "user", name="pk_feedback"),
        sa.ForeignKeyConstraint(
            ["turn_id"], ["turns.id"], name="fk_feedback_turn_id_turns", ondelete="CASCADE"
        ),
    )


def _create_jobs() -> None:
    op.create_table(
        "jobs",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
        sa.Column("scope_key", sa.Text, nullable=False),
        sa.Column("scope", sa.Text, nullable=False),
        sa.Column("payload", sa.JSON, nullable=False),
        sa.Column("dedupe_key", sa.Text),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("run_at", _MOMENT, nullable=False),
        sa.Column("owner", sa.Text),
        sa.Column("lease_until", _MOMENT),
        sa.Column("reason", sa.Text),
        sa.Column("message", sa.Text),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.Column("finished_at", _MOMENT),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sqlite_autoincrement=True,
    )
    waiting = "state IN ('queued', 'running')"
    _create_index_where("uq_jobs_dedupe", "jobs", ["scope_key", "kind", "dedupe_key"], waiting, unique=True)
    _create_index_where("uq_jobs_running", "jobs", ["scope_key"], "state = 'running'", unique=True)
    _create_index_where("ix_jobs_line", "jobs", ["round", "id"], waiting)
    _create_index_where("ix_jobs_channel", "jobs", ["scope_key", "round"], waiting)
    op.create_index("ix_jobs_ledger", "jobs", ["scope_key", "kind", "dedupe_key"])


def _create_index_where(
    name: str, table: str, columns: list[str], condition: str, *, unique: bool = False
) -> None:
    where = sa.text(condition)
    op.create_index(name, table, columns, unique=unique, sqlite_where=where, postgresql_where=where)
