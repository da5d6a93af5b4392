from __future__ import annotations

from datetime import UTC, datetime, timedelta

from discord.utils import time_snowflake

from adapters.discord.cursors import KEPT, SKEW, Cursors, Positions
from pipeline.errors import StorageError
from tests.fakes.ledger import FakeLedger

SERVER, CHANNEL, OTHER, THREAD = "41", 510, 520, 530
NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


class Clock:
    """A clock on the wall."""

    def __init__(self) -> None:
        self.now = NOW

    def __call__(self) -> datetime:
        return self.now


def at(moment: datetime) -> int:
    return time_snowflake(moment)


async def known(cursors: Cursors) -> Positions:
    return await cursors.of(SERVER)


async def heard(ledger: FakeLedger, clock: Clock, *messages: tuple[int, int]) -> None:
    """Let a process hear *messages*, by channel, and end in good order."""
    cursors = Cursors(ledger, clock)
    positions = await known(cursors)
    for channel, message in messages:
        positions.note(channel, message, passing=channel == THREAD)
    await cursors.flush(at_once=True)


async def test_a_channel_is_read_up_from_where_the_last_process_left_it() -> None:
    ledger, clock = FakeLedger(), Clock()
    await heard(ledger, clock, (CHANNEL, at(NOW)), (CHANNEL, at(NOW) + 1), (THREAD, at(NOW) + 2))

    positions = await known(Cursors(ledger, clock))

    assert (positions.start(CHANNEL), positions.start(THREAD)) == (at(NOW) + 1, at(NOW) + 2)


async def test_in_a_server_that_is_new_everything_is_heard_from_now_on() -> None:
    positions = await known(Cursors(FakeLedger(), Clock()))

    assert positions.start(CHANNEL) is None


async def test_what_was_said_in_a_channel_before_the_bot_could_see_it_is_not_read() -> None:
    ledger, clock = FakeLedger(), Clock()
    await heard(ledger, clock, (CHANNEL, at(NOW)))

    positions = await known(Cursors(ledger, clock))

    assert positions.start(OTHER) is None


async def test_a_channel_that_came_about_since_is_read_from_its_beginning() -> None:
    ledger, clock = FakeLedger(), Clock()
    await heard(ledger, clock, (CHANNEL, at(NOW)))
    new = at(NOW + timedelta(minutes=5))

    positions = await known(Cursors(ledger, clock))

    assert positions.start(new) == new - 1


async def test_a_thread_that_was_asleep_for_long_is_read_as_far_as_anything_is() -> None:
    ledger, clock = FakeLedger(), Clock()
    await heard(ledger, clock, (CHANNEL, at(NOW)))

    positions = await known(Cursors(ledger, clock))

    assert positions.start(THREAD, CHANNEL) == 0
    assert positions.start(THREAD, OTHER) is None


async def test_threads_are_forgotten_when_they_are_silent_for_long_and_channels_are_not() -> None:
    ledger, clock = FakeLedger(), Clock()
    await heard(ledger, clock, (CHANNEL, at(NOW)), (THREAD, at(NOW)))
    clock.now += KEPT + timedelta(days=1)
    await heard(ledger, clock, (OTHER, at(clock.now)))

    positions = await known(Cursors(ledger, clock))

    assert positions.channels == {CHANNEL: at(NOW), OTHER: at(clock.now)}
    assert positions.threads == {}


async def test_an_older_message_does_not_move_a_cursor_back() -> None:
    positions = Positions()
    positions.note(CHANNEL, 20, passing=False)
    positions.note(CHANNEL, 10, passing=False)

    assert positions.start(CHANNEL) == 20


async def test_what_was_heard_a_moment_ago_is_not_written_yet() -> None:
    ledger, clock = FakeLedger(), Clock()
    cursors = Cursors(ledger, clock)
    (await known(cursors)).note(CHANNEL, at(NOW), passing=False)
    await cursors.flush()
    (await known(cursors)).note(CHANNEL, at(NOW) + 5, passing=False)
    await cursors.flush()

    assert (await known(Cursors(ledger, clock))).start(CHANNEL) == at(NOW)


async def test_where_a_new_server_stands_is_written_at_once() -> None:
    ledger, clock = FakeLedger(), Clock()
    cursors = Cursors(ledger, clock)
    (await known(cursors)).note(CHANNEL, at(NOW), passing=False)
    await cursors.begin(SERVER)

    assert (await known(Cursors(ledger, clock))).start(CHANNEL) == at(NOW)


async def test_nothing_is_written_while_nothing_is_said() -> None:
    ledger = FakeLedger()
    cursors = Cursors(ledger, Clock())
    await known(cursors)
    await cursors.flush(at_once=True)

    assert ledger.entries == []


async def test_each_week_has_an_entry_of_its_own_which_takes_all_along() -> None:
    ledger, clock = FakeLedger(), Clock()
    await heard(ledger, clock, (CHANNEL, at(NOW)))
    clock.now += timedelta(weeks=3)
    await heard(ledger, clock, (OTHER, at(clock.now)))

    assert [entry.id for entry in ledger.entries] == ["2026-19", "2026-22"]
    assert (await known(Cursors(ledger, clock))).start(CHANNEL) == at(NOW)


async def test_no_entry_is_left_to_be_taken_over() -> None:
    ledger = FakeLedger()
    await heard(ledger, Clock(), (CHANNEL, at(NOW)))

    assert await ledger.other("two").take_over("discord", "cursor", starting=True) == []


async def test_what_the_ledger_does_not_take_is_written_later() -> None:
    ledger, clock = FakeLedger(), Clock()
    cursors = Cursors(ledger, clock)
    (await known(cursors)).note(CHANNEL, at(NOW), passing=False)
    ledger.error = StorageError()
    await cursors.flush(at_once=True)
    ledger.error = None
    await cursors.flush()

    assert (await known(Cursors(ledger, clock))).start(CHANNEL) == at(NOW)


async def test_clocks_may_differ_by_an_hour() -> None:
    ledger, clock = FakeLedger(), Clock()
    await heard(ledger, clock, (CHANNEL, at(NOW)))
    new = at(NOW - SKEW / 2)

    assert (await known(Cursors(ledger, clock))).start(new) == new - 1


async def test_a_server_that_was_left_is_new_when_it_comes_again() -> None:
    cursors = Cursors(FakeLedger(), Clock())
    (await known(cursors)).note(CHANNEL, at(NOW), passing=False)
    cursors.forget(SERVER)
    await cursors.flush(at_once=True)

    assert cursors.known(SERVER) is None
