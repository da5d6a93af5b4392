from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.chat import ChatError, NotAllowed, RateLimited, Unreachable
from bot.incoming import FileRemoved
from bot.recheck import PAUSE, SETTLING, TROUBLES, Recheck
from pipeline.domain import Scope
from pipeline.errors import StorageError
from tests.fakes.clock import FakeClock
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.incoming import Removal

ONE, TWO = Scope("slack", "T1", "C1"), Scope("slack", "T2", "C1")
INTERVAL = 6 * 3600.0


class Round:
    """A number of looks at a library."""

    def __init__(self, *files: tuple[Scope, str], interval: float = INTERVAL) -> None:
        self.clock = FakeClock()
        self.files = list(files)
        self.missing: set[str] = set()
        self.errors: dict[str, ChatError] = {}
        self.fault: Exception | None = None
        self.looks = 0
        self.asked: list[tuple[str, float]] = []
        self.removed: list[Removal] = []
        self.stop = asyncio.Event()
        self.recheck = Recheck(self, self.gone, self, self.clock, platform="slack", interval=interval)

    async def sources(self, platform: str) -> AsyncIterator[tuple[Scope, str]]:
        assert platform == "slack"
        self.looks += 1
        if self.fault is not None:
            raise self.fault
        for file in self.files:
            yield file

    async def gone(self, scope: Scope, source: str) -> bool:
        self.asked.append((source, self.clock.monotonic()))
        if source in self.errors:
            raise self.errors[source]
        return source in self.missing

    def receive(self, removal: Removal) -> None:
        self.removed.append(removal)

    async def run(self, looks: int = 1) -> None:
        """Let it run until that many looks are over."""
        running = asyncio.create_task(self.recheck.run(self.stop))
        await until(lambda: self.looks > looks or running.done())
        self.stop.set()
        await running

    @property
    def asked_for(self) -> list[str]:
        return [source for source, _ in self.asked]


async def test_what_is_gone_without_a_word_is_removed() -> None:
    look = Round((ONE, "a"), (ONE, "b"), (TWO, "c"))
    look.missing = {"b"}

    await look.run()

    assert look.asked_for[:3] == ["a", "b", "c"]
    assert [(one.scope, one.source) for one in look.removed if isinstance(one, FileRemoved)] == [(ONE, "b")]


async def test_it_begins_soon_asks_slowly_and_comes_again_after_the_interval() -> None:
    look = Round((ONE, "a"), (ONE, "b"))

    await look.run(looks=2)

    first, second, third, *_ = (at for _, at in look.asked)
    assert first == SETTLING
    assert second == SETTLING + PAUSE
    assert third == SETTLING + 2 * PAUSE + INTERVAL


async def test_a_short_interval_is_kept_from_the_start() -> None:
    look = Round((ONE, "a"), interval=60)

    await look.run()

    assert look.asked[0] == ("a", 60)


async def test_what_says_nothing_removes_nothing() -> None:
    look = Round((ONE, "a"), (ONE, "b"))
    look.errors = {"a": Unreachable()}
    look.missing = {"a", "b"}

    await look.run()

    assert [one.source for one in look.removed if isinstance(one, FileRemoved)] == ["b"]


async def test_a_busy_platform_is_given_its_time() -> None:
    look = Round((ONE, "a"), (ONE, "b"))
    look.errors = {"a": RateLimited(45)}

    await look.run()

    assert look.asked[:2] == [("a", SETTLING), ("b", SETTLING + 45 + PAUSE)]


async def test_a_workspace_that_only_fails_is_left_alone_and_the_others_are_not() -> None:
    names = [str(number) for number in range(TROUBLES + 2)]
    look = Round(*((ONE, name) for name in names), (TWO, "other"))
    look.errors = dict.fromkeys(names, NotAllowed())

    await look.run()

    assert look.asked_for[: TROUBLES + 1] == [*names[:TROUBLES], "other"]


async def test_a_workspace_gets_another_chance_with_the_next_look() -> None:
    names = [str(number) for number in range(TROUBLES)]
    look = Round(*((ONE, name) for name in names))
    look.errors = dict.fromkeys(names, NotAllowed())

    await look.run(looks=2)

    assert look.asked_for[: 2 * TROUBLES] == names * 2


async def test_a_failure_now_and_then_is_no_reason_to_leave_a_workspace_alone() -> None:
    names = [str(number) for number in range(4 * TROUBLES)]
    look = Round(*((ONE, name) for name in names))
    look.errors = dict.fromkeys(names[::2], Unreachable())

    await look.run()

    assert look.asked_for[: len(names)] == names


async def test_a_store_that_is_away_spoils_one_look_and_not_the_next() -> None:
    look = Round((ONE, "a"))
    look.fault = StorageError()
    running = asyncio.create_task(look.recheck.run(look.stop))
    await until(lambda: look.looks == 1)
    look.fault = None
    await until(lambda: look.asked)
    look.stop.set()
    await running

    assert look.asked[0][0] == "a"


async def test_it_stops_at_once_in_the_middle_of_a_look() -> None:
    look = Round(*((ONE, str(number)) for number in range(100)))
    running = asyncio.create_task(look.recheck.run(look.stop))
    await until(lambda: len(look.asked) == 3)

    look.stop.set()
    await running

    assert len(look.asked) == 3
