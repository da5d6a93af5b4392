"""What may have been posted although nobody was told."""

from __future__ import annotations

import asyncio

import pytest

from bot.chat import NotAllowed, RateLimited, Unreachable
from bot.doubts import Doubts


def stumble(doubts: Doubts[str], key: str | None, error: BaseException) -> None:
    with pytest.raises(type(error)), doubts.about(key):
        raise error


@pytest.mark.parametrize("error", [Unreachable(), asyncio.CancelledError()])
def test_a_lost_answer_leaves_a_doubt(error: BaseException) -> None:
    doubts = Doubts[str](lambda: 7.0)

    stumble(doubts, "a", error)

    assert doubts.since("a") == 7.0
    assert doubts.since("b") is None


@pytest.mark.parametrize("error", [RateLimited(1.0), NotAllowed(), ValueError()])
def test_a_refusal_leaves_none(error: Exception) -> None:
    doubts = Doubts[str](lambda: 7.0)

    stumble(doubts, "a", error)
    with doubts.about("b"):
        pass

    assert doubts.since("a") is doubts.since("b") is None


def test_a_doubt_is_as_old_as_its_first_cause_until_it_is_settled() -> None:
    now = [1.0]
    doubts = Doubts[str](lambda: now[0])
    for moment in (1.0, 60.0):
        now[0] = moment
        stumble(doubts, "a", Unreachable())
    first = doubts.since("a")
    doubts.settle("a")
    settled = doubts.since("a")
    stumble(doubts, "a", Unreachable())

    assert (first, settled, doubts.since("a")) == (1.0, None, 60.0)


def test_what_has_no_name_cannot_be_doubted() -> None:
    doubts = Doubts[str](lambda: 7.0)

    stumble(doubts, None, Unreachable())
