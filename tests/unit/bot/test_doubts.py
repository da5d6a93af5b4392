"""What may have been posted although nobody was told."""

from __future__ import annotations

import asyncio

import pytest

from bot.chat import MessageGone, NotAllowed, RateLimited, Thread, Unreachable
from bot.doubts import BACK, DAY, Doubts
from pipeline.domain import Scope

THREAD = Thread(Scope("fake", "w", "c"), "t")


def stumble(doubts: Doubts, key: str | None, error: BaseException) -> None:
    with pytest.raises(type(error)), doubts.about(THREAD, key):
        raise error


async def nothing() -> str | None:
    """Find nothing."""
    return None


@pytest.mark.parametrize("error", [Unreachable(), asyncio.CancelledError()])
def test_a_lost_answer_leaves_a_doubt(error: BaseException) -> None:
    doubts = Doubts(lambda: 7.0)

    stumble(doubts, "a", error)

    assert doubts.since(THREAD, "a") == 7.0
    assert doubts.since(THREAD, "b") is None


@pytest.mark.parametrize("error", [RateLimited(1.0), NotAllowed(), ValueError()])
def test_a_refusal_leaves_none(error: Exception) -> None:
    doubts = Doubts(lambda: 7.0)

    stumble(doubts, "a", error)
    with doubts.about(THREAD, "b"):
        pass

    assert doubts.since(THREAD, "a") is doubts.since(THREAD, "b") is None


async def test_a_doubt_is_as_old_as_its_first_cause_until_it_is_settled() -> None:
    now = [1.0]
    doubts = Doubts(lambda: now[0])
    for moment in (1.0, 60.0):
        now[0] = moment
        stumble(doubts, "a", Unreachable())
    first = doubts.since(THREAD, "a")
    assert await doubts.settled(THREAD, ["a"], nothing) is None
    settled = doubts.since(THREAD, "a")
    stumble(doubts, "a", Unreachable())

    assert (first, settled, doubts.since(THREAD, "a")) == (1.0, None, 60.0)


def test_what_has_no_name_cannot_be_doubted() -> None:
    doubts = Doubts(lambda: 7.0)

    stumble(doubts, None, Unreachable())


@pytest.mark.parametrize(
    ("nonces", "repeated", "start"),
    [
        (["a", "b"], False, 1_000_000.0 - BACK),
        (["a", "b"], True, 1_000_000.0 - BACK),
        (["b"], True, 2_000_000.0 - DAY),
        (["b"], False, None),
        ([], False, None),
    ],
)
def test_what_may_stand_is_looked_for_from_the_first_doubt_on_or_from_the_day_before(
    nonces: list[str], repeated: bool, start: float | None
) -> None:
    now = [1_000_000.0]
    doubts = Doubts(lambda: now[0])
    stumble(doubts, "a", Unreachable())
    now[0] = 2_000_000.0

    assert doubts.start(THREAD, nonces, repeated=repeated) == start


@pytest.mark.parametrize("refusal", [NotAllowed(), MessageGone()])
async def test_where_nobody_may_look_nothing_is_doubted_any_more(refusal: Exception) -> None:
    doubts = Doubts(lambda: 7.0)
    stumble(doubts, "a", Unreachable())

    async def refused() -> str:
        raise refusal

    assert await doubts.settled(THREAD, ["a"], refused) is None
    assert doubts.since(THREAD, "a") is None


async def test_a_doubt_stays_where_looking_fails() -> None:
    doubts = Doubts(lambda: 7.0)
    stumble(doubts, "a", Unreachable())

    async def busy() -> str:
        raise RateLimited(1.0)

    with pytest.raises(RateLimited):
        await doubts.settled(THREAD, ["a"], busy)
    assert doubts.since(THREAD, "a") == 7.0
