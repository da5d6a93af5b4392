"""Keep channels' documents and chunks in LanceDB: two tables per channel and generation.

A query names one catalog and can reach nothing else: there is no table in which two channels meet.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections import OrderedDict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import lancedb

from pipeline.errors import CatalogError, CatalogUnavailable
from pipeline.storage.catalogstore import CatalogStore
from pipeline.storage.descriptors import raise_limit
from pipeline.storage.handles import FAULTS, Lance
from pipeline.storage.indexes import ANN_MIN_ROWS, FTS_MIN_ROWS
from pipeline.storage.refs import CatalogRef, ChunkRows, StoredChunk
from pipeline.storage.upkeep import Patience, Upkeep

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

__all__ = [
    "ANN_MIN_ROWS",
    "FTS_MIN_ROWS",
    "CatalogRef",
    "CatalogStore",
    "ChunkRows",
    "StoredChunk",
    "VectorStore",
]

logger = logging.getLogger(__name__)

OPEN_CATALOGS = 128
"""Of two table handles each."""

INDEX_CACHE = 256 << 20
METADATA_CACHE = 64 << 20
"""Bytes. LanceDB's own caps are 6 GiB and 1 GiB, and its index cache holds a file descriptor per entry."""


class VectorStore:
    """All catalogs below one URI: a local directory, or an object store that LanceDB knows."""

    def __init__(self, lance: Lance, upkeep: Upkeep) -> None:
        self._lance = lance
        self._upkeep = upkeep
        self._stores: OrderedDict[CatalogRef, CatalogStore] = OrderedDict()

    @classmethod
    async def connect(
        cls,
        uri: str,
        *,
        storage_options: Mapping[str, str] | None = None,
        ann_min_rows: int = ANN_MIN_ROWS,
        fts_min_rows: int = FTS_MIN_ROWS,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        jitter: Callable[[], float] = random.random,
    ) -> VectorStore:
        """Connect once per process. Raises `CatalogUnavailable`."""
        root = local_directory(uri)
        limit = raise_limit()
        try:
            if root is not None:
                await asyncio.to_thread(_prepare, root, limit)
            connection = await lancedb.connect_async(
                uri if root is None else str(root),
                # any other value lets a handle write to a table that was dropped, and corrupt its successor
                read_consistency_interval=timedelta(0),
                session=lancedb.Session(INDEX_CACHE, METADATA_CACHE),
                storage_options=None if storage_options is None else dict(storage_options),
            )
        except FAULTS as exc:
            raise CatalogUnavailable(
                "The vector store cannot be opened; check its path or address, and the right to write there."
            ) from exc
        patience = Patience(sleep=sleep, jitter=jitter)
        upkeep = Upkeep(ann_min_rows=ann_min_rows, fts_min_rows=fts_min_rows, patience=patience)
        return cls(Lance(connection=connection, root=root), upkeep)

    async def catalog(self, ref: CatalogRef) -> CatalogStore:
        """Return a channel's catalog; one that was never written is empty. Raises `CatalogUnavailable`."""
        store = self._stores.get(ref)
        if store is None:
            store = CatalogStore(self._lance, ref, self._upkeep)
            await store.versions()
            self._stores[ref] = store
        self._stores.move_to_end(ref)
        while len(self._stores) > OPEN_CATALOGS:
            self._stores.popitem(last=False)
        return store

    async def drop(self, ref: CatalogRef) -> None:
        """Remove a catalog with all its files, damaged or not; none is fine. Raises `CatalogError`."""
        self._stores.pop(ref, None)
        await CatalogStore(self._lance, ref, self._upkeep).drop()

    async def check(self, ref: CatalogRef) -> str | None:
        """Return what is wrong with a catalog in one sentence, None if it can be read and is whole."""
        try:
            store = await self.catalog(ref)
            missing = len(await store.incomplete())
        except CatalogError as exc:
            return str(exc.args[0])
        rebuild = f"run 'footnote reindex --channel {ref.scope}'"
        if store.healed:
            return f"The index of {ref.scope} lost its latest writes; {rebuild}."
        if missing:
            return f"The index of {ref.scope} lacks parts of {missing} document(s); {rebuild}."
        return None

    async def close(self) -> None:
        """Let go of the connection and all handles."""
        self._stores.clear()
        connection: Any = self._lance.connection  # its close() bears no types
        connection.close()


def local_directory(uri: str) -> Path | None:
    """Return the directory that *uri* names, None for an object store.

    It is absolute, since LanceDB takes a relative path that begins with "db" for the address of its cloud.
    """
    if uri.startswith("file://"):
        return Path(url2pathname(urlsplit(uri).path))
    return None if "://" in uri else Path(uri).expanduser().absolute()


def _prepare(root: Path, limit: int | None) -> None:
    root.mkdir(parents=True, exist_ok=True)
    tables = sum(1 for _ in root.glob("*.lance"))
    if limit is not None and limit < tables / 2:
        logger.warning("%d tables, but only %d files may be open; raise the limit (ulimit -n)", tables, limit)
