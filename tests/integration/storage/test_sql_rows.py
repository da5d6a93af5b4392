"""Single queries take the short way, and see the same database."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, table, text

from pipeline.errors import StorageError
from pipeline.storage.schema import threads
from pipeline.storage.sql import Database

if TYPE_CHECKING:
    from pathlib import Path

SUMMARIES = select(threads.c.summary).order_by(threads.c.id)


async def add(database: Database, thread: str, summary: str) -> None:
    async with database.write() as connection:
        await connection.execute(
            threads.insert().values(scope_key="s", thread=thread, summary=summary, version=0)
        )


async def test_a_query_sees_what_was_committed_a_moment_ago(database: Database) -> None:
    for number in range(5):
        await add(database, f"t{number}", f"summary {number}")

        assert [row.summary for row in await database.rows(SUMMARIES)][-1] == f"summary {number}"


async def test_a_query_neither_waits_for_a_writer_nor_sees_what_it_may_still_take_back(
    database: Database,
) -> None:
    async with database.write() as connection:
        await connection.execute(
            threads.insert().values(scope_key="s", thread="t", summary="written", version=0)
        )
        meanwhile = await database.rows(SUMMARIES)

    assert meanwhile == []
    assert [row.summary for row in await database.rows(SUMMARIES)] == ["written"]


async def test_many_queries_at_once_are_all_answered(database: Database) -> None:
    await add(database, "t", "here")
    found = await asyncio.gather(*(database.rows(SUMMARIES) for _ in range(100)))

    assert {row.summary for rows in found for row in rows} == {"here"}


async def test_a_query_that_fails_is_told_in_a_sentence_and_hurts_no_later_one(database: Database) -> None:
    with pytest.raises(StorageError, match="footnote doctor"):
        await database.rows(select(text("1")).select_from(table("nowhere")))

    assert await database.rows(SUMMARIES) == []


async def test_a_closed_sqlite_database_leaves_no_log_beside_its_file(tmp_path: Path) -> None:
    database = await Database.connect(f"sqlite+aiosqlite:///{tmp_path}/footnote.sqlite3")
    await database.upgrade()
    await add(database, "t", "here")
    await database.rows(SUMMARIES)
    await database.close()

    assert [path.name for path in tmp_path.iterdir()] == ["footnote.sqlite3"]
