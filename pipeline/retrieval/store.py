"""What a search needs of a channel's store; `pipeline.storage.catalogstore.CatalogStore` has it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.domain import Chunk, Document
    from pipeline.storage.refs import CatalogRef, ChunkRows


class ChunkStore(Protocol):
    """One generation of one channel. Every method may raise `CatalogError`."""

    ref: CatalogRef

    async def versions(self) -> tuple[int, int]:
        """Return two numbers of which one grows with every write; cheap."""
        ...

    async def documents(self) -> list[Document]:
        """Return all documents in any state."""
        ...

    async def read_chunks(
        self, document_ids: Sequence[str] | None = None, *, vectors: bool = False
    ) -> ChunkRows:
        """Return the chunks of these documents."""
        ...

    async def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Return chunks of ready documents by id; one that is gone is left out."""
        ...

    async def has_text_index(self) -> bool:
        """Whether `search_text` can be used."""
        ...

    async def nearest(
        self, vector: NDArray[np.float32], limit: int, *, only: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        """Return chunk ids of ready documents with their cosine, best first."""
        ...

    async def search_text(
        self, tokens: Sequence[str], limit: int, *, only: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        """Return chunk ids of ready documents with their BM25 score, best first."""
        ...
