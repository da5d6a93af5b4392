"""What could not be read when the bot came back."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from adapters.discord import catchup, unheard
from tests.fakes.discord import ANNA, GENERAL, held, http
from tests.integration.adapters.discord.counter import Counter
from tests.integration.adapters.discord.test_catchup import Days, mention

if TYPE_CHECKING:
    from tests.fakes.discord import DiscordServer


@pytest.fixture
async def days(server: DiscordServer) -> Days:
    days = Days(server)
    await days.first()
    days.discord.say(GENERAL, ANNA, mention("question 1"), files=[("a.md", "# A")])
    return days


async def test_what_could_not_be_read_is_read_later_although_nobody_writes(days: Days) -> None:
    days.discord.say(days.direct, ANNA, "are you there?")
    days.discord.fail("history", http(503), times=None)
    async with days.run() as counter:
        assert counter.events == []
        days.discord.heal()
        counter.later.set()
        await days.discord.until(lambda: len(counter.texts) == 2)
        days.discord.say(GENERAL, ANNA, mention("question 2"))
        await days.discord.until(lambda: len(counter.texts) == 3)

    assert sorted(counter.texts[:2]) == ["are you there?", "question 1"]
    assert (counter.texts[2], counter.names) == ("question 2", ["a.md"])


async def test_a_new_session_is_a_reason_to_read_at_once_what_could_not_be_read(days: Days) -> None:
    days.discord.fail("history", http(503), times=None)
    async with days.run() as counter:
        begun = len(days.discord.gateway.identifies)
        days.discord.heal()
        days.discord.gateway.invalidate()
        await days.discord.gateway.ready(identified=begun + 1)
        await days.discord.until(lambda: counter.texts == ["question 1"])


async def test_a_question_does_not_wait_for_a_history_that_hangs(
    days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    days.discord.say(days.thread, ANNA, mention("question 2"))
    hanging = asyncio.Event()
    days.discord.fail("history", held(hanging), times=None)
    monkeypatch.setattr(unheard, "MOMENT_S", 0.05)
    async with Counter(days.discord, days.ledger).listening() as counter:
        days.discord.say(days.thread, ANNA, mention("question 3"))
        days.discord.say(GENERAL, ANNA, mention("question 4"))
        await days.discord.until(lambda: len(counter.texts) == 2)
        assert sorted(counter.texts) == ["question 3", "question 4"]
        hanging.set()
        await days.discord.until(lambda: {"question 1", "question 2"} <= {*counter.texts})


async def test_threads_in_the_archive_that_could_not_be_listed_are_looked_for_again(
    days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    days.discord.say(days.thread, ANNA, mention("before it was archived?"))
    days.discord.archive(days.thread)
    monkeypatch.setattr(catchup, "SLEEP_S", timedelta())
    days.discord.fail("archived threads", http(503), times=None)
    async with days.run() as counter:
        assert counter.texts == ["question 1"]
        days.discord.heal()
        counter.later.set()
        await days.discord.until(lambda: counter.texts == ["question 1", "before it was archived?"])
