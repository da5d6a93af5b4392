"""Migrations bring any database, empty or older, to the schema that the program speaks."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from sqlalchemy import text

from pipeline.errors import PendingMigrations, StorageError
from pipeline.storage.schema import METADATA, REVISION
from pipeline.storage.sql import Database

if TYPE_CHECKING:
    from pathlib import Path

    from sqlalchemy import Connection

FIRST = "0001_pre"


async def test_an_empty_database_lacks_everything(empty: Database) -> None:
    assert await empty.current() is None
    assert (await empty.pending())[0] == FIRST


async def test_an_upgraded_database_lacks_nothing(empty: Database) -> None:
    missing = await empty.pending()
    await empty.upgrade()
    assert await empty.current() == missing[-1] == REVISION
    assert await empty.pending() == []


async def test_upgrading_twice_changes_nothing(database: Database) -> None:
    before = await database.current()
    async with database.write() as connection:
        await connection.execute(
            text("INSERT INTO seen_events VALUES ('kept', '2026-03-01 12:00:00.000000')")
        )
    await database.upgrade()
    assert await database.current() == before
    async with database.read() as connection:
        assert (await connection.execute(text("SELECT key FROM seen_events"))).scalar() == "kept"


async def test_the_migrated_schema_is_the_one_the_program_speaks(database: Database) -> None:
    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        return list(compare_metadata(context, METADATA))

    async with database.read() as connection:
        assert await connection.run_sync(differences) == []


async def test_several_replicas_may_upgrade_at_once(empty: Database) -> None:
    await asyncio.gather(*(empty.upgrade() for _ in range(4)))
    assert await empty.pending() == []


async def test_several_programs_may_create_one_sqlite_file_at_once(tmp_path: Path) -> None:
    async def start() -> None:
        database = await Database.connect(f"sqlite:///{tmp_path}/data/footnote.sqlite3")
        try:
            await database.prepare()
            assert await database.pending() == []
        finally:
            await database.close()

    await asyncio.gather(*(start() for _ in range(4)))


async def test_an_sqlite_file_is_brought_up_to_date_without_being_asked(tmp_path: Path) -> None:
    database = await Database.connect(f"sqlite:///{tmp_path}/data/footnote.sqlite3")
    await database.prepare()
    await database.prepare()
    assert await database.pending() == []
    await database.close()


async def test_a_server_database_with_pending_migrations_is_refused(empty: Database) -> None:
    if empty.embedded:
        await empty.prepare()
        return
    with pytest.raises(PendingMigrations):
        await empty.prepare()
    await empty.upgrade()
    await empty.prepare()


async def test_a_database_of_a_newer_program_is_refused(empty: Database) -> None:
    await empty.upgrade()
    async with empty.write() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999_pre'"))
    for refused in (empty.pending, empty.upgrade, empty.prepare):
        with pytest.raises(StorageError, match="newer"):
            await refused()


async def test_a_migration_that_fails_leaves_the_database_as_it_was(empty: Database) -> None:
    async with empty.write() as connection:
        await connection.execute(text("CREATE TABLE jobs (id INTEGER)"))
    with pytest.raises(StorageError):
        await empty.upgrade()
    assert await empty.current() is None
    async with empty.write() as connection:
        await connection.execute(text("DROP TABLE jobs"))
    await empty.upgrade()
    assert await empty.pending() == []


async def test_the_migrated_indexes_have_the_conditions_the_program_counts_on(
    sqlite: Database, tmp_path: Path
) -> None:
    query = text("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL ORDER BY name")
    made = await Database.connect(f"sqlite:///{tmp_path}/made.sqlite3")
    async with made.write() as connection:
        await connection.run_sync(METADATA.create_all)
    async with made.read() as declared, sqlite.read() as migrated:
        assert (await migrated.execute(query)).all() == (await declared.execute(query)).all()
    await made.close()
