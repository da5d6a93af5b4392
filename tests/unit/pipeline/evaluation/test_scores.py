from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.domain import Place
from pipeline.evaluation.scores import (
    Gold,
    Hit,
    bootstrap,
    distinct,
    figures,
    measured,
    ndcg,
    off_topic,
    place_recall,
    recall,
    wilson,
)

RANKED = [Hit("a"), Hit("b"), Hit("a"), Hit("c")]


def test_a_document_counts_where_its_first_chunk_stands() -> None:
    assert distinct(RANKED) == ["a", "b", "c"]


def test_recall_is_the_share_of_the_right_documents_among_the_first() -> None:
    assert recall(RANKED, ["b", "z"], 1) == 0
    assert recall(RANKED, ["b", "z"], 2) == 0.5
    assert recall(RANKED, ["b", "c"], 3) == 1


def test_the_gain_of_a_right_document_falls_with_its_place() -> None:
    assert ndcg(RANKED, ["a"]) == 1
    assert ndcg(RANKED, ["b"]) == pytest.approx(1 / math.log2(3))
    assert ndcg(RANKED, ["b", "c"]) == pytest.approx((1 / math.log2(3) + 0.5) / (1 + 1 / math.log2(3)))
    assert ndcg([], ["a"]) == 0


def test_more_right_documents_than_places_still_reach_one() -> None:
    many = [f"d{number}" for number in range(15)]

    assert ndcg([Hit(doc) for doc in many], many) == pytest.approx(1)


def test_wilsons_interval_is_the_textbook_one() -> None:
    assert wilson(8, 10) == pytest.approx((0.4902, 0.9433), abs=1e-4)
    assert wilson(0, 10) == pytest.approx((0.0, 0.2775), abs=1e-4)
    assert wilson(0, 0) == (0.0, 0.0)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_intervals_hold_the_mean_and_stay_between_nothing_and_all(values: list[float]) -> None:
    mean = sum(values) / len(values)
    for low, high in (wilson(sum(values), len(values)), bootstrap(values)):
        assert -1e-9 <= low <= mean + 1e-9
        assert mean - 1e-9 <= high <= 1 + 1e-9


def test_the_same_values_have_the_same_interval() -> None:
    assert bootstrap([0.0, 0.5, 1.0]) == bootstrap([0.0, 0.5, 1.0])


def gold(*documents: str, **more: Any) -> Gold:
    return Gold(spans=dict.fromkeys(documents, ()), places={}, **more)


def test_every_measure_has_its_interval_beside_it() -> None:
    found = figures(measured({"one": (RANKED, gold("a")), "two": (RANKED, gold("z"))}))

    names = {"recall@1", "recall@5", "recall@10", "ndcg@10"}
    assert set(found) == names | {f"{name}_ci" for name in names}
    assert found["recall@1"] == 0.5


def test_a_measure_is_reported_for_the_questions_that_it_applies_to() -> None:
    marked = Gold(spans={"a": ((1, 2),)}, places={"a": Place(page=1)}, off_topic=frozenset("a"))

    found = measured({"one": ([Hit("a", (0, 9), Place(page=1))], marked), "two": (RANKED, gold("z"))})

    assert found["recall@1"] == {"one": 1, "two": 0}
    assert found["span_recall@5"] == found["place_recall@5"] == {"one": 1}
    assert found["off_topic@5"] == {"one": 0.2}


def test_a_place_is_found_by_its_page_or_by_the_end_of_its_section_path() -> None:
    ranked = [Hit("a", None, Place(page=3, section="Refunds > Timing")), Hit("b", None, Place())]

    assert place_recall(ranked, {"a": Place(page=3)}) == 1
    assert place_recall(ranked, {"a": Place(section="Timing")}) == 1
    assert place_recall(ranked, {"a": Place(section="Refunds")}) == 0
    assert place_recall(ranked, {"a": Place(page=4, section="Timing")}) == 0
    assert place_recall(ranked, {"a": Place(page=3), "b": Place(page=3)}) == 0.5
    assert place_recall(ranked, {"b": Place(section="Timing")}) == 0
    assert place_recall(ranked, {}) is None


def test_strangers_are_counted_among_the_first_five() -> None:
    assert off_topic(RANKED, {"b", "z"}) == 0.2
    assert off_topic([Hit(name) for name in "abcdef"], {"f"}) == 0
