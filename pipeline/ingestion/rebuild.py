"""Build a channel's next generation beside the current one, then switch: no question waits for it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.catalog import INGEST, queued_document
from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogUnavailable, IngestError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.catalog import Catalog
    from pipeline.domain import Chunk, Document, Scope
    from pipeline.ingestion.preparation import Preparation
    from pipeline.ports import Embedder
    from pipeline.storage.generations import Catalogs
    from pipeline.storage.job import Job
    from pipeline.storage.queue import Queue
    from pipeline.storage.refs import CatalogRef
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

    async def current(self, scope: Scope) -> tuple[CatalogStore, Embedder]:
        """Return the channel's store and its embedder, renewing the store first if the two do not fit."""
        ref = await self._generations.current(scope)
        embedder = await self._preparation.embedder(ref)
        if ref is not None and ref.embedder != embedder.name:
            await self._rebuild(scope, from_sources=False)
        return await self._catalog.create(scope, embedder), embedder

    async def reembed(self, job: Job) -> None:
        """Make new vectors from the stored chunks; the texts stay as they are."""
        await self.current(job.scope)

    async def reindex(self, job: Job) -> None:
        """Read every file again from where it stays; where that is gone, the stored chunks serve."""
        await self._rebuild(job.scope, from_sources=True)

    async def retire(self, scope: Scope) -> list[CatalogRef]:
        """Take a channel's generations out of use; nothing finds them any more."""
        return await self._generations.remove(scope)

    async def discard(self, refs: Sequence[CatalogRef]) -> None:
        """Drop the stores of generations that are out of use."""
        for ref in refs:
            await self._vectors.drop(ref)
            await self._generations.discard(ref)

    async def clear_up(self) -> None:
        """Drop what a crash left behind: retired generations and unfinished ones."""
        await self.discard(await self._generations.retired())

    async def _rebuild(self, scope: Scope, *, from_sources: bool) -> None:
        embedder = await self._preparation.embedder(await self._generations.current(scope))
        old = await self._readable(scope)
        documents = await self._expected(scope, old)
        ref = await self._generations.begin(scope, embedder.name, embedder.dimension)
        new = await self._vectors.catalog(ref)
        for document in documents:
            row, chunks = await self._carry(old, scope, document, from_sources=from_sources)
            if chunks:
                stored = await self._preparation.represent(chunks, embedder)
                await new.write_chunks(row.document_id, stored)
            await new.put_document(row)
        await new.maintain()
        retired = await self._generations.activate(ref)
        await self.discard([retired] if retired else [])
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

    async def _expected(self, scope: Scope, old: CatalogStore | None) -> list[Document]:
        """Return what the channel should hold: what its store says, and uploads that the store has lost.

        The finished jobs outlive a damaged store; those of forgotten documents are struck off.
        """
        ledger = [queued_document(job.payload) for job in await self._queue.done(scope, INGEST)]
        listed = await old.documents() if old else []
        return list({document.document_id: document for document in [*ledger, *listed]}.values())

    async def _carry(
        self, old: CatalogStore | None, scope: Scope, document: Document, *, from_sources: bool
    ) -> tuple[Document, list[Chunk]]:
        """Return one document's row and chunks for the next generation."""
        try:
            document, chunks = await self._content(old, scope, document, from_sources=from_sources)
        except IngestError as error:
            failed = replace(
                document, status=DocumentStatus.FAILED, reason=error.reason, message=str(error), chunks=0
            )
            return failed, []
        if not chunks:
            return document, []
        revision = document.revision + 1
        return replace(
            document, status=DocumentStatus.READY, revision=revision, reason=None, message=None
        ), chunks

    async def _content(
        self, old: CatalogStore | None, scope: Scope, document: Document, *, from_sources: bool
    ) -> tuple[Document, list[Chunk]]:
        """Return the document's chunks: as stored, or read again if asked for and its file is unchanged."""
        stored: list[Chunk] = []
        if old is not None and document.status is DocumentStatus.READY:
            stored = (await old.read_chunks([document.document_id])).chunks
        if stored and not from_sources:
            return document, stored
        if document.status is DocumentStatus.FAILED and not from_sources:
            return document, []
        try:
            current, data = await self._preparation.read(scope, document)
            if stored and current.document_id != document.document_id:
                return document, stored
            return await self._preparation.cut(current, data)
        except IngestError:
            if stored:
                return document, stored
            raise
