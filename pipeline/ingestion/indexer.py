"""Do the jobs that change what a channel contains, one at a time per channel."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from pipeline.addresses import place_of
from pipeline.archives import LACKING, bereaved, is_archive, lacking, lacks_files
from pipeline.catalog import INGEST, LEAVES, MOVES, queued_document, upload_of
from pipeline.domain import DocumentStatus, IngestReason
from pipeline.errors import CatalogUnavailable, IngestError, Postponed, SourceAway
from pipeline.ingestion.results import robbed, staying
from pipeline.observability.metrics import DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from pipeline.catalog import Catalog
    from pipeline.domain import Chunk, Document, Scope
    from pipeline.ingestion.preparation import Preparation
    from pipeline.ingestion.rebuild import Rebuilder
    from pipeline.ingestion.unpacking import Unpacking
    from pipeline.ports import Embedder
    from pipeline.storage.copies import Copies
    from pipeline.storage.job import Job
    from pipeline.storage.queue import Queue
    from pipeline.storage.threads import Threads
    from pipeline.storage.uploads import UploadEntries
    from pipeline.storage.vectors import CatalogStore

    Noted = Mapping[str, Sequence[Mapping[str, Any]]]

logger = logging.getLogger(__name__)

MAINTAIN_EVERY = 20
"""Documents between two compactions of a busy channel; one takes about 75 ms at 500 rows."""


class Keeper(Protocol):
    """Whoever else keeps something of a channel."""

    async def forget_scope(self, scope: Scope) -> None:
        """Remove everything that is kept of a channel."""


class Indexer:
    """Takes accepted uploads into their channel's catalog, and documents out of it."""

    def __init__(
        self,
        *,
        catalog: Catalog,
        queue: Queue,
        threads: Threads,
        entries: UploadEntries,
        preparation: Preparation,
        rebuilder: Rebuilder,
        unpacking: Unpacking,
        copies: Copies,
        now: Callable[[], datetime],
        keepers: Sequence[Keeper] = (),
    ) -> None:
        self._catalog = catalog
        self._queue = queue
        self._threads = threads
        self._entries = entries
        self._keepers = keepers
        self._preparation = preparation
        self._rebuilder = rebuilder
        self._unpacking = unpacking
        self._copies = copies
        self._now = now

    async def ingest(self, job: Job) -> None:
        """Index the file of *job*.

        Raises `IngestError` (final), `Postponed` (what it needs is away) or `ModelError` (worth another try).
        """
        store, embedder = await self._rebuilder.current(job.scope)
        await store.sweep()
        document = queued_document(job.payload)
        if job.payload.get(MOVES) and await self._move(store, embedder, document):
            await self._settle(store, job)
            return
        try:
            data = await self._preparation.read(job.scope, document)
            if await self._has(store, document):
                return
            lacks = await self._lacks(store, job)
            await store.put_document(
                replace(document, status=DocumentStatus.INDEXING, message=LACKING if lacks else None)
            )
            document, chunks = await self._preparation.cut(document, data)
            if not chunks:  # an archive
                document, moved = await self._unpacking.unpack(store, job.scope, document, data, lacks=lacks)
                for file in moved:
                    await self._move(store, embedder, file)
            document = await self._write(store, embedder, document, chunks)
        except SourceAway as error:
            raise Postponed(IngestReason.UNREADABLE, str(error)) from error
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
        named: list[str] = job.payload["document_ids"]
        copies: Noted = await self._copies.of(job.scope)
        stay: dict[str, Document] = {}
        if (place := job.payload.get(LEAVES)) is not None:
            named, copies = await self._leaving(job.scope, named, place, copies)
            stay = staying(named, (), copies)
            named = [each for each in named if each not in stay]
        whole = await self._catalog.with_files(job.scope, named)
        stay |= staying(whole, named, copies)
        document_ids = [each for each in whole if each not in stay]
        left = bereaved(await self._catalog.known(job.scope), document_ids) | robbed(document_ids, copies)
        await self._queue.cancel(job.scope, document_ids)
        try:
            store = await self._catalog.open(job.scope)
            if store is not None:
                # before they go, so that no interruption leaves an archive that does not say so
                stored = [each for each in await store.documents() if each.document_id in left]
                await store.put_documents([lacking(each) for each in stored if is_archive(each)])
                await store.delete_documents(document_ids)
                await store.expunge()
        except CatalogUnavailable:
            if not await self._is_all_there_is(job.scope, document_ids):
                raise
            await self._rebuilder.discard(await self._rebuilder.retire(job.scope))
        await self._rebuilder.tidy(job.scope)
        self._preparation.drop(document_ids)
        await self._threads.forget_documents(job.scope, document_ids)
        await self._entries.forget_documents(job.scope, document_ids)
        await self._keep(job.scope, list(stay.values()))
        await self._copies.strike_inside(job.scope, named)
        await self._queue.forget(job.scope, document_ids)

    async def _leaving(
        self, scope: Scope, named: Sequence[str], place: str, copies: Noted
    ) -> tuple[list[str], Noted]:
        """Return which of the *named* documents are at *place*, and the copies without theirs there."""
        if any(copy["place"] == place for each in named for copy in copies.get(each, ())):
            await self._copies.strike(scope, place)
        sources = {each.document_id: each.source for each in await self._catalog.known(scope)}
        left = [each for each in named if place_of(sources.get(each, place)) == place]
        # at that place there may be another file now
        elsewhere = {
            each: [copy for copy in copies.get(each, ()) if copy["place"] != place] for each in named
        }
        return left, {**copies, **elsewhere}

    async def _keep(self, scope: Scope, documents: Sequence[Document]) -> None:
        """Let documents outlive their archive; what was still to be read is read elsewhere."""
        await self._queue.cancel(scope, [each.document_id for each in documents])
        for document in documents:
            await self._catalog.request_move(scope, document)

    async def purge(self, job: Job) -> None:
        """Empty the whole channel: its stores, its conversations, its queue, and whatever else is kept."""
        waiting = await self._queue.cancel(job.scope)
        self._preparation.drop([each.payload.get("document_id", "") for each in waiting])
        await self._rebuilder.discard(await self._rebuilder.retire(job.scope))
        for keeper in (self._threads, *self._keepers):
            await keeper.forget_scope(job.scope)
        await self._queue.forget(job.scope)

    async def _is_all_there_is(self, scope: Scope, document_ids: Collection[str]) -> bool:
        """Whether a store that cannot be read may go as a whole: all that is known of is to be forgotten."""
        return {each.document_id for each in await self._catalog.recorded(scope)} <= set(document_ids)

    async def _has(self, store: CatalogStore, document: Document) -> bool:
        """Tell whether a document is ready; an archive never is, for its files may be missing."""
        ready = await self._ready(store, document)
        return ready is not None and not is_archive(ready)

    @staticmethod
    async def _lacks(store: CatalogStore, job: Job) -> bool:
        """Tell whether an archive only changes its place: then what was taken back of it stays away."""
        wanted = job.payload["document_id"]
        found = (known for known in await store.documents() if known.document_id == wanted)
        return bool(job.payload.get(MOVES)) and any(map(lacks_files, found))

    @staticmethod
    async def _ready(store: CatalogStore, document: Document) -> Document | None:
        return next(
            (
                known
                for known in await store.documents()
                if known.document_id == document.document_id and known.status is DocumentStatus.READY
            ),
            None,
        )

    async def _move(self, store: CatalogStore, embedder: Embedder, document: Document) -> bool:
        """Let a ready document stand where *document* says, found all the while; False: it is not ready."""
        ready = await self._ready(store, document)
        if ready is None or is_archive(ready):
            return False
        name, source = document.display_name, document.source
        moved = replace(document, pages=ready.pages, chunks=ready.chunks, message=ready.message)
        kept = (await store.read_chunks([document.document_id])).chunks
        chunks = [replace(chunk, display_name=name, source=source) for chunk in kept]
        await self._write(store, embedder, moved, chunks)
        return True

    async def _write(
        self, store: CatalogStore, embedder: Embedder, document: Document, chunks: Sequence[Chunk]
    ) -> Document:
        """Write the chunks first, then the row that makes them count."""
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
