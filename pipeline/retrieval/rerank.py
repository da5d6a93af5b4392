"""A second, closer look at the best fused candidates, which may fail without harm."""

from __future__ import annotations

import asyncio
import math
import time
from typing import TYPE_CHECKING, Protocol

from pipeline.errors import PipelineError
from pipeline.observability.trace import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.domain import Chunk

DEPTH = 20
"""Candidates that are looked at again."""

PATIENCE_S = 3.0
"""A refinement that takes longer costs the reader more than it gives."""


class Reranker(Protocol):
    """Judges a question and passages together, for instance a cross-encoder."""

    @property
    def name(self) -> str:
        """``provider:model``, for the trace."""
        ...

    async def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        """Return one score per passage, on any scale, more for a better one. Raises `ModelError`."""
        ...


async def rerank(
    reranker: Reranker, question: str, chunks: Sequence[Chunk], *, patience_s: float = PATIENCE_S
) -> tuple[list[Chunk], str | None]:
    """Return *chunks* by the reranker's scores, and the code of what went wrong, if anything did.

    Equal scores keep the old order; a reranker that fails, is late or returns nonsense keeps all of it.
    """
    started = time.perf_counter()
    scores, failure = await _scores(reranker, question, chunks, patience_s)
    ms = round((time.perf_counter() - started) * 1000, 1)
    record("retrieval.reranked", model=reranker.name, candidates=len(chunks), ms=ms, failed=failure)
    if failure is not None:
        return list(chunks), failure
    order = sorted(range(len(chunks)), key=lambda place: -scores[place])
    return [chunks[place] for place in order], None


async def _scores(
    reranker: Reranker, question: str, chunks: Sequence[Chunk], patience_s: float
) -> tuple[Sequence[float], str | None]:
    try:
        async with asyncio.timeout(patience_s):
            scores = await reranker.scores(question, [chunk.text for chunk in chunks])
    except TimeoutError:
        return [], "rerank:timeout"
    except (PipelineError, OSError, RuntimeError, ValueError):  # a model's runtime has no errors of its own
        return [], "rerank:failed"
    if len(scores) != len(chunks) or not all(map(math.isfinite, scores)):
        return [], "rerank:failed"
    return scores, None
