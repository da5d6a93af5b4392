"""Transactions lose nothing, and a database that fails says so in a sentence."""

from __future__ import annotations

import asyncio
import sqlite3
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select, text, update

from pipeline.errors import StorageError
from pipeline.storage.schema import seen_events, threads
from pipeline.storage.sql import Database

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.postgres import PostgresServer


async def test_the_folder_of_a_new_sqlite_file_is_created(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "footnote.sqlite3"
    database = await Database.connect(f"sqlite+aiosqlite:///{path}")
    await database.close()
    assert path.is_file()
    assert database.embedded


async def test_an_sqlite_database_is_set_up_to_wait_and_to_keep_its_references(sqlite: Database) -> None:
    async with sqlite.read() as connection:
        found = [
            (await connection.execute(text(f"PRAGMA {name}"))).scalar()
            for name in ("journal_mode", "busy_timeout", "synchronous", "foreign_keys")
        ]
    assert found == ["wal", 30000, 1, 1]


async def test_what_was_removed_is_not_left_in_the_sqlite_file(sqlite: Database, tmp_path: Path) -> None:
    async with sqlite.write() as connection:
        await connection.execute(
            threads.insert().values(scope_key="s", thread="t", summary="zebrafish " * 2000, version=0)
        )
    async with sqlite.write() as connection:
        await connection.execute(threads.delete())
    await sqlite.close()
    assert b"zebrafish" not in b"".join(path.read_bytes() for path in tmp_path.glob("footnote.sqlite3*"))


async def test_increments_by_ten_tasks_at_once_are_all_kept(database: Database) -> None:
    async with database.write() as connection:
        await connection.execute(threads.insert().values(scope_key="s", thread="t", summary="", version=0))

    async def count_up() -> None:
        for _ in range(20):
            async with database.write() as connection:
                query = select(threads.c.version).with_for_update()
                version = (await connection.execute(query)).scalar_one()
                await connection.execute(update(threads).values(version=version + 1))

    await asyncio.gather(*(count_up() for _ in range(10)))
    async with database.read() as connection:
        assert (await connection.execute(select(threads.c.version))).scalar() == 200


async def test_two_programs_write_one_sqlite_file_and_lose_nothing(sqlite: Database, tmp_path: Path) -> None:
    other = await Database.connect(f"sqlite+aiosqlite:///{tmp_path}/footnote.sqlite3")
    async with sqlite.write() as connection:
        await connection.execute(threads.insert().values(scope_key="s", thread="t", summary="", version=0))

    async def count_up(database: Database) -> None:
        for _ in range(25):
            async with database.write() as connection:
                version = (await connection.execute(select(threads.c.version))).scalar_one()
                await connection.execute(update(threads).values(version=version + 1))

    await asyncio.gather(*(count_up(database) for database in (sqlite, other, sqlite, other)))
    async with other.read() as connection:
        assert (await connection.execute(select(threads.c.version))).scalar() == 100
    await other.close()


async def test_a_block_that_raises_changes_nothing(database: Database) -> None:
    moment = datetime(2026, 3, 1, tzinfo=UTC)

    async def begin_and_give_up() -> None:
        async with database.write() as connection:
            await connection.execute(seen_events.insert().values(key="k", seen_at=moment))
            raise LookupError

    with pytest.raises(LookupError):
        await begin_and_give_up()
    async with database.read() as connection:
        assert (await connection.execute(select(seen_events))).all() == []


async def test_a_reader_sees_one_state_while_somebody_writes(sqlite: Database) -> None:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    async with sqlite.read() as reader:
        assert (await reader.execute(select(seen_events))).all() == []
        async with sqlite.write() as connection:
            await connection.execute(seen_events.insert().values(key="k", seen_at=moment))
        assert (await reader.execute(select(seen_events))).all() == []


async def test_a_moment_comes_back_in_utc_whatever_zone_it_was_given_in(database: Database) -> None:
    noon_in_kathmandu = datetime(2026, 3, 1, 12, 0, 0, 123456, timezone(timedelta(hours=5, minutes=45)))
    async with database.write() as connection:
        await connection.execute(seen_events.insert().values(key="k", seen_at=noon_in_kathmandu))
    async with database.read() as connection:
        found = (await connection.execute(select(seen_events.c.seen_at))).scalar_one()
    assert found == noon_in_kathmandu
    assert found.tzinfo is UTC


async def test_cancelled_writes_leave_the_database_usable(database: Database) -> None:
    async def write(number: int) -> None:
        async with database.write() as connection:
            values = {"key": str(number), "seen_at": datetime(2026, 3, 1, tzinfo=UTC)}
            await connection.execute(seen_events.insert().values(values))

    async def write_and_be_cancelled(number: int) -> None:
        # each time at another point of the way
        task = asyncio.create_task(write(number))
        for _ in range(number):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    for number in range(40):
        await write_and_be_cancelled(number)
    await write(100)
    async with database.read() as connection:
        keys = set((await connection.execute(select(seen_events.c.key))).scalars())
    assert "100" in keys


@pytest.mark.parametrize(
    ("url", "complaint"),
    [
        ("not a url", "cannot be read"),
        ("mysql+aiomysql://u:secret@host/name", "not supported"),
        ("sqlite+aiosqlite://", "must be a file"),
        ("sqlite:///:memory:", "must be a file"),
        ("postgresql+psycopg://u:secret@host/name", "not installed"),
    ],
)
async def test_a_url_that_cannot_work_is_refused_with_a_remedy(url: str, complaint: str) -> None:
    with pytest.raises(StorageError, match=complaint) as refusal:
        await Database.connect(url)
    assert "secret" not in str(refusal.value)


async def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("This is not a database.\n" * 100)
    with pytest.raises(StorageError):
        await Database.connect(f"sqlite:///{path}")


async def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError, match="folder"):
        await Database.connect(f"sqlite:///{tmp_path}/file/footnote.sqlite3")


