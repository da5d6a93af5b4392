"""What can be searched in a channel, kept in memory and in step with its documents table."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.domain import DocumentStatus
from pipeline.retrieval.dense import LanceVectors, MatrixIndex
from pipeline.retrieval.sparse import LanceIndex, PostingsIndex

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.domain import Chunk, Document, Scope
    from pipeline.retrieval.dense import DenseIndex
    from pipeline.retrieval.sparse import SparseIndex
    from pipeline.retrieval.store import ChunkStore
    from pipeline.storage.refs import CatalogRef, ChunkRows

MAX_BYTES = 256 << 20
"""Of all channels' indexes together; the one that was asked last stays whatever its size."""

MAX_CHUNKS = 20_000
"""A larger channel is searched in the store, as soon as that has its full-text index."""

_BATCH = 1_000
"""Chunks that are read and indexed in one go."""

_CHUNK_BYTES = 1_200
"""Rough cost in CPython of a `Chunk` without its text and of its entries in the tables."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One channel as it stood at one moment: both arms and the texts see the same documents."""

    ready: frozenset[str]
    """Ids of the documents that can be found."""
    sparse: SparseIndex
    dense: DenseIndex
    fetch: Callable[[Sequence[str]], Awaitable[Mapping[str, Chunk]]]
    """Chunks by id; one that is gone meanwhile is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A channel's chunks in memory, and the revision of each document they were read at."""

    revisions: Mapping[str, int] = field(default_factory=dict)
    sparse: PostingsIndex
    dense: MatrixIndex
    chunks: Mapping[str, Chunk] = field(default_factory=dict)
    text: int = 0
    """Characters of all chunks."""

    @property
    def nbytes(self) -> int:
        """Rough size in memory."""
        return self.sparse.nbytes + self.dense.nbytes + self.text + _CHUNK_BYTES * len(self.chunks)

    def without(self, document_ids: Collection[str]) -> Held:
        """Return what is left without these documents."""
        gone = set(document_ids)
        chunks = {key: chunk for key, chunk in self.chunks.items() if chunk.document_id not in gone}
        return Held(
            revisions={key: revision for key, revision in self.revisions.items() if key not in gone},
            sparse=self.sparse.changed({}, gone),
            dense=self.dense.changed({}, gone),
            chunks=chunks,
            text=sum(len(chunk.text) for chunk in chunks.values()),
        )

    def joined(self, rows: ChunkRows, vectors: NDArray[np.float32], revisions: Mapping[str, int]) -> Held:
        """Return this with the chunks of new documents, whose *revisions* are given."""
        places: dict[str, list[int]] = {}
        for place, chunk in enumerate(rows.chunks):
            places.setdefault(chunk.document_id, []).append(place)
        ids = [chunk.chunk_id for chunk in rows.chunks]
        return Held(
            revisions={**self.revisions, **revisions},
            sparse=self.sparse.changed(
                {key: [(ids[at], rows.tokens[at]) for at in found] for key, found in places.items()}
            ),
            dense=self.dense.changed(
                {key: ([ids[at] for at in found], vectors[found]) for key, found in places.items()}
            ),
            chunks={**self.chunks, **dict(zip(ids, rows.chunks, strict=True))},
            text=self.text + sum(len(chunk.text) for chunk in rows.chunks),
        )

    async def fetch(self, chunk_ids: Sequence[str]) -> Mapping[str, Chunk]:
        """Return these chunks by id."""
        return {chunk_id: self.chunks[chunk_id] for chunk_id in chunk_ids if chunk_id in self.chunks}


