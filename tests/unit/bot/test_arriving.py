"""Questions wait for files on their way that they may be about, and for no others."""

from __future__ import annotations

import pytest

from bot.arriving import Arriving
from bot.chat import Thread
from bot.conversation import Limits
from pipeline.domain import Scope
from pipeline.errors import CatalogUnavailable
from tests.fakes.pipeline import answer
from tests.fakes.room import ONE, SCOPE, TWO, Room
from tests.fakes.waiting import until

ELSEWHERE = Thread(Scope("fake", "w", "other"), "one")
WAIT = Limits().files_s


class Channel:
    """Tells whether there are files to search."""

    def __init__(self, *, searchable: bool = False) -> None:
        self.searchable = searchable
        self.error: Exception | None = None
        self.asked = 0

    async def __call__(self, scope: Scope) -> bool:
        self.asked += 1
        if self.error is not None:
            raise self.error
        return self.searchable


async def test_a_channels_first_files_are_waited_for_from_every_thread() -> None:
    arriving = Arriving(Channel())
    for thread, source in ((ONE, "chat:a#link"), (TWO, "chat:b"), (ELSEWHERE, "chat:c")):
        arriving.expect(thread, source)

    assert await arriving.wanted(Thread(SCOPE, "three")) == {"chat:a", "chat:b"}
    assert arriving.count(SCOPE) == 2


async def test_where_there_are_others_only_those_of_the_same_thread_are_waited_for() -> None:
    arriving = Arriving(Channel(searchable=True))
    arriving.expect(ONE, "chat:a")

    assert await arriving.wanted(ONE) == {"chat:a"}
    assert await arriving.wanted(TWO) == frozenset()


async def test_where_nothing_is_on_its_way_nothing_is_asked() -> None:
    channel = Channel()

    assert await Arriving(channel).wanted(ONE) == frozenset()
    assert channel.asked == 0


async def test_a_store_that_fails_is_left_to_whoever_searches_it() -> None:
    channel = Channel()
    channel.error = CatalogUnavailable("away")
    arriving = Arriving(channel)
    arriving.expect(ONE, "chat:a")

    assert await arriving.wanted(TWO) == frozenset()


async def test_a_file_is_on_its_way_until_every_part_of_the_way_is_over() -> None:
    arriving = Arriving()
    looked_up, fetched = arriving.expect(ONE, "chat:a"), arriving.expect(ONE, "chat:a#link")
    looked_up.end()
    assert arriving.count(SCOPE) == 1

    for _ in range(2):
        fetched.end()
    assert arriving.count(SCOPE) == 0
    await arriving.ended(SCOPE, {"chat:a"})


async def test_a_question_waits_and_says_so_until_the_files_are_there() -> None:
    arriving = Arriving()
    room = Room(answer("Five days."), arriving=arriving)
    files = [arriving.expect(ONE, source) for source in ("chat:a", "chat:b")]
    room.say("How long?")
    await room.until("Waiting for 2 files…")
    assert room.asked == []

    for file in files:
        file.end()
    await room.settled()

    assert room.chat.texts() == ["Five days."]
    assert room.clock.monotonic() < WAIT


async def test_a_question_does_not_wait_for_ever() -> None:
    arriving = Arriving()
    room = Room(answer("Five days."), arriving=arriving)
    arriving.expect(ONE, "chat:a")
    room.say("How long?")
    await room.settled()

    assert room.chat.texts() == ["Five days."]
    assert room.clock.monotonic() == pytest.approx(WAIT, abs=1)


async def test_a_question_that_waits_can_be_stopped() -> None:
    arriving = Arriving()
    room = Room(answer("Five days."), arriving=arriving)
    arriving.expect(ONE, "chat:a")
    room.say("How long?")
    await room.until("Waiting for 1 file…")

    assert room.conversation.stop(ONE)
    await room.settled()

    assert room.asked == []
    assert room.chat.texts() == ["Stopped."]


async def test_a_question_elsewhere_is_answered_at_once() -> None:
    arriving = Arriving()
    room = Room(answer("Five days."), arriving=arriving)
    arriving.expect(ELSEWHERE, "chat:a")
    room.say("How long?")
    await until(lambda: room.asked)
    await room.settled()

    assert not any("Waiting" in text for shown in room.chat.messages.values() for text in shown.versions)
