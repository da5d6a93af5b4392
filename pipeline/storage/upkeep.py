"""Keep a table small and quick: compact it, prune old versions, build its indexes, and really delete."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from lancedb.expr import col, lit

from pipeline.errors import CatalogError
from pipeline.storage.indexes import VECTOR_COLUMN

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from lancedb.table import AsyncTable

    from pipeline.storage.handles import TableHandle
    from pipeline.storage.indexes import Index

logger = logging.getLogger(__name__)

KEEP_VERSIONS = timedelta(hours=1)
"""Readers in other processes may still use a version this old."""

NO_VERSIONS = timedelta(milliseconds=1)
"""None but the latest; of a plain zero LanceDB warns."""

ROUNDS = 2
"""One may bring the text index up to date only, which the fragments it leaves then can be merged under."""

FRAGMENTS = 20
"""About one per write. Compaction rewrites all rows (30 µs each), so not every document pays for it."""

TAIL = 2_000
"""Rows not in an index yet: each costs a full-text query about 15 µs."""

ATTEMPTS = 5
FIRST_PAUSE = 0.2
"""Seconds; doubled with each attempt, and a random share of it is waited ("full jitter")."""

_CONFLICT = "Retryable commit conflict"
"""LanceDB has no exception class for two rewrites that collided, only this text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How to wait between attempts."""

    sleep: Callable[[float], Awaitable[None]]
    jitter: Callable[[], float]
    """A random number in [0, 1)."""

    async def pause(self, attempt: int) -> None:
        """Wait after the *attempt*-th failure, counted from 0."""
        await self.sleep(FIRST_PAUSE * 2**attempt * self.jitter())


@dataclass(frozen=True, slots=True, kw_only=True)
class Upkeep:
    """How catalogs are kept: from how many rows on they get indexes, and how conflicts are waited out."""

    ann_min_rows: int
    fts_min_rows: int
    patience: Patience


async def expunge(handle: TableHandle, patience: Patience) -> None:
    """Rewrite a table so that no file of it holds what was deleted, and remove all others.

    It takes as long as compacting all rows, and an index of vectors has to be built anew: call `tend` next.
    Queries that still read an older version fail; `TableHandle.rows` repeats them with the latest.
    """
    table = await handle.opened()
    if table is None:
        return
    with handle.writing():
        rewritten = await persist(lambda: _rewrite(table), table.checkout_latest, patience)
    if not rewritten:
        raise CatalogError("What was forgotten is still in the files of the index; try again.")
    # the version to come back to after a power cut must not go before its successor is on the disk
    await handle.sync()
    with handle.writing():
        await table.optimize(cleanup_older_than=NO_VERSIONS)


async def _rewrite(table: AsyncTable) -> None:
    """Compact all rows into new files.

    LanceDB leaves a fragment alone of which less than a tenth is deleted, unless there is another to merge
    it with: so one row goes to a fragment of its own. An index of vectors would keep the two apart.
    """
    for index in await table.list_indices():
        if VECTOR_COLUMN in index.columns:
            await table.drop_index(index.name)
    key = (await table.schema()).names[0]
    for row in await table.query().select([key]).limit(1).to_list():
        await table.update(where=col(key) == lit(row[key]), updates_sql={key: key})
    for _ in range(ROUNDS):
        await table.optimize(cleanup_older_than=KEEP_VERSIONS)


async def tend(table: AsyncTable, indexes: Sequence[Index], patience: Patience) -> bool:
    """Optimize *table* if due and build the indexes it has grown into; False: given up until next time."""

    async def rewrite() -> None:
        missing = await _missing(table, indexes)
        if missing or await _is_ragged(table):
            await table.optimize(cleanup_older_than=KEEP_VERSIONS)
        for index in missing:
            await table.create_index(index.column, config=index.config)
            logger.info("built the index of %s in %s", index.column, table.name)

    return await persist(rewrite, table.checkout_latest, patience)


async def persist(
    rewrite: Callable[[], Awaitable[None]], refresh: Callable[[], Awaitable[None]], patience: Patience
) -> bool:
    """Try *rewrite* until no other process collides with it, at most `ATTEMPTS` times.

    After a conflict LanceDB's handle fails for ever unless it is told to *refresh*.
    """
    for attempt in range(ATTEMPTS):
        try:
            await rewrite()
        except RuntimeError as exc:
            if _CONFLICT not in str(exc):
                raise
            await patience.pause(attempt)
            await refresh()
        else:
            return True
    logger.info("gave up optimizing a table after %d conflicts; the next upkeep tries again", ATTEMPTS)
    return False


async def _missing(table: AsyncTable, indexes: Sequence[Index]) -> list[Index]:
    built = await indexed(table)
    wanted = [index for index in indexes if index.column not in built]
    rows = await table.count_rows() if wanted else 0
    return [index for index in wanted if rows >= index.min_rows]


async def _is_ragged(table: AsyncTable) -> bool:
    stats: Any = await table.stats()  # a plain dict, whatever its annotation says
    if stats["fragment_stats"]["num_fragments"] > FRAGMENTS:
        return True
    tails = [await table.index_stats(index.name) for index in await table.list_indices()]
    return any(tail is not None and tail.num_unindexed_rows > TAIL for tail in tails)


async def indexed(table: AsyncTable) -> frozenset[str]:
    """Return the columns that have an index."""
    return frozenset(column for index in await table.list_indices() for column in index.columns)
