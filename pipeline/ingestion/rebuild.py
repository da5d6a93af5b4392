"""Build a channel's next generation beside the current one, then switch: no question waits for it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.catalog import INGEST, queued_document, upload_of
from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogUnavailable, IngestError, ModelError

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
        if ref is not None and (ref.embedder, ref.analyzer) != (embedder.name, self._generations.analyzer):
            await self._rebuild(scope, from_sources=False)
        return await self._catalog.create(scope, embedder), embedder

    async def require_embedder(self, scope: Scope) -> None:
        """Return if the channel's files can be embedded now. Raises `ModelError` with the remedy."""
        try:
            await self._preparation.embedder(await self._generations.current(scope))
        except ModelError as error:
            raise type(error)(
                f"{error} No file was taken in; mend that and try again, "
                f"or set FOOTNOTE_EMBEDDING__PROVIDER=embedded, which needs no server."
            ) from error

    async def reembed(self, job: Job) -> None:
        """Make new vectors and tokens from the stored chunks; the texts stay as they are."""
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
        """Return the current store if it can tell its documents; their chunks may be lost all the same."""
        try:
            store = await self._catalog.open(scope)
            if store is not None:
                await store.documents()
        except CatalogUnavailable:
            logger.warning(
                "catalog unreadable, rebuilding from its uploads", extra={"action": "catalog_lost"}
            )
            return None
        return store

    async def _expected(self, scope: Scope, old: CatalogStore | None) -> list[Document]:
        """Return what the channel should hold: what its store says, and uploads that the store has lost.

        The ended jobs outlive a damaged store; those of forgotten documents are struck off.
        """
        ledger = [queued_document(job.payload) for job in await self._queue.done(scope, INGEST)]
        undone = [upload_of(job) for job in await self._queue.undone(scope, INGEST)]
        failed = [document for document in undone if document.status is DocumentStatus.FAILED]
        listed = await old.documents() if old else []
        return list({document.document_id: document for document in [*failed, *ledger, *listed]}.values())

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
        return replace(document, status=DocumentStatus.READY, revision=revision, reason=None), chunks

    async def _content(
        self, old: CatalogStore | None, scope: Scope, document: Document, *, from_sources: bool
    ) -> tuple[Document, list[Chunk]]:
        """Return the document's chunks: as stored, or read again if asked for and its file is unchanged."""
        stored = await _stored(old, document)
        if len(stored) == document.chunks > 0 and not from_sources:
            return document, stored
        if document.status is DocumentStatus.FAILED and not from_sources:
            return document, []
        try:
            return await self._preparation.cut(document, await self._preparation.read(scope, document))
        except IngestError:
            if stored:
                return replace(document, chunks=len(stored)), stored
            raise


async def _stored(old: CatalogStore | None, document: Document) -> list[Chunk]:
    """Return what the store still has of the document's text."""
    if old is None or document.status is not DocumentStatus.READY:
        return []
    try:
        return (await old.read_chunks([document.document_id])).chunks
    except CatalogUnavailable:
        logger.warning(
            "chunks lost, reading the file again",
            extra={"action": "chunks_lost", "document": document.document_id},
        )
        return []
