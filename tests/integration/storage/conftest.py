"""The databases that everything relational is tested on: SQLite in a file, and PostgreSQL."""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import text

from pipeline.storage.schema import METADATA
from pipeline.storage.sql import Database
from tests.fakes.calendar import FakeCalendar
from tests.fakes.postgres import PostgresServer, running_postgres

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator
    from pathlib import Path


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
async def empty(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Database]:
    """Open a database of each kind in which nothing has been created yet."""
    if request.param == "sqlite":
        async with _opened(f"sqlite+aiosqlite:///{tmp_path}/empty.sqlite3") as opened:
            yield opened
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    async with _opened(await server.find_or_create_database("empty")) as opened:
        async with opened.write() as connection:
            await connection.execute(text("DROP SCHEMA public CASCADE"))
            await connection.execute(text("CREATE SCHEMA public"))
        yield opened


@pytest.fixture
def sqlite_url(tmp_path: Path, migrated_file: Path) -> str:
    """Name an SQLite file with all migrations applied."""
    path = shutil.copy(migrated_file, tmp_path / "footnote.sqlite3")
    return f"sqlite+aiosqlite:///{path}"


@pytest.fixture
async def sqlite(sqlite_url: str) -> AsyncIterator[Database]:
    """Open an SQLite database with all migrations applied and no rows."""
    async with _opened(sqlite_url) as opened:
        yield opened


@pytest.fixture(params=["sqlite", "postgresql"])
async def database(request: pytest.FixtureRequest, sqlite_url: str) -> AsyncIterator[Database]:
    """Open a database of each kind with all migrations applied and no rows."""
    if request.param == "sqlite":
        async with _opened(sqlite_url) as opened:
            yield opened
        return
    server: PostgresServer = request.getfixturevalue("postgres")
    # a database for each test would cost more than all the tests
    async with _opened(await server.find_or_create_database("shared")) as opened:
        await opened.upgrade()
        await _empty(opened)
        yield opened


@pytest.fixture
def calendar() -> FakeCalendar:
    return FakeCalendar()


@asynccontextmanager
async def _opened(url: str) -> AsyncIterator[Database]:
    opened = await Database.connect(url)
    try:
        yield opened
    finally:
        await opened.close()


async def _empty(database: Database) -> None:
    async with database.write() as connection:
        for table in reversed(METADATA.sorted_tables):
            await connection.execute(table.delete())
