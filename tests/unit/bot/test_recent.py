"""What is only worth knowing for a while."""

from __future__ import annotations

import pytest

from bot.chat import Unreachable
from bot.recent import Fresh, Pauses, Recent


def test_the_last_notes_are_kept() -> None:
    recent: Recent[str, int] = Recent(most=2)
    for number, key in enumerate("abcd"):
        recent.note(key, number)

    assert recent.items() == [("c", 2), ("d", 3)]
    assert "a" not in recent
    assert recent.get("a") is None
    assert len(recent) == 2


def test_noting_something_again_makes_it_new() -> None:
    recent: Recent[str, int] = Recent(most=2)
    for key, number in (("a", 1), ("b", 2), ("a", 3), ("c", 4)):
        recent.note(key, number)

    assert recent.items() == [("a", 3), ("c", 4)]


def test_what_was_forgotten_is_gone_and_may_be_forgotten_again() -> None:
    recent: Recent[str, int] = Recent()
    recent.note("a", 1)
    for _ in range(2):
        recent.forget("a")

    assert "a" not in recent


def test_what_pauses_is_tried_again_after_a_while() -> None:
    now = [0.0]
    pauses: Pauses[str] = Pauses(lambda: now[0], seconds=10.0)
    pauses.begin("a")

    assert "a" in pauses
    assert "b" not in pauses
    now[0] = 10.0
    assert "a" not in pauses


class Oracle:
    """Answers with how often it was asked."""

    def __init__(self) -> None:
        self.asked = 0
        self.seconds = 0.0
        self.error: Exception | None = None
        self.fresh: Fresh[str, int] = Fresh(lambda: self.seconds, 10.0, 2)

    async def ask(self) -> int:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return self.asked

    async def get(self, key: str = "a") -> int:
        return await self.fresh.get(key, self.ask)


async def test_an_answer_counts_for_some_time() -> None:
    oracle = Oracle()
    assert [await oracle.get(), await oracle.get(), await oracle.get("b")] == [1, 1, 2]

    oracle.seconds = 10.0
    assert oracle.fresh.last("a") is None
    assert await oracle.get() == 3
    assert oracle.fresh.last("a") == 3


async def test_an_answer_that_failed_is_asked_for_again() -> None:
    oracle = Oracle()
    oracle.error = Unreachable()
    with pytest.raises(Unreachable):
        await oracle.get()

    oracle.error = None
    assert await oracle.get() == 2


async def test_an_answer_that_may_be_another_one_now_is_asked_for_again() -> None:
    oracle = Oracle()
    await oracle.get()
    oracle.fresh.forget("a")
    assert await oracle.get() == 2

    oracle.fresh.note("a", 7)
    assert await oracle.get() == 7
