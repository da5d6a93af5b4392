"""What every sparse index promises, checked against plain rank-bm25 with the same idf."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipeline.domain import chunk_id_for
from pipeline.retrieval.sparse import Covered, Okapi

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.retrieval.sparse import SparseIndex

Corpus = dict[str, list[list[str]]]
"""Document id → the tokens of its chunks."""

WORDS = [f"w{number}" for number in range(40)]
NEAR = 1e-4
"""Relative; the store adds up in single precision."""


def corpus_of(chunks: int, *, seed: int = 1, per_document: int = 3) -> Corpus:
    """Chunks of five to forty words, the early words frequent and the late ones rare."""
    draw = np.random.default_rng(seed)
    weights = np.array([1 / (place + 1) for place in range(len(WORDS))])
    texts = [
        [str(word) for word in draw.choice(WORDS, draw.integers(5, 40), p=weights / weights.sum())]
        for _ in range(chunks)
    ]
    return {
        f"d{start // per_document:04d}": texts[start : start + per_document]
        for start in range(0, chunks, per_document)
    }


def query_of(words: int, seed: int) -> list[str]:
    return [str(word) for word in np.random.default_rng(seed).choice(WORDS, words)]


def oracle(corpus: Corpus, query: Sequence[str]) -> dict[str, float]:
    """Chunk id → score by rank-bm25, only where a token is shared."""
    ids = [chunk_id_for(key, index) for key, texts in corpus.items() for index in range(len(texts))]
    texts = [text for texts in corpus.values() for text in texts]
    scores = Okapi(texts).get_scores(query)
    return {
        key: float(score) for key, text, score in zip(ids, texts, scores, strict=True) if {*text} & {*query}
    }


def assert_ranked_as(found: list[tuple[str, float]], expected: Mapping[str, float], limit: int) -> None:
    """The same chunks in the same order; where the oracle's scores are equal, any order will do."""
    best = sorted(expected.values(), reverse=True)[:limit]
    assert [expected[chunk_id] for chunk_id, _ in found] == pytest.approx(best, rel=NEAR)
    assert len({chunk_id for chunk_id, _ in found}) == len(best)


class SparseContract:
    """Subclass it and say how an index of a corpus is made."""

    async def make(self, corpus: Corpus) -> SparseIndex:
        raise AssertionError("say how the index is made")

    @pytest.mark.parametrize("chunks", [1, 2, 3, 10, 60])
    async def test_it_ranks_as_rank_bm25_does(self, chunks: int) -> None:
        corpus = corpus_of(chunks)
        index = await self.make(corpus)

        for seed in range(8):
            query = query_of(5, seed)
            found = await index.search(query, 10)
            assert_ranked_as(found, oracle(corpus, query), 10)

    async def test_a_long_query_with_repeats_ranks_as_rank_bm25_does(self) -> None:
        corpus = corpus_of(60)
        index = await self.make(corpus)
        query = query_of(70, 3)

        assert_ranked_as(await index.search(query, 10), oracle(corpus, query), 10)

    async def test_an_empty_channel_has_no_hits(self) -> None:
        index = await self.make({})

        assert await index.search(["w1"], 10) == []

    async def test_the_only_chunk_is_a_hit_with_a_score_above_zero(self) -> None:
        index = await self.make({"d0": [["invoice", "overdue"]]})

        [(chunk_id, score)] = await index.search(["overdue"], 10)

        assert chunk_id == chunk_id_for("d0", 0)
        assert score > 0

    async def test_a_chunk_that_shares_no_token_is_no_hit(self) -> None:
        index = await self.make({"d0": [["a", "b"]], "d1": [["c"]]})

        assert [chunk_id for chunk_id, _ in await index.search(["c", "unheard"], 10)] == [
            chunk_id_for("d1", 0)
        ]
        assert await index.search(["unheard"], 10) == []

    async def test_no_tokens_find_nothing(self) -> None:
        index = await self.make(corpus_of(3))

        assert await index.search([], 10) == []

    async def test_equal_scores_stand_in_the_order_of_their_ids(self) -> None:
        index = await self.make({"d2": [["x", "y"]], "d1": [["y", "x"]], "d3": [["x", "x"]]})

        found = [chunk_id for chunk_id, _ in await index.search(["x", "y"], 10)]

        assert found[:2] == [chunk_id_for("d1", 0), chunk_id_for("d2", 0)]

    async def test_a_filter_narrows_the_hits_and_leaves_the_scores(self) -> None:
        corpus = corpus_of(30)
        index = await self.make(corpus)
        query = WORDS[:4]
        every = dict(await index.search(query, 100))

        found = await index.search(query, 100, only=frozenset({"d0001", "d0002", "elsewhere"}))

        assert {chunk_id[:5] for chunk_id, _ in found} <= {"d0001", "d0002"}
        assert found
        for chunk_id, score in found:
            assert score == pytest.approx(every[chunk_id], rel=NEAR)

    async def test_a_filter_that_names_nothing_finds_nothing(self) -> None:
        index = await self.make(corpus_of(6))

        assert await index.search(WORDS, 10, only=frozenset()) == []

    async def test_codes_with_signs_are_found_whole(self) -> None:
        index = await self.make({"d0": [["inv-2026-1001", "c++"]], "d1": [["inv-2026-1002", "c#"]]})

        for token, document_id in (
            ("inv-2026-1001", "d0"),
            ("inv-2026-1002", "d1"),
            ("c++", "d0"),
            ("c#", "d1"),
        ):
            assert [chunk_id for chunk_id, _ in await index.search([token], 10)] == [
                chunk_id_for(document_id, 0)
            ]

    async def test_coverage_is_the_share_of_the_query_that_a_chunk_holds(self) -> None:
        index = await self.make({"d0": [["refund", "days"], ["refund"]], "d1": [["other"]]})
        ids = [chunk_id_for("d0", 0), chunk_id_for("d0", 1), chunk_id_for("d1", 0), chunk_id_for("gone", 0)]

        whole, part, none, gone = await index.coverage(["refund", "days", "refund"], ids)

        assert whole.share == pytest.approx(1)
        assert 0 < part.share < 1
        assert (none.share, gone.share) == (0, 0)
        assert whole.weight > part.weight > none.weight == 0

    async def test_in_a_small_channel_a_word_that_is_there_counts_beside_those_that_are_not(self) -> None:
        index = await self.make({"d0": [["refund", "days"], ["refund"]]})

        (covered, _) = await index.coverage(
            ["refund", "house", "seven", "aachen"], [chunk_id_for("d0", n) for n in (0, 1)]
        )

        assert covered.share > 0.15

    async def test_coverage_of_nothing_is_nothing(self) -> None:
        index = await self.make({"d0": [["refund"]]})

        assert await index.coverage([], [chunk_id_for("d0", 0)]) == [Covered(share=0, weight=0)]
