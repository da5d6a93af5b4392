"""Do the jobs that change what a channel contains, one at a time per channel."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.catalog import INGEST, queued_document, upload_of
from pipeline.domain import DocumentStatus
from pipeline.errors import IngestError
from pipeline.observability.metrics import DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pipeline.catalog import Catalog
    from pipeline.domain import Document
    from pipeline.ingestion.preparation import Preparation
    from pipeline.ingestion.rebuild import Rebuilder
    from pipeline.ports import Embedder
    from pipeline.storage.job import Job
    from pipeline.storage.queue import Queue
    from pipeline.storage.threads import Threads
    from pipeline.storage.vectors import CatalogStore

logger = logging.getLogger(__name__)

MAINTAIN_EVERY = 20
"""Documents between two compactions of a busy channel; one takes about 75 ms at 500 rows."""


class Indexer:
    """Takes accepted uploads into their channel's catalog, and documents out of it."""

    def __init__(
        self,
        *,
        catalog: Catalog,
        queue: Queue,
        threads: Threads,
        preparation: Preparation,
        rebuilder: Rebuilder,
        now: Callable[[], datetime],
    ) -> None:
        self._catalog = catalog
        self._queue = queue
        self._threads = threads
        self._preparation = preparation
        self._rebuilder = rebuilder
        self._now = now

    async def ingest(self, job: Job) -> None:
        """Index the file of *job*. Raises `IngestError` (final) or `ModelError` (worth another try)."""
        store, embedder = await self._rebuilder.current(job.scope)
        await store.sweep()
        document = queued_document(job.payload)
        try:
            data = await self._preparation.read(job.scope, document)
            if await self._has(store, document):
                return
            await store.put_document(replace(document, status=DocumentStatus.INDEXING))
            document = await self._write(store, embedder, document, data)
        except IngestError as error:
            await self._fail(store, document, error)
            raise
        DOCUMENTS.labels("ready").inc()
        logger.info(
            "document indexed",
            extra={"action": "document_indexed", "document": document.document_id, "chunks": document.chunks},
        )
        await self._settle(store, job)

    async def give_up(self, job: Job) -> None:
        """Leave an upload that could not be indexed a result: the reason that *job*, now dead, carries."""
        if job.kind != INGEST:
            return
        document = upload_of(job)
        DOCUMENTS.labels(str(document.reason).lower()).inc()
        store = await self._catalog.open(job.scope)
        # without a store the job itself is what is listed
        if store is not None and not await self._has(store, document):
            await store.write_chunks(document.document_id, [])
            await store.put_document(document)
            await store.flush()

    async def forget(self, job: Job) -> None:
        """Remove the documents of *job*, and all that is still queued, said or remembered of them."""
        document_ids: list[str] = job.payload["document_ids"]
        await self._queue.cancel(job.scope, document_ids)
        store = await self._catalog.open(job.scope)
        if store is not None:
            await store.delete_documents(document_ids)
            await store.expunge()
        await self._threads.forget_documents(job.scope, document_ids)
        await self._queue.forget(job.scope, document_ids)

    async def purge(self, job: Job) -> None:
        """Empty the whole channel: its stores, its conversations, its queue and its ledger."""
        await self._queue.cancel(job.scope)
        await self._rebuilder.discard(await self._rebuilder.retire(job.scope))
        await self._threads.forget_scope(job.scope)
        await self._queue.forget(job.scope)

    @staticmethod
    async def _has(store: CatalogStore, document: Document) -> bool:
        return any(
            known.document_id == document.document_id and known.status is DocumentStatus.READY
            for known in await store.documents()
        )

    async def _write(
        self, store: CatalogStore, embedder: Embedder, document: Document, data: bytes
    ) -> Document:
        """Write the chunks first, then the row that makes them count."""
        document, chunks = await self._preparation.cut(document, data)
        stored = await self._preparation.represent(chunks, embedder)
        await store.write_chunks(document.document_id, stored)
        # in microseconds, for no revision to come twice, not even after the row was removed
        revision = int(self._now().timestamp() * 1e6)
        ready = replace(document, status=DocumentStatus.READY, revision=revision)
        await store.put_document(ready)
        return ready

    @staticmethod
    async def _fail(store: CatalogStore, document: Document, error: IngestError) -> None:
        DOCUMENTS.labels(error.reason.lower()).inc()
        await store.put_document(
            replace(document, status=DocumentStatus.FAILED, reason=error.reason, message=str(error))
        )

    async def _settle(self, store: CatalogStore, job: Job) -> None:
        """Make the document durable; compact when the channel's queue is empty, or it has grown enough."""
        waiting = [other for other in await self._queue.waiting(job.scope) if other.id != job.id]
        if not waiting or len(await store.documents()) % MAINTAIN_EVERY == 0:
            await store.maintain()
        else:
            await store.flush()
