"""The chunks of one table by their ids, on which there is no index: with one, LanceDB lets duplicates in."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from lancedb.expr import col

from pipeline.storage.tables import CHUNK_COLUMNS, chunks_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from pipeline.domain import Chunk
    from pipeline.storage.handles import TableHandle

HITS: Final = 1_000
"""Of the last ten searches."""

TEXTS: Final = 100
"""A search needs the best of its hits twice: to show them, and to see how much of the question they hold."""

T = TypeVar("T")


class Passages:
    """Takes chunks from where a search saw them: 4 ms of 100,000, where looking for their ids takes 16.

    Rows move when a table is compacted, so where a hit lay is only a hint. Whatever is taken is a chunk of
    the table's present version, and its id tells whether it is the right one; the others are looked for.
    """

    def __init__(self, table: TableHandle) -> None:
        self._table = table
        self._rows: Latest[int] = Latest(HITS)
        self._texts: Latest[Chunk] = Latest(TEXTS)
        self._version = 0

    def note(self, hits: pa.Table) -> None:
        """Remember where *hits* lie, a table with the columns ``chunk_id`` and ``_rowid``."""
        ids, rows = hits["chunk_id"].to_pylist(), hits["_rowid"].to_pylist()
        self._rows.add(dict(zip(ids, rows, strict=True)))

    async def get(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Return these chunks by id, whatever their document's state; one that is gone is left out."""
        version = await self._table.version()
        if version != self._version:
            self._texts, self._version = Latest(TEXTS), version
        texts = self._texts
        found = texts.of(chunk_ids)
        found |= await self._take(self._rows.of(_without(chunk_ids, found)))
        found |= await self._look_for(_without(chunk_ids, found))
        # read at this version or a later one, at which they are not looked up here
        texts.add(found)
        return found

    async def _take(self, rows: Mapping[str, int]) -> dict[str, Chunk]:
        if not rows:
            return {}
        columns, places = await self._table.having(CHUNK_COLUMNS), list(rows.values())
        taken = await self._table.rows(lambda table: table.take_row_ids(places).select(columns))
        return {key: chunk for key, chunk in _by_id(taken).items() if key in rows}

    async def _look_for(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        if not chunk_ids:
            return {}
        columns = await self._table.having(CHUNK_COLUMNS)
        wanted = col("chunk_id").isin(chunk_ids)
        return _by_id(await self._table.rows(lambda table: table.query().where(wanted).select(columns)))


class Latest(Generic[T]):
    """Values by chunk id, the latest *kept* of them."""

    def __init__(self, kept: int) -> None:
        self._kept = kept
        self._values: OrderedDict[str, T] = OrderedDict()

    def add(self, values: Mapping[str, T]) -> None:
        """Add values, or renew them."""
        for key, value in values.items():
            self._values[key] = value
            self._values.move_to_end(key)
        while len(self._values) > self._kept:
            self._values.popitem(last=False)

    def of(self, keys: Sequence[str]) -> dict[str, T]:
        """Return those of *keys* that are still there."""
        return {key: self._values[key] for key in keys if key in self._values}


def _without(chunk_ids: Sequence[str], found: Mapping[str, Chunk]) -> list[str]:
    return [chunk_id for chunk_id in chunk_ids if chunk_id not in found]


def _by_id(rows: pa.Table | None) -> dict[str, Chunk]:
    return {} if rows is None else {chunk.chunk_id: chunk for chunk in chunks_of(rows)}
