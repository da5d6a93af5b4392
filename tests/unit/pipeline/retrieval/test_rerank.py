from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pipeline.errors import ModelUnavailable
from pipeline.observability.trace import collect
from pipeline.retrieval.rerank import rerank
from tests.fakes.stored import chunk_of

if TYPE_CHECKING:
    from collections.abc import Sequence

CHUNKS = [
    chunk_of("d1", index, text) for index, text in enumerate(["short", "the longest text", "a long one"])
]
IN_ORDER = [chunk.chunk_id for chunk in CHUNKS]


class ByLength:
    """Longer is better; or it fails, hangs or answers nonsense."""

    name = "fake:length"

    def __init__(self, outcome: Exception | Sequence[float] | None = None, *, hang: bool = False) -> None:
        self._outcome = outcome
        self._hang = hang

    async def scores(self, question: str, passages: Sequence[str]) -> Sequence[float]:
        if self._hang:
            await asyncio.Event().wait()
        if isinstance(self._outcome, Exception):
            raise self._outcome
        return [float(len(passage)) for passage in passages] if self._outcome is None else self._outcome


async def test_the_best_by_the_second_look_comes_first() -> None:
    ranked, failure = await rerank(ByLength(), "which?", CHUNKS)

    assert [chunk.text for chunk in ranked] == ["the longest text", "a long one", "short"]
    assert failure is None


async def test_equal_scores_keep_the_fused_order() -> None:
    ranked, _ = await rerank(ByLength([1.0, 1.0, 1.0]), "which?", CHUNKS)

    assert [chunk.chunk_id for chunk in ranked] == IN_ORDER


@pytest.mark.parametrize(
    ("reranker", "code"),
    [
        (ByLength(ModelUnavailable()), "rerank:failed"),
        (ByLength(RuntimeError("onnx")), "rerank:failed"),
        (ByLength([1.0]), "rerank:failed"),
        (ByLength([1.0, float("nan"), 2.0]), "rerank:failed"),
        (ByLength(hang=True), "rerank:timeout"),
    ],
)
async def test_a_second_look_that_fails_leaves_the_fused_order_and_says_so(
    reranker: ByLength, code: str
) -> None:
    with collect() as events:
        ranked, failure = await rerank(reranker, "which?", CHUNKS, patience_s=0.05)

    assert [chunk.chunk_id for chunk in ranked] == IN_ORDER
    assert failure == code
    assert events[0]["event"] == "retrieval.reranked"
    assert events[0]["failed"] == code
