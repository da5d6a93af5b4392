from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from adapters.discord.rows import Rows
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import pytest

ONE, TWO = 1, 2


class Taken:
    """What was taken, in order."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.gate = asyncio.Event()

    def at_once(self, name: str) -> Callable[[], None]:
        return lambda: self.names.append(name)

    def after_a_while(self, name: str) -> Callable[[], Callable[[], Awaitable[None]]]:
        async def wait() -> None:
            await self.gate.wait()
            self.names.append(name)

        return lambda: wait


async def test_where_nothing_waits_things_are_taken_at_once() -> None:
    rows, taken = Rows(), Taken()
    rows.join(ONE, taken.at_once("a"))

    assert taken.names == ["a"]


async def test_nothing_overtakes_what_waits_in_its_channel() -> None:
    rows, taken = Rows(), Taken()
    for step in (taken.at_once("a"), taken.after_a_while("b"), taken.at_once("c"), taken.after_a_while("d")):
        rows.join(ONE, step)
    rows.join(TWO, taken.at_once("elsewhere"))
    assert taken.names == ["a", "elsewhere"]
    taken.gate.set()
    await rows.settled()
    rows.join(ONE, taken.at_once("e"))

    assert taken.names == ["a", "elsewhere", "b", "c", "d", "e"]


async def test_what_fails_holds_up_nothing_and_its_words_stay_private(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    rows, taken = Rows(), Taken()

    def fail() -> None:
        raise ValueError("my secret")

    async def fail_later() -> None:
        raise KeyError("my secret")

    rows.join(ONE, fail)
    rows.join(ONE, lambda: fail_later)
    rows.join(ONE, taken.at_once("a"))
    await rows.settled()

    assert taken.names == ["a"]
    assert [record.message for record in caplog.records] == [
        "an event could not be taken: ValueError",
        "an event could not be taken: KeyError",
    ]


async def test_one_may_wait_until_it_was_ones_turn() -> None:
    rows, taken = Rows(), Taken()
    rows.join(ONE, taken.after_a_while("a"))
    turn = asyncio.create_task(rows.joined(ONE, taken.after_a_while("b")()))
    rows.join(TWO, taken.at_once("elsewhere"))
    await asyncio.sleep(0)
    assert not turn.done()
    taken.gate.set()
    await turn

    assert taken.names == ["elsewhere", "a", "b"]


async def test_what_waits_is_broken_off_in_the_end() -> None:
    rows, taken = Rows(), Taken()
    rows.join(ONE, taken.after_a_while("a"))
    rows.join(ONE, taken.at_once("b"))
    await rows.stop()
    rows.join(ONE, taken.at_once("c"))
    await until(lambda: taken.names)

    assert taken.names == ["c"]
