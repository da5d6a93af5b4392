"""The way to the relational database: SQLite in a file, or PostgreSQL for several replicas."""

from __future__ import annotations

import asyncio
import sqlite3
from contextlib import asynccontextmanager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import event, func, select, text
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, IntegrityError, SQLAlchemyError
from sqlalchemy.ext.asyncio import create_async_engine
from sqlalchemy.pool import NullPool

from pipeline.errors import PendingMigrations, StorageError
from pipeline.storage.lookups import Lookups
from pipeline.storage.schema import REVISION

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from sqlalchemy import URL, Connection, Engine, Row, Select, Table
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

_DRIVERS: Final = {
    "sqlite": "sqlite+aiosqlite",
    "postgres": "postgresql+asyncpg",
    "postgresql": "postgresql+asyncpg",
}
_OLDEST_SQLITE: Final = (3, 35)  # the first with RETURNING
_PRAGMAS: Final = (
    # first, for the change to WAL may itself have to wait
    "PRAGMA busy_timeout = 30000",
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    # what people had removed is overwritten, not only unlinked
    "PRAGMA secure_delete = ON",
)
_FAULTS: Final = {
    sqlite3.SQLITE_FULL: "The disk that holds the database is full; make room there and try again.",
    sqlite3.SQLITE_IOERR: "The disk that holds the database fails or is full; mend that and try again.",
    sqlite3.SQLITE_BUSY: "Another program keeps the database locked; wait for it or end it, and try again.",
    sqlite3.SQLITE_READONLY: "The database may not be written; give this user the right to, and try again.",
    sqlite3.SQLITE_CORRUPT: "The database is damaged; restore it from a backup.",
    sqlite3.SQLITE_NOTADB: "The database's file is none of SQLite, or damaged; restore it from a backup.",
}
_MIGRATION_LOCK: Final = 0x466F6F746E6F7465  # "Footnote"; any number that no other program locks


def now() -> datetime:
    """Return the present moment in UTC: the clock that runs where no other is passed in."""
    return datetime.now(UTC)


