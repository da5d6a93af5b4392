"""Which documents a channel has, where each stands, and how one is taken back."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, TypeVar

from pipeline.archives import files_of, summed_up
from pipeline.domain import Document, DocumentStatus, IngestReason, chunk_id_for
from pipeline.errors import CatalogLost, CatalogUnavailable
from pipeline.storage.job import JobState, NewJob

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from pipeline.domain import Chunk, Filters, Scope
    from pipeline.ports import Embedder
    from pipeline.storage.generations import Catalogs
    from pipeline.storage.job import Job
    from pipeline.storage.queue import Queue
    from pipeline.storage.refs import CatalogRef
    from pipeline.storage.vectors import CatalogStore, VectorStore

INGEST = "ingest"
FORGET = "forget"
PURGE = "purge"
REEMBED = "reembed"
REINDEX = "reindex"

MOVES = "moves"
"""In the payload of an upload's job: its document, if ready, stands at that upload's place from now on."""

LEAVES = "leaves"
"""In the payload of a removal: the place that is left; what stands elsewhere too stays there."""

_OVERRULED = {
    (DocumentStatus.FAILED, DocumentStatus.QUEUED),
    (DocumentStatus.FAILED, DocumentStatus.INDEXING),
    (DocumentStatus.INDEXING, DocumentStatus.QUEUED),
    (DocumentStatus.INDEXING, DocumentStatus.FAILED),
}
"""Where the queue knows better than the store (state there, state here): a file that failed came again, or
what indexed it was put back, or given up, and could not even say so."""

SWITCHES: Final = 3
"""How often in a row a store may be replaced while it is read; a rebuild takes longer than a question."""

T = TypeVar("T")


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
        self._mending: set[CatalogRef] = set()

    async def open(self, scope: Scope) -> CatalogStore | None:
        """Return the channel's current store; None: nothing was ever indexed there.

        Raises `CatalogUnavailable`; so may what is read from a store that is replaced meanwhile, see `read`.
        """
        while (ref := await self._generations.current(scope)) is not None:
            store = await self._opened(ref)
            if any(await store.versions()):
                return store
            # one that is dropped before it was opened looks as if nothing had ever been written
            if await self._generations.current(scope) == ref:
                return await self._beginning(store)
        return None

    async def read(self, scope: Scope, act: Callable[[CatalogStore | None], Awaitable[T]]) -> T:
        """Return what *act* reads from the channel's current store, or from its successor if it is replaced.

        Raises `CatalogUnavailable`.
        """
        for _ in range(SWITCHES):
            ref = await self._generations.current(scope)
            try:
                return await act(await self.open(scope))
            except CatalogUnavailable:
                if await self._generations.current(scope) == ref:
                    raise
        return await act(await self.open(scope))

    async def _beginning(self, store: CatalogStore) -> CatalogStore:
        """Return a store without tables, if nothing was ever indexed. Raises `CatalogLost`."""
        scope = store.ref.scope
        if await self._queue.done(scope, INGEST):
            raise CatalogLost(
                f"The index of {scope} is gone; run 'footnote reindex --channel {scope}' to rebuild it."
            )
        return store

    async def create(self, scope: Scope, embedder: Embedder) -> CatalogStore:
        """Return the channel's current store, making the first generation for *embedder* if it has none."""
        ref = await self._generations.current(scope)
        if ref is None:
            ref = await self._generations.create(scope, embedder.name, embedder.dimension)
        return await self._opened(ref)

    async def _opened(self, ref: CatalogRef) -> CatalogStore:
        """Open a store; one that lost its latest writes to a power cut is to be rebuilt from its files."""
        store = await self._vectors.catalog(ref)
        if store.healed and ref not in self._mending:
            self._mending.add(ref)
            await self._queue.enqueue(NewJob(kind=REINDEX, scope=ref.scope, dedupe_key=REINDEX))
        return store

    async def documents(self, scope: Scope) -> list[Document]:
        """List all documents by upload time.

        Those still in the queue come with what the upload said, and those that were given up before their
        store knew of them with the reason. An archive says how its files stand.
        """
        # the queue before the store: whoever ends a job has written its document before
        uploads = [upload_of(job) for job in await self._queue.undone(scope, INGEST)]
        known = {each.document_id: each for each in await self.read(scope, _documents_of)}
        for upload in uploads:
            stored = known.get(upload.document_id)
            if stored is None or (stored.status, upload.status) in _OVERRULED:
                known[upload.document_id] = upload
        documents = summed_up(list(known.values()))
        return sorted(documents, key=lambda each: (each.uploaded_at, each.display_name, each.document_id))

    async def with_files(self, scope: Scope, document_ids: Sequence[str]) -> list[str]:
        """Return these ids and, for each archive among them, those of its files."""
        files = files_of(await self.known(scope), document_ids)
        return list(dict.fromkeys([*document_ids, *(file.document_id for file in files)]))

    async def held(self, scope: Scope) -> frozenset[str]:
        """Return the ids of the channel's documents, in whatever state."""
        return frozenset(each.document_id for each in await self.documents(scope))

    async def recorded(self, scope: Scope) -> list[Document]:
        """List what the ledger knows of a channel's documents, for when its store cannot be read."""
        done = [queued_document(job.payload) for job in await self._queue.done(scope, INGEST)]
        undone = [upload_of(job) for job in await self._queue.undone(scope, INGEST)]
        return list({each.document_id: each for each in (*undone, *done)}.values())

    async def known(self, scope: Scope) -> list[Document]:
        """List the channel's documents; of a store that cannot be read, those that the ledger knows of."""
        try:
            return await self.documents(scope)
        except CatalogUnavailable:
            return await self.recorded(scope)

    async def find(self, scope: Scope, document_id: str) -> Document | None:
        """Return one document of the channel; None: it has no such document."""
        return next((d for d in await self.documents(scope) if d.document_id == document_id), None)

    async def chunks(self, scope: Scope, document_id: str) -> list[Chunk]:
        """Return a document's chunks in order; empty until it is ready."""
        document = await self.find(scope, document_id)
        if document is None or document.status is not DocumentStatus.READY:
            return []
        wanted = [chunk_id_for(document_id, index) for index in range(document.chunks)]
        found = await self.passages(scope, wanted)
        return [found[chunk_id] for chunk_id in wanted if chunk_id in found]

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, Chunk]:
        """Return those of these chunks that the channel has, by id."""

        async def fetch(store: CatalogStore | None) -> Mapping[str, Chunk]:
            return {} if store is None else await store.fetch(chunk_ids)

        return await self.read(scope, fetch)

    async def holdings(self, scope: Scope, filters: Filters | None = None) -> Holdings:
        """Count the channel's documents by state, of those that *filters* leave."""
        only = filters.document_ids if filters else None
        statuses = [
            document.status
            for document in await self.documents(scope)
            if document.files is None and (only is None or document.document_id in only)
        ]
        return Holdings(
            ready=statuses.count(DocumentStatus.READY),
            pending=statuses.count(DocumentStatus.QUEUED) + statuses.count(DocumentStatus.INDEXING),
            failed=statuses.count(DocumentStatus.FAILED),
        )

    async def request_forget(
        self,
        scope: Scope,
        document_ids: Sequence[str],
        *,
        urgent: bool = True,
        leaves: str | None = None,
    ) -> Job:
        """Queue the removal of documents; *urgent* goes ahead of the channel's waiting uploads.

        The files that an archive has by then go with it, unless they came in another way as well. What only
        *leaves* a place stays if it stands at another one.
        """
        ids = sorted(document_ids)
        return await self._queue.enqueue(
            NewJob(
                kind=FORGET,
                scope=scope,
                payload={"document_ids": ids, LEAVES: leaves},
                dedupe_key=",".join([LEAVES, *ids] if leaves else ids),
                urgent=urgent,
            )
        )

    async def stay(self, scope: Scope, document_id: str) -> None:
        """Take back that a document leaves its place, unless that is done: its file is there again."""
        await self._queue.cancel(scope, [f"{LEAVES},{document_id}"])

    async def request_move(self, scope: Scope, document: Document) -> Job:
        """Queue that a document is named and cited as *document*, which holds the same bytes.

        It goes ahead of what may take back that place too.
        If the document is on its way into the channel already, that job is returned instead.
        """
        payload = {**queued_payload(document), MOVES: True}
        job = NewJob(kind=INGEST, scope=scope, payload=payload, dedupe_key=document.document_id, urgent=True)
        return await self._queue.enqueue(job)

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


