"""The tables of the database: what is current, what is to be done, and what was said."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from sqlalchemy import (
    JSON,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    text,
)

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

REVISION: Final = "0004_pre"
"""The newest migration: a database that has it has these tables."""


class Timestamp(TypeDecorator[datetime]):
    """A moment in UTC; SQLite keeps no time zone, so it is put back on the way out."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a moment without a time zone cannot be stored")
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class Prose(TypeDecorator[str]):
    """What people and models write, without the two things a database refuses: NUL and lone surrogates."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        if value is None:
            return None
        return value.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


# SQLite can only alter a constraint that has a name, so every one gets its name by rule
METADATA = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

# the counter outlives the index, so that no generation's number is ever given twice
channels = Table(
    "channels",
    METADATA,
    Column("scope_key", Text, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("last_generation", Integer, nullable=False),
)

catalogs = Table(
    "catalogs",
    METADATA,
    Column("scope_key", Text, ForeignKey("channels.scope_key"), primary_key=True),
    Column("generation", Integer, primary_key=True, autoincrement=False),
    Column("embedder", Text, nullable=False),
    Column("dimension", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("created_at", Timestamp, nullable=False),
    # a program that knows of no versions has the first
    Column("analyzer", Integer, nullable=False, server_default=text("1")),
    Column("reading", Integer, nullable=False, server_default=text("1")),
    Index(
        "uq_catalogs_current",
        "scope_key",
        unique=True,
        sqlite_where=text("state = 'current'"),
        postgresql_where=text("state = 'current'"),
    ),
)

threads = Table(
    "threads",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("scope_key", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("summary", Prose, nullable=False),
    Column("version", Integer, nullable=False),
    # ids of the documents that the summary came from; a program that does not know the column leaves none
    Column("documents", JSON),
    UniqueConstraint("scope_key", "thread"),
    sqlite_autoincrement=True,
)

turns = Table(
    "turns",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("thread_id", Integer, ForeignKey("threads.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("question", Prose, nullable=False),
    Column("answer", Prose, nullable=False),
    Column("reason", Text),
    Column("response", JSON, nullable=False),
    Column("created_at", Timestamp, nullable=False),
    # the message that asked, as its platform calls it; none on the command line
    Column("question_key", Text, index=True),
    # a button under an old reply carries this number: it must never come to mean another turn
    sqlite_autoincrement=True,
)

feedback = Table(
    "feedback",
    METADATA,
    Column("turn_id", Integer, ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("user", Text, primary_key=True),
    Column("verdict", Text, nullable=False),
    Column("note", Prose),
    Column("created_at", Timestamp, nullable=False),
)

seen_events = Table(
    "seen_events",
    METADATA,
    Column("key", Text, primary_key=True),
    Column("seen_at", Timestamp, nullable=False, index=True),
)

# what came from a chat platform: it is answered or indexed by one replica, and again if that one dies
ledger = Table(
    "ledger",
    METADATA,
    Column("scope_key", Text, primary_key=True),
    Column("kind", Text, primary_key=True),
    Column("id", Text, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("platform", Text, nullable=False),
    Column("workspace", Text, nullable=False),
    Column("thread", Text, nullable=False),
    Column("author", Text, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("messages", JSON, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("state", Text, nullable=False),
    Column("owner", Text),
    Column("lease_until", Timestamp),
    Column("at", Timestamp, nullable=False),
    Index(None, "scope_key", "thread", "author"),
    Index(None, "state", "platform"),
)

preferences = Table(
    "preferences",
    METADATA,
    Column("scope_key", Text, primary_key=True),
    Column("scope", Text, nullable=False),
    Column("values", JSON, nullable=False),
)

vault = Table(
    "vault",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("stored_at", Timestamp, nullable=False),
)

_OPEN = text("state IN ('queued', 'running')")
_RUNNING = text("state = 'running'")

jobs = Table(
    "jobs",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("scope_key", Text, nullable=False),
    Column("scope", Text, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("dedupe_key", Text),
    Column("state", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("round", Integer, nullable=False),
    Column("run_at", Timestamp, nullable=False),
    Column("owner", Text),
    Column("lease_until", Timestamp),
    Column("reason", Text),
    Column("message", Prose),
    Column("created_at", Timestamp, nullable=False),
    Column("finished_at", Timestamp),
    Column("waiting_since", Timestamp),
    Index(
        "uq_jobs_dedupe",
        "scope_key",
        "kind",
        "dedupe_key",
        unique=True,
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    ),
    Index("uq_jobs_running", "scope_key", unique=True, sqlite_where=_RUNNING, postgresql_where=_RUNNING),
    Index("ix_jobs_line", "round", "id", sqlite_where=_OPEN, postgresql_where=_OPEN),
    Index("ix_jobs_channel", "scope_key", "round", sqlite_where=_OPEN, postgresql_where=_OPEN),
    Index("ix_jobs_ledger", "scope_key", "kind", "dedupe_key"),
    sqlite_autoincrement=True,
)
