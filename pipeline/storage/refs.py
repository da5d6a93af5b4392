"""What is said to and heard from the vector store, without loading the store."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pipeline.domain import Chunk, Scope


FIRST_ANALYZER = 1
"""The analyzer's version before versions were kept."""

FIRST_READING = 1
"""The version of what reads files before versions were kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogRef:
    """A channel's catalog in one generation, and what its vectors and tokens were made by.

    A name is never used twice: to empty or rebuild a channel, take the next generation and drop the old one.
    """

    scope: Scope
    generation: int
    embedder: str
    """``provider:model``; vectors of two embedders cannot be compared."""
    dimension: int
    """Length of a vector."""
    analyzer: int = FIRST_ANALYZER
    """Version of what made the tokens; those of two versions do not match."""
    reading: int = FIRST_READING
    """Version of what read and cut the files; what an earlier one made can be searched all the same."""

    def __post_init__(self) -> None:
        if self.generation < 0 or self.dimension < 1:
            raise ValueError("a generation counts from 0 and a vector has at least one number")

    @property
    def name(self) -> str:
        """The lower-case stem of the catalog's tables; `Scope` has validated its parts."""
        return f"{self.scope.key}.g{self.generation}"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk with both of its representations, which are only ever written together."""

    chunk: Chunk
    tokens: tuple[str, ...]
    """As the analyzer made them; they hold no white space."""
    vector: NDArray[np.float32]
    """Shape (dimension,)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkRows:
    """Chunks read back as columns: the n-th entries of all three belong together; ordered by chunk id."""

    chunks: list[Chunk]
    tokens: list[list[str]]
    """Equal tokens are one string object, so that 100k chunks stay affordable."""
    vectors: NDArray[np.float32] | None
    """Shape (len(chunks), dimension); None when they were not asked for."""
