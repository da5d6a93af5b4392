"""A channel's store in plain dictionaries, with everything that a search reads of one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import DocumentStatus
from pipeline.storage.refs import ChunkRows
from tests.fakes.stored import document_of, ref_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from pipeline.domain import Chunk, Document
    from pipeline.errors import CatalogError
    from pipeline.storage.refs import CatalogRef, StoredChunk


class Shelf:
    """Counts what is read of it; *failure*, if set, is raised by its own searches."""

    def __init__(self, ref: CatalogRef | None = None) -> None:
        self.ref = ref or ref_of()
        self.facts: dict[str, Document] = {}
        self.stored: dict[str, list[StoredChunk]] = {}
        self.text_index = False
        self.failure: CatalogError | None = None
        self.reads: list[str] = []
        self.being_read = asyncio.Event()
        self._version = 0

    def put(
        self,
        document_id: str,
        stored: list[StoredChunk],
        *,
        status: DocumentStatus = DocumentStatus.READY,
        revision: int = 0,
    ) -> None:
        self.facts[document_id] = document_of(document_id, len(stored), status, revision)
        self.stored[document_id] = stored
        self._version += 1

    def delete(self, document_id: str) -> None:
        del self.facts[document_id]
        del self.stored[document_id]
        self._version += 1

    async def versions(self) -> tuple[int, int]:
        return self._version, self._version

    async def documents(self) -> list[Document]:
        return list(self.facts.values())

    async def read_chunks(
        self, document_ids: Sequence[str] | None = None, *, vectors: bool = False
    ) -> ChunkRows:
        wanted = sorted(self.facts if document_ids is None else document_ids)
        self.reads += wanted
        self.being_read.set()
        await asyncio.sleep(0)
        rows = [item for document_id in wanted for item in self.stored.get(document_id, [])]
        matrix = np.array([item.vector for item in rows], np.float32).reshape(-1, self.ref.dimension)
        return ChunkRows(
            chunks=[item.chunk for item in rows],
            tokens=[list(item.tokens) for item in rows],
            vectors=matrix if vectors else None,
        )

    async def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        return {item.chunk.chunk_id: item.chunk for item in self._ready() if item.chunk.chunk_id in chunk_ids}

    async def has_text_index(self) -> bool:
        return self.text_index

    async def nearest(
        self, vector: NDArray[np.float32], limit: int, *, only: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        found = [(item.chunk.chunk_id, float(item.vector @ vector)) for item in self._ready(only)]
        return sorted(found, key=lambda hit: -hit[1])[:limit]

    async def search_text(
        self, tokens: Sequence[str], limit: int, *, only: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        if self.failure is not None:
            raise self.failure
        found = [
            (item.chunk.chunk_id, float(sum(map(item.tokens.count, tokens)))) for item in self._ready(only)
        ]
        return sorted((hit for hit in found if hit[1]), key=lambda hit: -hit[1])[:limit]

    def _ready(self, only: frozenset[str] | None = None) -> list[StoredChunk]:
        return [
            item
            for document_id, facts in self.facts.items()
            if facts.status is DocumentStatus.READY and (only is None or document_id in only)
            for item in self.stored[document_id]
        ]
