from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.retrieval.fusion import (
    DENSE_WEIGHTS,
    FOREIGN_WEIGHT,
    against_best,
    against_spread,
    dense_weight,
    fuse,
)

MINILM = "embedded:all-minilm-l6-v2-int8"
rankings = st.lists(st.sampled_from("abcdefgh"), unique=True).map(
    lambda ids: [(chunk_id, 1.0) for chunk_id in ids]
)


def test_strengths_of_one_are_plain_reciprocal_rank_fusion() -> None:
    fused = fuse([[("a", 1), ("b", 1)], [("b", 1), ("c", 1)]], [1, 1], k=60)

    assert [(each.chunk_id, each.ranks) for each in fused] == [
        ("b", (2, 1)),
        ("a", (1, None)),
        ("c", (None, 2)),
    ]
    assert fused[0].score == pytest.approx(1 / 62 + 1 / 61)


def test_a_weight_of_nothing_leaves_the_other_order() -> None:
    fused = fuse([[("x", 1)], [("b", 1), ("a", 0.9)]], [0, 1])

    assert [each.chunk_id for each in fused] == ["b", "a", "x"]


def test_a_weak_arm_cannot_outvote_a_sure_one() -> None:
    sure = against_best([("right", 12.0), ("other", 1.0)])
    weak = against_spread([("wrong", 0.31), ("other", 0.30), ("right", 0.29)])

    assert fuse([weak, sure], [0.4, 0.6])[0].chunk_id == "right"


def test_a_single_exact_hit_comes_first_whatever_is_close_in_meaning() -> None:
    exact = against_best([("code", 3.2)])
    close = against_spread([(f"near{number:02d}", 0.6 - number / 100) for number in range(50)])

    assert fuse([close, exact], [min(DENSE_WEIGHTS), 1 - min(DENSE_WEIGHTS)])[0].chunk_id == "code"


def test_equal_scores_stand_in_the_order_of_their_ids() -> None:
    assert [each.chunk_id for each in fuse([[("b", 1)], [("a", 1)]], [1, 1])] == ["a", "b"]


def test_nothing_fuses_to_nothing() -> None:
    assert fuse([[], []], [0.4, 0.6]) == []
    assert against_best([]) == against_spread([]) == []


def test_a_lone_hit_has_full_strength_in_both_scales() -> None:
    assert against_best([("a", 0.2)]) == against_spread([("a", 0.2)]) == [("a", 1.0)]


def test_cosines_all_alike_have_full_strength() -> None:
    assert against_spread([("a", 0.5), ("b", 0.5)]) == [("a", 1.0), ("b", 1.0)]


@pytest.mark.parametrize(
    ("embedder", "text", "weight"),
    [
        (MINILM, "How long do refunds take?", min(DENSE_WEIGHTS)),
        (MINILM, "Wie lange dauert eine Erstattung?", FOREIGN_WEIGHT),
        (MINILM, "退款需要多久？", FOREIGN_WEIGHT),
        (MINILM, "¿Cuánto tardan los reembolsos?", FOREIGN_WEIGHT),
        ("ollama:nomic-embed-text", "Wie lange dauert die Rückzahlung?", FOREIGN_WEIGHT),
        ("ollama:bge-m3", "退款需要多久？", min(DENSE_WEIGHTS)),
        ("ollama:snowflake-arctic-embed2", "退款需要多久？", min(DENSE_WEIGHTS)),
        ("openai:text-embedding-3-small", "退款需要多久？", min(DENSE_WEIGHTS)),
    ],
)
def test_the_dense_arm_counts_less_in_a_language_its_model_never_learned(
    embedder: str, text: str, weight: float
) -> None:
    assert dense_weight(embedder, text, []) == weight


def worded(lead: float, *, hits: int = 10) -> list[tuple[str, float]]:
    """Return what the sparse arm found, the best standing above the tenth by a share of its score."""
    return [(f"c{place}", 8.0 * (1 - lead * min(1, place / 9))) for place in range(hits)]


def test_the_dense_arm_counts_more_the_less_words_single_out() -> None:
    least, most = DENSE_WEIGHTS
    asked = "Where does he live?"

    assert dense_weight(MINILM, asked, worded(0.1)) == most
    assert dense_weight(MINILM, asked, worded(0.35)) == pytest.approx((least + most) / 2)
    assert dense_weight(MINILM, asked, worded(0.6)) == dense_weight(MINILM, asked, worded(1)) == least


def test_where_fewer_than_ten_chunks_share_a_word_words_single_them_out() -> None:
    assert dense_weight(MINILM, "Where does he live?", worded(0.1, hits=9)) == min(DENSE_WEIGHTS)


@given(st.lists(st.floats(0, 1e6), max_size=60))
def test_the_dense_arm_never_counts_for_nothing_nor_for_all(scores: list[float]) -> None:
    hits = [(f"c{place}", score) for place, score in enumerate(sorted(scores, reverse=True))]

    assert min(DENSE_WEIGHTS) <= dense_weight(MINILM, "Where does he live?", hits) <= max(DENSE_WEIGHTS)


@given(rankings, rankings)
def test_every_chunk_of_either_arm_is_there_once_with_its_ranks(
    dense: list[tuple[str, float]], sparse: list[tuple[str, float]]
) -> None:
    fused = fuse([dense, sparse], [0.4, 0.6])

    assert sorted(each.chunk_id for each in fused) == sorted(set(dict(dense)) | set(dict(sparse)))
    for each in fused:
        for rank, ranking in zip(each.ranks, (dense, sparse), strict=True):
            assert (rank is None) == (each.chunk_id not in dict(ranking))
            assert rank is None or ranking[rank - 1][0] == each.chunk_id


@given(rankings)
def test_two_arms_that_agree_are_not_reordered(ranking: list[tuple[str, float]]) -> None:
    assert [each.chunk_id for each in fuse([ranking, ranking], [0.4, 0.6])] == [key for key, _ in ranking]