@pytest.mark.parametrize("place", ["127.0.0.1:9/none", "/none?host=/nowhere"])
async def test_a_server_that_does_not_answer_is_refused(place: str) -> None:
    with pytest.raises(StorageError):
        await Database.connect(f"postgresql://footnote:secret@{place}")


async def test_a_database_that_the_server_does_not_have_is_refused(postgres: PostgresServer) -> None:
    with pytest.raises(StorageError):
        await Database.connect(f"postgres://postgres@/absent?host={postgres.folder}")


async def test_what_people_wrote_is_not_in_the_error(database: Database) -> None:
    with pytest.raises(StorageError) as failure:
        async with database.write() as connection:
            await connection.execute(text("INSERT INTO absent VALUES (:words)"), {"words": "private words"})
    assert "private words" not in f"{failure.value} {failure.value.__cause__}"


async def test_a_full_disk_and_a_lock_are_named_with_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "footnote.sqlite3"
    database = await Database.connect(f"sqlite+aiosqlite:///{path}")
    other = sqlite3.connect(path, isolation_level=None)
    try:
        await _execute(database, "CREATE TABLE t (x BLOB)")
        with pytest.raises(StorageError, match="full; make room"):
            await _execute(database, "PRAGMA max_page_count = 3", "INSERT INTO t VALUES (zeroblob(99999))")
        async with database.read() as connection:
            assert (await connection.execute(text("SELECT count(*) FROM t"))).scalar() == 0
            await connection.execute(text("PRAGMA busy_timeout = 1"))
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageError, match="keeps the database locked"):
            await _execute(database, "DELETE FROM t")
    finally:
        other.close()
        await database.close()


async def _execute(database: Database, *statements: str) -> None:
    async with database.write() as connection:
        for statement in statements:
            await connection.execute(text(statement))
