"""An event is new to exactly one of all that ask."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from pipeline.storage.events import SeenEvents

if TYPE_CHECKING:
    from pipeline.storage.sql import Database
    from tests.fakes.calendar import FakeCalendar


async def test_an_event_delivered_many_times_at_once_is_new_only_once(database: Database) -> None:
    events = SeenEvents(database)
    answers = await asyncio.gather(*(events.first_time("Ev1") for _ in range(8)))
    assert sorted(answers) == [False] * 7 + [True]
    assert await events.first_time("Ev2")


async def test_what_is_a_month_old_is_forgotten_unless_asked_otherwise(
    database: Database, calendar: FakeCalendar
) -> None:
    events = SeenEvents(database, calendar)
    await events.first_time("old")
    calendar.advance(20 * 86_400)
    await events.first_time("young")
    assert await events.prune() == 0
    calendar.advance(20 * 86_400)
    assert await events.prune() == 1
    assert not await events.first_time("young")


async def test_only_old_events_are_forgotten(database: Database, calendar: FakeCalendar) -> None:
    events = SeenEvents(database, calendar)
    await events.first_time("old")
    calendar.advance(3600)
    await events.first_time("young")
    assert await events.prune(timedelta(minutes=30)) == 1
    assert await events.first_time("old")
    assert not await events.first_time("young")


async def test_keys_are_found_by_their_beginning(database: Database) -> None:
    events = SeenEvents(database)
    for key in ("heard:a", "heard:b", "Heard:c", "other"):
        await events.first_time(key)

    assert sorted(await events.named("heard:")) == ["heard:a", "heard:b"]
