from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.evaluation.scores import Hit
from pipeline.evaluation.spans import Overlap, overlap, span_recall, within

bounds = st.tuples(st.integers(0, 60), st.integers(1, 30)).map(lambda pair: (pair[0], sum(pair)))


def test_a_span_counts_only_if_one_chunk_holds_all_of_it() -> None:
    ranked = [Hit("a", (0, 100)), Hit("a", (100, 200)), Hit("b", (0, 50)), Hit("c", None)]

    assert span_recall(ranked, {"a": [(10, 20)]}) == 1
    assert span_recall(ranked, {"a": [(90, 110)]}) == 0
    assert span_recall(ranked, {"a": [(10, 20), (150, 160)], "c": [(0, 1)]}) == pytest.approx(2 / 3)
    assert span_recall(ranked[:1], {"a": [(110, 120)]}) == 0
    assert span_recall(ranked, {"a": []}) is None


def test_a_budget_ends_at_the_first_chunk_that_does_not_fit() -> None:
    ranked = [Hit("a", tokens=600), Hit("b", tokens=500), Hit("c", tokens=100)]

    assert within(ranked, 1_200) == ranked
    assert within(ranked, 1_199) == ranked[:2]
    assert within(ranked, 1_000) == ranked[:1]
    assert within(ranked, 100) == []


def test_what_is_retrieved_twice_takes_room_twice() -> None:
    ranked = [Hit("a", (0, 100)), Hit("a", (50, 150)), Hit("b", (0, 100)), Hit("c", None)]

    assert overlap(ranked, {"a": [(50, 100)]}) == Overlap(recall=1, iou=50 / 300)
    assert overlap(ranked, {"a": [(140, 160)]}) == Overlap(recall=0.5, iou=10 / 310)
    assert overlap(ranked, {"d": [(0, 10)]}) == Overlap(recall=0, iou=0)
    assert overlap(ranked, {"a": []}) is None


@given(st.lists(bounds), st.lists(bounds, min_size=1))
def test_a_span_that_stands_whole_in_a_chunk_is_covered(
    chunks: list[tuple[int, int]], gold: list[tuple[int, int]]
) -> None:
    ranked = [Hit("a", span) for span in chunks]

    covered, whole = overlap(ranked, {"a": gold}), span_recall(ranked, {"a": gold})

    assert covered is not None
    assert 0 <= covered.iou <= covered.recall <= 1
    if whole == 1:
        assert covered.recall == 1