def upload_of(job: Job) -> Document:
    """Read from an upload's job how its document stands: waiting, at work, or failed with the job's reason.

    One that waits after a failed attempt says why.
    """
    document = queued_document(job.payload)
    if job.state is JobState.RUNNING:
        return replace(document, status=DocumentStatus.INDEXING)
    if job.state is JobState.QUEUED:
        return replace(document, reason=_reason_of(job), message=job.message and f"Waits: {job.message}")
    message = job.message or "Something went wrong inside."
    return replace(
        document,
        status=DocumentStatus.FAILED,
        reason=_reason_of(job) or IngestReason.INTERNAL_ERROR,
        message=message if job.state is JobState.FAILED else f"{message} Try the file again later.",
    )


def _reason_of(job: Job) -> IngestReason | None:
    return IngestReason(job.reason) if job.reason else None


async def _documents_of(store: CatalogStore | None) -> list[Document]:
    return [] if store is None else await store.documents()


def describe_wait(job: Job) -> str:
    """Name the file of an upload's *job* and, after a failed attempt, what it waits for."""
    name: str = job.payload["display_name"]
    if job.waiting_since is not None:
        return f"{name} (waits: {job.message})" if job.message else name
    return f"{name} (attempt {job.attempts} failed: {job.message})" if job.message else name


def queued_payload(document: Document) -> dict[str, Any]:
    """Write what a job needs to know of an upload; `queued_document` reads it."""
    return {
        "document_id": document.document_id,
        "display_name": document.display_name,
        "source": document.source,
        "uploader": document.uploader,
        "uploaded_at": document.uploaded_at.isoformat(),
    }