class Database:
    """Connections to one database, and transactions that lose nothing.

    On SQLite every write transaction begins IMMEDIATE (the driver's own would lose updates silently) and
    takes its turn at one lock: SQLite wakes contending writers unfairly, which costs a second at the 99th
    percentile. Never hold a transaction over a call to a model, and never open a write within a write.
    """

    def __init__(self, url: URL) -> None:
        self._url = url
        self._engine = _engine(url)
        self._reader = self._engine.execution_options(readonly=True)
        self._lookups = Lookups(url, _set_up) if self.embedded else None
        self._turn = asyncio.Lock()

    @classmethod
    async def connect(cls, url: str) -> Database:
        """Open the database at a SQLAlchemy *url*, creating an SQLite file and its folder.

        Raises `StorageError` when it cannot be reached or opened.
        """
        target = _target(url)
        if target.get_backend_name() == "sqlite":
            await asyncio.to_thread(_prepare_file, target)
        database = cls(target)
        try:
            async with database.read() as connection:
                await connection.execute(select(1))
        except BaseException:
            await database.close()
            raise
        return database

    async def close(self) -> None:
        """Close every connection; a process that forgets this may hang at its end."""
        await self._engine.dispose()
        if self._lookups is not None:
            await self._lookups.close()

    @property
    def embedded(self) -> bool:
        """True for an SQLite file, False for a server."""
        return self._url.get_backend_name() == "sqlite"

    @property
    def file(self) -> Path | None:
        """The SQLite file; None for a server."""
        return Path(str(self._url.database)) if self.embedded else None

    async def rows(self, query: Select[Any]) -> Sequence[Row[Any]]:
        """Return all rows of a single query, the quickest way there is. Raises `StorageError`."""
        if self._lookups is None:
            async with self.read() as connection:
                found: Sequence[Row[Any]] = (await connection.execute(query)).all()
                return found
        async with _translated():
            return await self._lookups.rows(query)

    @asynccontextmanager
    async def read(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection that sees one state of the database. Raises `StorageError`."""
        async with _translated(), self._reader.begin() as connection:
            yield connection

    @asynccontextmanager
    async def write(self) -> AsyncIterator[AsyncConnection]:
        """Give a connection whose changes are kept if the block ends well. Raises `StorageError`.

        `sqlalchemy.exc.IntegrityError` passes: a refused duplicate is an answer, not a fault.
        """
        turn = self._turn if self.embedded else nullcontext()
        async with _translated(), turn, self._engine.begin() as connection:
            yield connection

    def insert(self, table: Table) -> sqlite.Insert | postgresql.Insert:
        """Begin an INSERT that may say what happens ON CONFLICT; both databases write it alike."""
        return sqlite.insert(table) if self.embedded else postgresql.insert(table)

    async def current(self) -> str | None:
        """Return the newest migration the database has; None: none at all. Raises `StorageError`."""
        from pipeline.storage import revisions

        async with self.read() as connection:
            return await connection.run_sync(revisions.current)

    async def pending(self) -> list[str]:
        """Return the migrations still to be applied, oldest first. Raises `StorageError`."""
        from pipeline.storage import revisions

        async with self.read() as connection:
            return await connection.run_sync(revisions.pending)

    async def upgrade(self) -> None:
        """Apply pending migrations, all or none; several processes may do so at once."""
        from pipeline.storage import revisions

        engine = _engine(self._url, poolclass=NullPool, migrating=True)
        try:
            async with _translated(), engine.begin() as connection:
                if not self.embedded:
                    await connection.execute(select(func.pg_advisory_xact_lock(_MIGRATION_LOCK)))
                await connection.run_sync(revisions.upgrade)
        finally:
            await engine.dispose()

    async def prepare(self) -> None:
        """Apply pending migrations on an SQLite file; raise `PendingMigrations` on a server that has some."""
        if await self._is_current() or not await self.pending():
            return
        if not self.embedded:
            raise PendingMigrations
        await self.upgrade()

    async def _is_current(self) -> bool:
        """Tell whether nothing is pending, without loading what applies migrations: that is slow."""
        try:
            async with self._reader.begin() as connection:
                applied = await connection.execute(text("SELECT version_num FROM alembic_version"))
                return applied.scalars().all() == [REVISION]
        except SQLAlchemyError:  # no such table in a new file; whatever else it is, `pending` explains it
            return False


def _target(url: str) -> URL:
    try:
        target = make_url(url)
    except ArgumentError as exc:
        raise StorageError(
            "The database URL cannot be read; write sqlite+aiosqlite:///path or postgresql+asyncpg://host/name."
        ) from exc
    target = target.set(drivername=_DRIVERS.get(target.drivername, target.drivername))
    if target.get_backend_name() not in ("sqlite", "postgresql"):
        raise StorageError(f"'{target.drivername}' databases are not supported; use SQLite or PostgreSQL.")
    return target


def _prepare_file(target: URL) -> None:
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StorageError(f"SQLite 3.35 or newer is needed; this Python has {sqlite3.sqlite_version}.")
    if target.database in (None, "", ":memory:"):
        raise StorageError("The database must be a file: workers and restarts share it.")
    try:
        Path(str(target.database)).parent.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise StorageError(f"The folder for '{target.database}' cannot be made; check its rights.") from exc


def _engine(url: URL, *, poolclass: type[NullPool] | None = None, migrating: bool = False) -> AsyncEngine:
    embedded = url.get_backend_name() == "sqlite"
    try:
        # parameters hold people's words, and error messages end up in logs
        engine = create_async_engine(
            url, poolclass=poolclass, hide_parameters=True, pool_pre_ping=not embedded
        )
    except ModuleNotFoundError as exc:
        raise StorageError(
            f"The driver '{url.drivername}' is not installed; for PostgreSQL install 'footnote[postgres]'."
        ) from exc
    if embedded:
        _make_reliable(engine, foreign_keys=not migrating)
    return engine


def _make_reliable(engine: AsyncEngine, *, foreign_keys: bool) -> None:
    """Take transactions away from the driver, which begins none for a SELECT and so loses updates.

    Migrations rebuild tables, and with foreign keys on, dropping the old one would delete the rows
    that point at it.
    """

    def began(connection: Connection) -> None:
        readonly = connection.get_execution_options().get("readonly")
        connection.exec_driver_sql("BEGIN" if readonly else "BEGIN IMMEDIATE")

    _set_up(engine.sync_engine, foreign_keys=foreign_keys)
    event.listen(engine.sync_engine, "begin", began)


def _set_up(engine: Engine, *, foreign_keys: bool = True) -> None:
    """Have every new connection to an SQLite file know how it is to be used."""

    def connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        for pragma in (*_PRAGMAS, f"PRAGMA foreign_keys = {'ON' if foreign_keys else 'OFF'}"):
            cursor.execute(pragma)
        cursor.close()

    event.listen(engine, "connect", connected)


@asynccontextmanager
async def _translated() -> AsyncIterator[None]:
    try:
        yield
    except IntegrityError:
        raise
    except (SQLAlchemyError, OSError) as exc:
        raise StorageError(_said_of(exc)) from exc


def _said_of(exc: SQLAlchemyError | OSError) -> str:
    """Say what went wrong and what to do, where SQLite tells; an extended code holds the plain one below."""
    code = getattr(getattr(exc, "orig", None), "sqlite_errorcode", None)
    unknown = f"The database did not do its part ({type(exc).__name__}); run 'footnote doctor' to see more."
    return unknown if code is None else _FAULTS.get(code & 0xFF, unknown)
