"""Models that cost nothing, or exactly what they say, so that what is around them can be measured."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from pipeline.conversation import CitedSource

ANSWER = ("It takes about five working days, ", "as the guide says [1]. ", "Nothing else changes that [2].")
"""The first piece is long enough to be shown at once."""

SOURCE_BUDGET = 6_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What a chat model's library would hand over at the end."""

    content: str
    response_metadata: Mapping[str, Any]


class ScriptedReader:
    """Gives the same answer to everything, its first piece *delay* seconds after it was asked."""

    name = "scripted:reader"
    source_budget = SOURCE_BUDGET

    def __init__(self, *, delay: float = 0.0, clock: Callable[[], float] = time.perf_counter) -> None:
        self._delay = delay
        self._clock = clock
        self.waited: list[float] = []
        """Seconds that each answer took until its first piece, by the clock: a timer is never exact."""

    def read(
        self,
        question: str,
        sources: Sequence[CitedSource],
        summary: str,
        *,
        waiting: Callable[[int], None],
    ) -> ScriptedReading:
        return ScriptedReading(self)

    async def begin(self) -> None:
        """Think, and note how long that took."""
        started = self._clock()
        await asyncio.sleep(self._delay)
        self.waited.append(self._clock() - started)


class ScriptedReading:
    """One answer on its way."""

    def __init__(self, reader: ScriptedReader) -> None:
        self._reader = reader
        self.message: Said | None = None

    async def __aiter__(self) -> AsyncIterator[str]:
        await self._reader.begin()
        for piece in ANSWER:
            yield piece
        self.message = Said(content="".join(ANSWER), response_metadata={"finish_reason": "stop"})


class KnownVectors:
    """Stands in for an embedder and knows every vector beforehand: a search without the embedding."""

    def __init__(self, name: str, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        self.name = name
        self._vectors = vectors

    @property
    def dimension(self) -> int:
        return len(next(iter(self._vectors.values())))

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        return self._vectors[text]

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.stack([self._vectors[text] for text in texts])
