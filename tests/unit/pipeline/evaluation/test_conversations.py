from __future__ import annotations

import pytest

from pipeline.evaluation.conversations import recovered


def test_the_share_of_a_rewrites_gain_that_is_recovered() -> None:
    alone, human = {"a": 0.2, "b": 0.4}, {"a": 0.6, "b": 0.8}

    assert recovered(alone, {"a": 0.4, "b": 0.6}, human) == pytest.approx(0.5)
    assert recovered(alone, alone, human) == 0
    assert recovered(alone, {"a": 0.1, "b": 0.3}, human) == pytest.approx(-0.25)


def test_only_questions_with_a_rewrite_count() -> None:
    assert recovered({"a": 0.0, "b": 1.0}, {"a": 0.5, "b": 0.0}, {"a": 1.0}) == 0.5


def test_a_rewrite_that_gains_nothing_leaves_nothing_to_recover() -> None:
    assert recovered({"a": 0.5}, {"a": 0.7}, {"a": 0.505}) is None
