"""Models that say what they were told to say."""

from __future__ import annotations

import asyncio
import re
import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from numpy.typing import NDArray

    from pipeline.conversation import CitedSource, TokenUsage


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedMessage:
    """What a chat model's library would hand over at the end."""

    content: str
    usage_metadata: dict[str, int] | None = None
    response_metadata: dict[str, Any] = field(default_factory=lambda: {"finish_reason": "stop"})


@dataclass(slots=True, kw_only=True)
class Reply:
    """One answer to come."""

    pieces: Sequence[str] = ()
    error: Exception | None = None
    """Raised after the pieces."""
    hang_after: int | None = None
    """After so many pieces nothing comes any more."""
    final: str | None = None
    """What the whole message holds in the end; None: the pieces."""
    places: Sequence[int] = ()
    """Places in the queue that the caller is told first."""
    gate: asyncio.Event | None = None
    """Awaited before each piece."""
    usage: dict[str, int] | None = None
    finish_reason: str = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """What a reader was asked."""

    question: str
    sources: tuple[CitedSource, ...]
    summary: str


class ScriptedReader:
    """Gives its replies in turn, the last one for ever; remembers what it was asked."""

    def __init__(
        self, *replies: Reply | str, name: str = "scripted:reader", source_budget: int = 4000
    ) -> None:
        self._replies = [Reply(pieces=[reply]) if isinstance(reply, str) else reply for reply in replies]
        self._name = name
        self._source_budget = source_budget
        self.reads: list[Read] = []
        self.closed = 0
        """Answers that were stopped before their end."""

    @property
    def name(self) -> str:
        return self._name

    @property
    def source_budget(self) -> int:
        return self._source_budget

    def read(
        self,
        question: str,
        sources: Sequence[CitedSource],
        summary: str,
        *,
        waiting: Callable[[int], None],
    ) -> ScriptedReading:
        self.reads.append(Read(question=question, sources=tuple(sources), summary=summary))
        reply = self._replies[min(len(self.reads), len(self._replies)) - 1]
        return ScriptedReading(self, reply, waiting)


class ScriptedReading:
    """One scripted answer on its way."""

    def __init__(self, reader: ScriptedReader, reply: Reply, waiting: Callable[[int], None]) -> None:
        self._reader = reader
        self._reply = reply
        self._waiting = waiting
        self._said: list[str] = []

    @property
    def message(self) -> ScriptedMessage | None:
        if not self._said:
            return None
        return ScriptedMessage(
            content="".join(self._said) if self._reply.final is None else self._reply.final,
            usage_metadata=self._reply.usage,
            response_metadata={"finish_reason": self._reply.finish_reason},
        )

    async def __aiter__(self) -> AsyncIterator[str]:
        ended = False
        try:
            for place in self._reply.places:
                self._waiting(place)
            for piece in self._reply.pieces:
                if self._reply.gate is not None:
                    await self._reply.gate.wait()
                if len(self._said) == self._reply.hang_after:
                    await asyncio.Event().wait()
                self._said.append(piece)
                yield piece
            ended = True
            if self._reply.error is not None:
                raise self._reply.error
        finally:
            self._reader.closed += not ended


class ScriptedEmbedder:
    """Hashes words into a vector: texts that share words are near, others are not."""

    def __init__(
        self, *, dimension: int = 64, name: str = "scripted:words", error: Exception | None = None
    ) -> None:
        self._dimension = dimension
        self._name = name
        self.error = error
        """Raised by every call while it is set."""
        self.queries: list[str] = []
        self.documents: list[str] = []

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimension(self) -> int:
        return self._dimension

    async def embed_query(self, text: str) -> NDArray[np.float32]:
        if self.error is not None:
            raise self.error
        self.queries.append(text)
        return hash_words(text, self._dimension)

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.error is not None:
            raise self.error
        self.documents.extend(texts)
        rows = [hash_words(text, self._dimension) for text in texts]
        return np.array(rows, dtype=np.float32).reshape(len(rows), self._dimension)


def hash_words(text: str, dimension: int) -> NDArray[np.float32]:
    """Return a vector of length 1 that depends on the words of *text* alone; zeros for none."""
    vector = np.zeros(dimension, dtype=np.float32)
    for word in re.findall(r"\w+", text.lower()):
        vector[zlib.crc32(word.encode()) % dimension] += 1
    norm = np.linalg.norm(vector)
    return vector / norm if norm else vector


class ScriptedSummarizer:
    """Gives its summaries in turn, the last one for ever."""

    def __init__(
        self,
        *summaries: str,
        usage: TokenUsage | None = None,
        error: Exception | None = None,
        gate: asyncio.Event | None = None,
    ) -> None:
        self._summaries = summaries or ("They talked about something.",)
        self._usage = usage
        self._error = error
        self._gate = gate
        self.calls: list[tuple[str, str, str]] = []

    async def summarize(self, previous: str, question: str, answer: str) -> tuple[str, TokenUsage | None]:
        self.calls.append((previous, question, answer))
        if self._gate is not None:
            await self._gate.wait()
        if self._error is not None:
            raise self._error
        return self._summaries[min(len(self.calls), len(self._summaries)) - 1], self._usage
