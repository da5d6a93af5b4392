"""Build a channel's next generation beside the current one, then switch: no question waits for it."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.archives import is_archive
from pipeline.catalog import INGEST, queued_document, queued_payload, upload_of
from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogLost, CatalogUnavailable, IngestError, ModelError, SourceAway
from pipeline.storage.job import NewJob

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.catalog import Catalog
    from pipeline.domain import Chunk, Document, Scope
    from pipeline.ingestion.outages import Outages
    from pipeline.ingestion.preparation import Preparation
    from pipeline.ports import Embedder
    from pipeline.storage.generations import Catalogs
    from pipeline.storage.job import Job
    from pipeline.storage.queue import Queue
    from pipeline.storage.refs import CatalogRef
    from pipeline.storage.vectors import CatalogStore, VectorStore

logger = logging.getLogger(__name__)

NOT_READ_AGAIN = "Its stored text was kept:"
"""Stands in the message of a document before why its file could not be read again."""


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
        outages: Outages,
    ) -> None:
        self._catalog = catalog
        self._vectors = vectors
        self._generations = generations
        self._queue = queue
        self._preparation = preparation
        self._outages = outages

    async def current(self, scope: Scope) -> tuple[CatalogStore, Embedder]:
        """Return the channel's store and its embedder, renewing the store first if the two do not fit.

        A store that has lost a part is built anew: what is written into it would pass for all there is.
        """
        embedder = await self._outages.embedder(scope)
        ref = await self._generations.current(scope)
        if ref is not None and await self._is_lost(scope):
            await self._rebuild(scope, from_sources=True)
        elif ref is not None and (ref.embedder, ref.analyzer) != (embedder.name, self._generations.analyzer):
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

    async def tidy(self, scope: Scope) -> None:
        """Drop a channel's generations beside the current one; only from the channel's own job."""
        await self.discard(await self._generations.outdated(scope))

    async def clear_up(self) -> None:
        """Drop what a crash left behind: retired generations and unfinished ones."""
        await self.discard(await self._generations.retired())

    async def _rebuild(self, scope: Scope, *, from_sources: bool) -> None:
        embedder = await self._outages.embedder(scope)
        old = await self._readable(scope)
        documents = await self._expected(scope, old)
        before = self._generations.reading if old is None else old.ref.reading
        ref = await self._generations.begin(
            scope, embedder.name, embedder.dimension, reading=None if from_sources else before
        )
        new = await self._vectors.catalog(ref)
        away: set[str] = set()
        for document in documents:
            row, chunks = await self._carry(old, scope, document, away, from_sources=from_sources)
            if chunks:
                stored = await self._preparation.represent(chunks, embedder)
                await new.write_chunks(row.document_id, stored)
            await new.put_document(row)
        await new.maintain()
        # what could not be read again now is read again some other time
        await self._generations.activate(replace(ref, reading=before) if away else ref)
        await self.tidy(scope)
        logger.info(
            "catalog rebuilt",
            extra={
                "action": "catalog_rebuilt",
                "generation": ref.generation,
                "documents": len(documents),
                "not_read_again": len(away),
            },
        )

    async def _is_lost(self, scope: Scope) -> bool:
        try:
            store = await self._catalog.open(scope)
            if store is not None:
                await store.check()
        except CatalogLost:
            return True
        return False

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
        found = {document.document_id: document for document in [*failed, *ledger, *listed]}
        # files of one archive stand together, so that it is unpacked once for many of them
        return sorted(found.values(), key=lambda document: document.source)

    async def _carry(
        self,
        old: CatalogStore | None,
        scope: Scope,
        document: Document,
        away: set[str],
        *,
        from_sources: bool,
    ) -> tuple[Document, list[Chunk]]:
        """Return one document's row and chunks for the next generation.

        An archive that an earlier version refused is queued: its files are documents of their own.
        """
        before = document
        try:
            document, chunks = await self._content(old, scope, document, away, from_sources=from_sources)
        except IngestError as error:
            failed = replace(
                document, status=DocumentStatus.FAILED, reason=error.reason, message=str(error), chunks=0
            )
            return failed, []
        if not chunks and before.status is DocumentStatus.FAILED and from_sources:
            payload = queued_payload(before)
            await self._queue.enqueue(
                NewJob(kind=INGEST, scope=scope, payload=payload, dedupe_key=before.document_id)
            )
            return before, []
        if not chunks:
            # of an archive nothing is kept but its row; what is queued in its name is in the ledger as well
            archive = document.status is DocumentStatus.QUEUED
            return replace(document, status=DocumentStatus.READY) if archive else document, []
        revision = document.revision + 1
        return replace(document, status=DocumentStatus.READY, revision=revision, reason=None), chunks

    async def _content(
        self,
        old: CatalogStore | None,
        scope: Scope,
        document: Document,
        away: set[str],
        *,
        from_sources: bool,
    ) -> tuple[Document, list[Chunk]]:
        """Return the document's chunks: as stored, or read again if asked for and its file is unchanged.

        One whose place cannot be reached now is noted in *away*.
        """
        if is_archive(document):
            return document, []
        stored = await _stored(old, document)
        if len(stored) == document.chunks > 0 and not from_sources:
            return document, stored
        if document.status is DocumentStatus.FAILED and not from_sources:
            return document, []
        try:
            return await self._preparation.cut(document, await self._preparation.read(scope, document))
        except IngestError as error:
            if isinstance(error, SourceAway):
                away.add(document.document_id)
            if stored:
                return replace(document, chunks=len(stored), message=_noted(document, error)), stored
            raise


def _noted(document: Document, error: IngestError) -> str:
    """Say beside what is known of *document* why its stored text could not be renewed."""
    before = (document.message or "").partition(NOT_READ_AGAIN)[0].strip()
    return f"{before} {NOT_READ_AGAIN} {error}".lstrip()


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
