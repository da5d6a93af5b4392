"""Build a channel's next generation beside the current one, then switch: no question waits for it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.catalog import INGEST, queued_document
from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogUnavailable, IngestError

if TYPE_CHECKING:
    from pipeline.catalog import Catalog
    from pipeline.domain import Chunk, Document, Scope
    from pipeline.ingestion.preparation import Preparation
    from pipeline.storage.generations import Catalogs
    from pipeline.storage.queue import Job, Queue
    from pipeline.storage.vectors import CatalogStore, VectorStore

logger = logging.getLogger(__name__)


class Rebuilder:
    """Renews catalogs whose vectors, chunks or files on disk are not what they should be."""

    def __init__(
        self,
        *,
        catalog: Catalog,
        vectors: VectorStore,
        generations: Catalogs,
        queue: Queue,
        preparation: Preparation,
    ) -> None:
        self._catalog = catalog
        self._vectors = vectors
        self._generations = generations
        self._queue = queue
        self._preparation = preparation

    async def current(self, scope: Scope) -> CatalogStore:
        """Return the channel's store with vectors of the present embedder, renewing it first if need be."""
        embedder = await self._preparation.embedder()
        store = await self._catalog.create(scope, embedder)
        if store.ref.embedder == embedder.name:
            return store
        await self._rebuild(scope, from_sources=False)
        return await self._catalog.create(scope, embedder)

    async def reembed(self, job: Job) -> None:
        """Make new vectors from the stored chunks; the texts stay as they are."""
        await self.current(job.scope)

    async def reindex(self, job: Job) -> None:
        """Read every file again from where it stays; where that is gone, the stored chunks serve."""
        await self._rebuild(job.scope, from_sources=True)

    async def _rebuild(self, scope: Scope, *, from_sources: bool) -> None:
        embedder = await self._preparation.embedder()
        old = await self._readable(scope)
        documents = await (old.documents() if old else self._ledger(scope))
        ref = await self._generations.begin(scope, embedder.name, embedder.dimension)
        new = await self._vectors.catalog(ref)
        for document in documents:
            carried = await self._carry(old, new, document, from_sources=from_sources or old is None)
            await new.put_document(carried)
        await new.maintain()
        retired = await self._generations.activate(ref)
        if retired is not None:
            await self._vectors.drop(retired)
        logger.info(
            "catalog rebuilt",
            extra={"action": "catalog_rebuilt", "generation": ref.generation, "documents": len(documents)},
        )

    async def _readable(self, scope: Scope) -> CatalogStore | None:
        """Return the current store if it can be read at all."""
        try:
            store = await self._catalog.open(scope)
            if store is not None:
                await store.documents()
                await store.count_chunks()
        except CatalogUnavailable:
            logger.warning(
                "catalog unreadable, rebuilding from its uploads", extra={"action": "catalog_lost"}
            )
            return None
        return store

    async def _ledger(self, scope: Scope) -> list[Document]:
        """Return what was once uploaded: the finished jobs outlive a damaged store."""
        return [queued_document(job.payload) for job in await self._queue.done(scope, INGEST)]

    async def _carry(
        self, old: CatalogStore | None, new: CatalogStore, document: Document, *, from_sources: bool
    ) -> Document:
        """Write one document's chunks into *new*; return the row that stands for it there."""
        try:
            document, chunks = await self._content(old, new, document, from_sources=from_sources)
        except IngestError as error:
            return replace(document, status=DocumentStatus.FAILED, reason=error.reason, message=str(error))
        if not chunks:
            return document
        await new.write_chunks(document.document_id, await self._preparation.represent(chunks))
        return replace(
            document, status=DocumentStatus.READY, revision=document.revision + 1, reason=None, message=None
        )

    async def _content(
        self, old: CatalogStore | None, new: CatalogStore, document: Document, *, from_sources: bool
    ) -> tuple[Document, list[Chunk]]:
        """Return the document's chunks: as stored, or read again if asked for and its file is unchanged."""
        stored: list[Chunk] = []
        if old is not None and document.status is DocumentStatus.READY:
            stored = (await old.read_chunks([document.document_id])).chunks
        if not from_sources:
            return document, stored
        try:
            current, data = await self._preparation.read(new.ref.scope, document)
            if stored and current.document_id != document.document_id:
                return document, stored
            return await self._preparation.cut(current, data)
        except IngestError:
            if stored:
                return document, stored
            raise