class ChannelIndex:
    """One catalog's index, which follows its documents table."""

    def __init__(
        self, store: ChunkStore, analyze: Callable[[str], Sequence[str]], max_chunks: int = MAX_CHUNKS
    ) -> None:
        self._store = store
        self._analyze = analyze
        self._max_chunks = max_chunks
        self._following = asyncio.Lock()
        self._versions: tuple[int, int] | None = None
        self._held = Held(sparse=PostingsIndex(), dense=MatrixIndex(store.ref.dimension))
        self._snapshot: Snapshot | None = None

    @property
    def nbytes(self) -> int:
        """Rough size in memory."""
        return self._held.nbytes

    async def snapshot(self) -> Snapshot:
        """Return the channel as it stands now, after catching up with its store. Raises `CatalogError`.

        Several callers at once wait for one catching up. One that is cancelled leaves what was read so far.
        """
        versions = await self._store.versions()
        if self._snapshot is not None and versions == self._versions:
            return self._snapshot
        async with self._following:
            versions = await self._store.versions()
            if self._snapshot is None or versions != self._versions:
                self._snapshot = await self._catch_up()
                # read before the documents were: what changed meanwhile is seen at the next question
                self._versions = versions
            return self._snapshot

    async def _catch_up(self) -> Snapshot:
        ready = [each for each in await self._store.documents() if each.status is DocumentStatus.READY]
        ids = frozenset(each.document_id for each in ready)
        if await self._too_large(ready):
            self._held = self._empty()
            return Snapshot(
                ready=ids,
                sparse=LanceIndex(self._store, self._analyze),
                dense=LanceVectors(self._store),
                fetch=self._store.fetch,
            )
        await self._hold(ready)
        held = self._held
        return Snapshot(ready=ids, sparse=held.sparse, dense=held.dense, fetch=held.fetch)

    async def _too_large(self, ready: Sequence[Document]) -> bool:
        if sum(each.chunks for each in ready) <= self._max_chunks:
            return False
        return await self._store.has_text_index()

    async def _hold(self, ready: Sequence[Document]) -> None:
        """Bring what is in memory in step with the documents that are *ready*."""
        current = {each.document_id: each.revision for each in ready}
        gone = [key for key, revision in self._held.revisions.items() if current.get(key) != revision]
        if gone:
            held = await asyncio.to_thread(self._held.without, gone)
            self._held = self._empty() if held.sparse.slots.wasteful else held
        fresh = [each for each in ready if each.document_id not in self._held.revisions]
        for batch in _batches(fresh):
            revisions = {each.document_id: each.revision for each in batch}
            rows = await self._store.read_chunks(list(revisions), vectors=True)
            if rows.vectors is not None:
                self._held = await asyncio.to_thread(self._held.joined, rows, rows.vectors, revisions)

    def _empty(self) -> Held:
        return Held(sparse=PostingsIndex(), dense=MatrixIndex(self._store.ref.dimension))


class Indexes:
    """The indexes of all channels, the least recently asked given up first."""

    def __init__(
        self,
        *,
        analyze: Callable[[str], Sequence[str]],
        max_bytes: int = MAX_BYTES,
        max_chunks: int = MAX_CHUNKS,
    ) -> None:
        self._analyze = analyze
        self._max_bytes = max_bytes
        self._max_chunks = max_chunks
        self._channels: OrderedDict[CatalogRef, ChannelIndex] = OrderedDict()

    async def snapshot(self, store: ChunkStore) -> Snapshot:
        """Return a channel as it stands now, its index built if need be. Raises `CatalogError`."""
        channel = self._channels.get(store.ref)
        if channel is None:
            self.release(store.ref.scope)
            channel = self._channels[store.ref] = ChannelIndex(store, self._analyze, self._max_chunks)
        self._channels.move_to_end(store.ref)
        snapshot = await channel.snapshot()
        self._shrink()
        return snapshot

    def release(self, scope: Scope) -> None:
        """Let go of what is held of a channel, in whatever generation."""
        for held in [ref for ref in self._channels if ref.scope.key == scope.key]:
            del self._channels[held]

    def _shrink(self) -> None:
        total = sum(channel.nbytes for channel in self._channels.values())
        while total > self._max_bytes and len(self._channels) > 1:
            total -= self._channels.popitem(last=False)[1].nbytes


def _batches(documents: Sequence[Document]) -> Iterator[list[Document]]:
    """Cut the work into reads of about `_BATCH` chunks; a document is never cut."""
    batch: list[Document] = []
    chunks = 0
    for document in documents:
        batch.append(document)
        chunks += document.chunks
        if chunks >= _BATCH:
            yield batch
            batch, chunks = [], 0
    if batch:
        yield batch
