"""Hold one LanceDB table: open it when needed, create it when written, heal it when it is torn."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import shutil
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from pipeline.errors import CatalogError, CatalogUnavailable
from pipeline.storage.durability import Health, heal, sync

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence
    from pathlib import Path

    from lancedb import AsyncConnection
    from lancedb.query import AsyncQueryBase
    from lancedb.table import AsyncTable

logger = logging.getLogger(__name__)

PARALLEL_QUERIES = 8
"""Flat scans in flight at once; 320 of them took a process to 14 GB."""

QUERY_TIMEOUT = timedelta(seconds=60)

_PRUNED = "Not found"
"""What a query says of a file that `upkeep` has removed meanwhile; there is no class for it."""

T = TypeVar("T")

FAULTS = (ValueError, RuntimeError, OSError)
"""All that LanceDB raises: it has no classes of its own, and Rust panics arrive as `RuntimeError`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Lance:
    """One connection and what its tables share."""

    connection: AsyncConnection
    root: Path | None
    """The directory of the tables; None where they are not on a local disk."""
    queries: asyncio.Semaphore = field(default_factory=lambda: asyncio.Semaphore(PARALLEL_QUERIES))
    healed: set[str] = field(default_factory=set)
    """Names of tables whose newest version was torn and set aside."""

    def directory(self, name: str) -> Path | None:
        """Where the table *name* keeps its files, if that is a local disk."""
        return None if self.root is None else self.root / f"{name}.lance"


class TableHandle:
    """One table of one catalog.

    A handle that was open once never creates the table again: a catalog that was dropped stays dropped.
    """

    def __init__(self, lance: Lance, name: str, schema: pa.Schema, channel: str) -> None:
        self._lance = lance
        self._name = name
        self._schema = schema
        self._channel = channel
        self._table: AsyncTable | None = None
        self._known = False
        self._whole = False
        self._synced: dict[Path, int] = {}

    @property
    def healed(self) -> bool:
        """Whether a torn version was set aside, so that the latest writes are missing."""
        return self._name in self._lance.healed

    async def opened(self) -> AsyncTable | None:
        """Return the table, None if nothing was ever written. Raises `CatalogUnavailable`."""
        if self._table is None:
            known = self._known
            await self._heal()
            # while this looked, a writer of this process may have created the table
            self._table = await self._open(known=known) or self._table
        return self._table

    async def created(self) -> AsyncTable:
        """Return the table, made now if need be. Raises `CatalogError`."""
        table = await self.opened()
        if table is None:
            with self.writing():
                table = await self._lance.connection.create_table(
                    self._name, schema=self._schema, exist_ok=True
                )
            self._table, self._known, self._whole = table, True, True
        return table

    async def having(self, columns: Sequence[str]) -> list[str]:
        """Return those of *columns* that can be read: a table of an earlier version lacks what came later."""
        if not self._whole:
            lacking = {field.name for field in await self._read(self._lacking) or ()}
            return [name for name in columns if name not in lacking]
        return [*columns]

    async def version(self) -> int:
        """Return the table's version, 0 if nothing was ever written; another process's writes count."""
        return await self._read(lambda table: table.version()) or 0

    async def count(self) -> int:
        """Return the number of rows."""
        return await self._read(lambda table: table.count_rows()) or 0

    async def rows(self, query: Callable[[AsyncTable], AsyncQueryBase]) -> pa.Table | None:
        """Run a query when its turn comes; None if nothing was ever written."""

        async def run(table: AsyncTable) -> pa.Table:
            async with self._lance.queries:
                return await query(table).to_arrow(timeout=QUERY_TIMEOUT)

        return await self._read(run)

    async def _read(self, act: Callable[[AsyncTable], Awaitable[T]]) -> T | None:
        """Read from the table, a second time if the version that was read has just been pruned."""
        table = await self.opened()
        if table is None:
            return None
        try:
            with self.reading():
                return await act(table)
        except CatalogUnavailable as exc:
            if _PRUNED not in str(exc.__cause__):
                raise
        latest = await self.opened()
        if latest is None:
            return None
        with self.reading():
            return await act(latest)

    async def change(self, act: Callable[[AsyncTable], Awaitable[Any]]) -> None:
        """Write to the table, which is created if need be."""
        table = await self.created()
        with self.writing():
            if not self._whole:
                await self._widen(table)
            await act(table)

    async def _widen(self, table: AsyncTable) -> None:
        """Add the columns that came later, empty in the rows that are there; their files stay as they are."""
        fields = await self._lacking(table)
        if fields:
            try:
                await table.add_columns(pa.schema(fields))
            except FAULTS:
                self._table = None  # a handle that collided with another process fails for ever
                raise
        self._whole = True

    async def _lacking(self, table: AsyncTable) -> list[pa.Field]:
        """Return the columns that the table has not; that it has all is looked at once."""
        names = (await table.schema()).names
        fields = [field for field in self._schema if field.name not in names]
        self._whole = not fields
        return fields

    async def sync(self) -> None:
        """Flush what was written since the last call to a local disk."""
        directory = self._lance.directory(self._name)
        if directory is not None:
            with self.writing():
                self._synced = await asyncio.to_thread(sync, directory, self._synced)

    async def drop(self) -> None:
        """Remove the table with all its files, damaged or half created; none is fine."""
        with self.writing():
            with contextlib.suppress(ValueError):  # LanceDB's "not found"
                await self._lance.connection.drop_table(self._name)
            directory = self._lance.directory(self._name)
            if directory is not None:
                await asyncio.to_thread(shutil.rmtree, directory, ignore_errors=True)
        self._lance.healed.discard(self._name)

    @contextlib.contextmanager
    def reading(self) -> Iterator[None]:
        """Translate what LanceDB raises, and look at the table afresh the next time."""
        try:
            yield
        except FAULTS as exc:
            self._table, self._whole = None, False
            raise self._unavailable("cannot be read") from exc

    @contextlib.contextmanager
    def writing(self) -> Iterator[None]:
        """Translate what LanceDB raises."""
        try:
            yield
        except FAULTS as exc:
            raise CatalogError(f"The index of {self._channel} could not be written.") from exc

    async def _heal(self) -> None:
        directory = self._lance.directory(self._name)
        if directory is None:
            return
        with self.reading():
            health = await asyncio.to_thread(heal, directory)
        if health is Health.LOST:
            raise self._unavailable("has no version that can be read")
        if health is Health.HEALED:
            self._lance.healed.add(self._name)
            logger.warning("%s: the newest version was torn; the one before it is used", self._name)

    async def _open(self, *, known: bool) -> AsyncTable | None:
        try:
            table = await self._lance.connection.open_table(self._name)
        except ValueError as exc:
            # LanceDB's way to say "not found", also of a table whose creation was interrupted;
            # everything else that goes wrong with a valid name is a RuntimeError
            if known:
                raise self._unavailable("was dropped meanwhile") from exc
            return None
        except FAULTS as exc:
            raise self._unavailable("cannot be opened") from exc
        self._known = True
        return table

    def _unavailable(self, state: str) -> CatalogUnavailable:
        rebuild = f"run 'footnote reindex --channel {self._channel}' to rebuild it"
        return CatalogUnavailable(f"The index of {self._channel} {state}; {rebuild}.")
