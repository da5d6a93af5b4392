"""Which documents a channel has, where each stands, and how one is taken back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from pipeline.domain import Document, DocumentStatus, chunk_id_for
from pipeline.storage.job import NewJob

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.domain import Chunk, Filters, Scope
    from pipeline.ports import Embedder
    from pipeline.storage.generations import Catalogs
    from pipeline.storage.job import Job
    from pipeline.storage.queue import Queue
    from pipeline.storage.vectors import CatalogStore, VectorStore

INGEST = "ingest"
FORGET = "forget"
PURGE = "purge"
REEMBED = "reembed"
REINDEX = "reindex"


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """How many documents of a channel are in which state."""

    ready: int
    pending: int
    failed: int


class Catalog:
    """The owner of "what is in here?" for every channel."""

    def __init__(self, vectors: VectorStore, generations: Catalogs, queue: Queue) -> None:
        self._vectors = vectors
        self._generations = generations
        self._queue = queue

    async def open(self, scope: Scope) -> CatalogStore | None:
        """Return the channel's current store; None: nothing was ever indexed there.

        Raises `CatalogUnavailable`.
        """
        ref = await self._generations.current(scope)
        return None if ref is None else await self._vectors.catalog(ref)

    async def create(self, scope: Scope, embedder: Embedder) -> CatalogStore:
        """Return the channel's current store, making the first generation for *embedder* if it has none."""
        ref = await self._generations.current(scope)
        if ref is None:
            ref = await self._generations.create(scope, embedder.name, embedder.dimension)
        return await self._vectors.catalog(ref)

    async def documents(self, scope: Scope) -> list[Document]:
        """List all documents by upload time; those still in the queue come with what the upload said."""
        store = await self.open(scope)
        known = {document.document_id: document for document in (await store.documents() if store else [])}
        for job in await self._queue.waiting(scope):
            if job.kind == INGEST and job.payload["document_id"] not in known:
                queued = queued_document(job.payload)
                known[queued.document_id] = queued
        return sorted(known.values(), key=lambda document: (document.uploaded_at, document.document_id))

    async def find(self, scope: Scope, document_id: str) -> Document | None:
        """Return one document of the channel; None: it has no such document."""
        return next((d for d in await self.documents(scope) if d.document_id == document_id), None)

    async def chunks(self, scope: Scope, document_id: str) -> list[Chunk]:
        """Return a document's chunks in order; empty until it is ready."""
        store = await self.open(scope)
        document = await self.find(scope, document_id)
        if store is None or document is None or document.status is not DocumentStatus.READY:
            return []
        wanted = [chunk_id_for(document_id, index) for index in range(document.chunks)]
        found = await store.fetch(wanted)
        return [found[chunk_id] for chunk_id in wanted if chunk_id in found]

    async def holdings(self, scope: Scope, filters: Filters | None = None) -> Holdings:
        """Count the channel's documents by state, of those that *filters* leave."""
        only = filters.document_ids if filters else None
        statuses = [
            document.status
            for document in await self.documents(scope)
            if only is None or document.document_id in only
        ]
        return Holdings(
            ready=statuses.count(DocumentStatus.READY),
            pending=statuses.count(DocumentStatus.QUEUED) + statuses.count(DocumentStatus.INDEXING),
            failed=statuses.count(DocumentStatus.FAILED),
        )

    async def request_forget(self, scope: Scope, document_ids: Sequence[str]) -> Job:
        """Queue the removal of documents, ahead of the channel's waiting uploads."""
        return await self._queue.enqueue(
            NewJob(
                kind=FORGET,
                scope=scope,
                payload={"document_ids": sorted(document_ids)},
                dedupe_key=",".join(sorted(document_ids)),
                urgent=True,
            )
        )

    async def request_purge(self, scope: Scope) -> Job:
        """Queue the removal of everything the channel holds."""
        return await self._queue.enqueue(NewJob(kind=PURGE, scope=scope, dedupe_key=PURGE, urgent=True))


def queued_document(payload: Mapping[str, Any]) -> Document:
    """Read what an upload said of its file from the *payload* of its job."""
    return Document(
        document_id=payload["document_id"],
        display_name=payload["display_name"],
        source=payload["source"],
        uploader=payload["uploader"],
        uploaded_at=datetime.fromisoformat(payload["uploaded_at"]),
        status=DocumentStatus.QUEUED,
    )


def queued_payload(document: Document) -> dict[str, Any]:
    """Write what a job needs to know of an upload; `queued_document` reads it."""
    return {
        "document_id": document.document_id,
        "display_name": document.display_name,
        "source": document.source,
        "uploader": document.uploader,
        "uploaded_at": document.uploaded_at.isoformat(),
    }
