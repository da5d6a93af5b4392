"""One statement claims a job on both databases."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy.dialects import postgresql, sqlite

from pipeline.domain import Scope
from pipeline.storage.claims import claim_statement

if TYPE_CHECKING:
    from sqlalchemy.engine import Dialect

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def compiled(dialect: Dialect) -> str:
    statement = claim_statement(
        owner="me",
        moment=NOON,
        lease_until=NOON + timedelta(seconds=30),
        max_claims=5,
        kinds=["ingest"],
        scope=Scope("slack", "T", "C"),
    )
    return " ".join(str(statement.compile(dialect=dialect)).split())


def test_postgresql_skips_what_another_worker_is_about_to_take() -> None:
    sql = compiled(postgresql.dialect())  # type: ignore[no-untyped-call] # SQLAlchemy leaves it so
    assert sql.startswith("UPDATE jobs SET ")
    assert "ORDER BY job.round, job.id LIMIT" in sql
    assert "FOR UPDATE SKIP LOCKED) RETURNING" in sql


def test_sqlite_gets_the_same_statement_without_the_row_lock() -> None:
    sql = compiled(sqlite.dialect())
    assert sql.startswith("UPDATE jobs SET ")
    assert "ORDER BY job.round, job.id LIMIT" in sql
    assert "FOR UPDATE" not in sql


def test_states_are_written_out_so_that_the_partial_indexes_serve() -> None:
    sql = compiled(sqlite.dialect())
    assert "job.state IN ('queued', 'running')" in sql
    assert "other.state = 'running'" in sql
