from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.evaluation.curves import auc, auc_interval, best_balanced, curve, limits, strictest

SCORES = st.lists(st.integers(0, 9).map(float), min_size=1, max_size=20)


def test_the_area_is_the_chance_that_a_right_case_scores_higher() -> None:
    assert auc([3, 4], [1, 2]) == 1
    assert auc([1, 2], [3, 4]) == 0
    assert auc([1, 3], [2]) == 0.5
    assert auc([2], [2]) == 0.5


@given(SCORES, SCORES)
def test_the_area_agrees_with_counting_pairs(right: list[float], wrong: list[float]) -> None:
    pairs = [(one > other) + (one == other) / 2 for one in right for other in wrong]

    assert auc(right, wrong) == pytest.approx(sum(pairs) / len(pairs))


def test_the_interval_is_the_same_each_time_and_between_nothing_and_all() -> None:
    low, high = auc_interval([1, 2, 4, 5], [0, 2, 3])

    assert 0 < low < auc([1, 2, 4, 5], [0, 2, 3]) <= high <= 1
    assert (low, high) == auc_interval([1, 2, 4, 5], [0, 2, 3])


def test_a_limit_turns_away_what_lies_below_it() -> None:
    found = limits([2, 3, 4, 5], [1, 2, 3])

    assert [(each.at, each.wrongly, round(each.rightly, 2)) for each in found[:3]] == [
        (1, 0, 0),
        (2, 0, 0.33),
        (3, 0.25, 0.67),
    ]
    assert (found[-1].wrongly, found[-1].rightly) == (1, 1)


def test_the_strictest_limit_keeps_within_what_is_accepted() -> None:
    found = limits([2, 3, 4, 5], [1, 2, 3])

    assert strictest(found, 0.3).at == 3
    assert strictest(found, 0.2).at == 2
    assert strictest(found, 0).at == 2


def test_the_best_balance_counts_both_kinds_alike() -> None:
    assert best_balanced(limits([5.0] * 99 + [1.0], [1.0, 2.0])).at == 5


def test_the_curve_begins_with_no_right_case_lost_and_ends_with_all_caught() -> None:
    drawn = curve(limits([2, 3, 4, 5], [1, 2, 3]))

    assert drawn[0] == (0.0, 0.3333)
    assert drawn[-1] == (1.0, 1.0)
    assert [rightly for _, rightly in drawn] == sorted(rightly for _, rightly in drawn)
