from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import pytest

from adapters.discord import catchup
from adapters.discord.client import ShardedClient
from bot.chat import Thread
from bot.incoming import ChannelLost, WorkspaceLost
from pipeline.domain import Scope
from tests.fakes.discord import (
    ANNA,
    BEN,
    BOT,
    FORUM,
    GENERAL,
    GUILD,
    PRIVATE,
    SECOND,
    THIRD,
    Permission,
    held,
    http,
)
from tests.fakes.ledger import FakeLedger
from tests.fakes.library import FakeChoices
from tests.integration.adapters.discord.counter import Counter
from tests.integration.adapters.discord.using import Using

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import DiscordServer

SCOPE = Scope("discord", str(GUILD), str(GENERAL))


class Days:
    """One ledger, and the processes that come one after the other."""

    def __init__(self, discord: DiscordServer) -> None:
        self.discord = discord
        self.ledger = FakeLedger()
        self.direct = discord.direct(ANNA)
        self.thread = discord.start_thread(GENERAL, ANNA, "a thread")

    @asynccontextmanager
    async def run(self) -> AsyncIterator[Counter]:
        """Listen for a while."""
        async with Counter(self.discord, self.ledger).listening() as counter:
            await counter.settled()
            yield counter

    async def first(self) -> None:
        """Let a process hear something everywhere, and end."""
        async with self.run() as counter:
            for channel in (GENERAL, SECOND, PRIVATE, self.thread, self.direct):
                self.discord.say(channel, ANNA, mention("on the first day?"))
            await counter.settled()
        self.discord.calls.clear()


@pytest.fixture
def days(server: DiscordServer) -> Days:
    return Days(server)


def mention(text: str) -> str:
    return f"<@{BOT}> {text}"


async def test_a_question_by_command_that_was_shown_and_not_noted_is_asked_after_a_restart(
    days: Days,
) -> None:
    await days.first()
    async with days.run() as counter, Using(days.discord).open():
        gate = asyncio.Event()
        days.discord.fail("respond", held(gate, late=True))  # the process ends before it knows
        days.discord.slash(BEN, GENERAL, "ask", question="How long?")
        await days.discord.until(lambda: days.discord.replies(GENERAL))
        for _ in range(10):  # of the loop, in which the message itself is heard
            await asyncio.sleep(0.01)
        assert counter.asked == []
    gate.set()

    async with days.run() as counter:
        (asked,) = counter.asked
        (shown,) = days.discord.replies(GENERAL)
        assert (asked.text, asked.author, asked.message_id) == ("How long?", str(BEN), str(shown.id))
        assert asked.thread == Thread(SCOPE, str(shown.id))


async def test_what_was_said_before_the_bot_came_is_not_read(days: Days) -> None:
    days.discord.say(GENERAL, ANNA, mention("before you came?"), files=[("a.md", "# A")])
    async with days.run() as counter:
        assert counter.events == []

    assert not days.discord.called("history")


async def test_questions_and_files_of_the_night_are_taken_in_the_morning(days: Days) -> None:
    await days.first()
    days.discord.say(GENERAL, ANNA, mention("at night?"), files=[("a.md", "# A")])
    days.discord.say(GENERAL, BEN, "good night")
    days.discord.say(days.thread, ANNA, "and half days?")
    days.discord.say(days.direct, ANNA, "are you there?")
    async with days.run() as counter:
        taken = [(event.text, event.thread.key, event.mentioned) for event in counter.asked]

    assert sorted(taken) == [
        ("and half days?", str(days.thread.id), False),
        ("are you there?", str(days.direct.id), True),
        ("at night?", str(days.discord.messages(GENERAL)[-2].id), True),
    ]
    assert counter.names == ["a.md"]


async def test_what_was_heard_is_not_read_once_more(days: Days) -> None:
    await days.first()
    async with days.run() as counter:
        assert counter.events == []

    assert [call.ids["channel"] for call in days.discord.called("history")] == [str(days.direct.id)]


async def test_what_was_not_written_down_by_a_process_that_died_is_read_once_more(days: Days) -> None:
    await days.first()
    async with days.run() as counter:
        days.discord.say(GENERAL, ANNA, mention("just before the end?"))
        await counter.settled()
        days.ledger = days.ledger.other("after a crash")
        counter.cursors.forget(str(GUILD))
    async with days.run() as counter:
        assert counter.texts == ["just before the end?"]


async def test_what_comes_while_it_is_read_waits_behind_it(days: Days) -> None:
    await days.first()
    days.discord.say(days.thread, ANNA, mention("question 1"))
    async with Counter(days.discord, days.ledger).listening() as counter:
        days.discord.say(days.thread, ANNA, mention("question 2"))
        await counter.settled()

    assert counter.texts == ["question 1", "question 2"]


async def test_a_session_that_was_lost_is_read_up_and_one_that_is_resumed_is_not(days: Days) -> None:
    async with days.run() as counter:
        days.discord.say(GENERAL, ANNA, mention("question 1"))
        await counter.settled()
        days.discord.gateway.drop()
        days.discord.say(GENERAL, ANNA, mention("question 2"))
        await days.discord.gateway.ready(resumed=1)
        await counter.settled()
        assert not days.discord.called("history")
        days.discord.gateway.lose(1, "MESSAGE_CREATE")
        days.discord.say(GENERAL, ANNA, mention("question 3"))
        days.discord.gateway.invalidate()
        await days.discord.gateway.ready(identified=2)
        await days.discord.until(lambda: len(counter.texts) == 3)

    assert counter.texts == ["question 1", "question 2", "question 3"]


async def test_channels_and_threads_that_came_about_meanwhile_are_read_from_their_beginning(
    days: Days,
) -> None:
    await days.first()
    channel = days.discord.add_channel("new")
    days.discord.say(channel, ANNA, mention("in a new channel?"))
    thread = days.discord.start_thread(SECOND, ANNA, "new")
    days.discord.say(thread, ANNA, mention("in a new thread?"))
    post = days.discord.start_post(FORUM, ANNA, "new", mention("in a new post?"))
    async with days.run() as counter:
        asked = {event.text: event for event in counter.asked}

    assert set(asked) == {"in a new channel?", "in a new thread?", "in a new post?"}
    scope = Scope("discord", str(GUILD), str(FORUM))
    assert asked["in a new post?"].thread == Thread(scope, str(post.id))
    assert not asked["in a new post?"].midway


async def test_what_was_said_before_the_bot_could_see_a_channel_is_not_read(days: Days) -> None:
    days.discord.hide(THIRD)
    await days.first()
    days.discord.say(THIRD, ANNA, mention("in secret?"), files=[("secret.md", "# Secret")])
    days.discord.show(THIRD)
    async with days.run() as counter:
        days.discord.say(THIRD, ANNA, mention("in the open?"))
        await counter.settled()

    assert counter.texts == ["in the open?"]
    assert counter.names == []


async def test_threads_that_went_to_the_archive_meanwhile_are_read(
    days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    await days.first()
    days.discord.say(days.thread, ANNA, mention("before it was archived?"))
    days.discord.archive(days.thread)
    monkeypatch.setattr(catchup, "SLEEP_S", timedelta())
    async with days.run() as counter:
        assert counter.texts == ["before it was archived?"]


async def test_where_the_bot_may_not_read_nothing_is_asked(days: Days) -> None:
    await days.first()
    days.discord.overwrite(SECOND, BOT, deny=Permission.READ_MESSAGE_HISTORY)
    days.discord.say(SECOND, ANNA, mention("at night?"))
    async with days.run() as counter:
        days.discord.say(SECOND, ANNA, mention("in the morning?"))
        await counter.settled()

    assert counter.texts == ["in the morning?"]
    assert str(SECOND) not in {call.ids["channel"] for call in days.discord.called("history")}


async def test_only_the_newest_messages_of_a_channel_are_read(
    days: Days, monkeypatch: pytest.MonkeyPatch
) -> None:
    await days.first()
    for number in range(12):
        days.discord.say(GENERAL, ANNA, mention(f"question {number}"))
    monkeypatch.setattr(catchup, "PAGE", 3)
    monkeypatch.setattr(catchup, "MOST", 6)
    async with days.run() as counter:
        assert counter.texts == [f"question {number}" for number in range(6, 12)]


async def test_what_is_older_than_a_week_is_not_read(days: Days) -> None:
    await days.first()
    days.discord.say(GENERAL, ANNA, mention("at night?"))
    counter = Counter(days.discord, days.ledger)
    counter.cursors._clock = lambda: datetime.now(UTC) + timedelta(days=8)
    async with counter.listening():
        await counter.settled()

    assert counter.events == []


async def test_while_discord_cannot_be_asked_what_comes_is_taken_and_the_rest_later(days: Days) -> None:
    await days.first()
    days.discord.say(GENERAL, ANNA, mention("question 1"))
    days.discord.fail("history", http(503), times=None)
    async with days.run() as counter:
        days.discord.say(GENERAL, ANNA, mention("question 2"))
        await counter.settled()
        assert counter.texts == ["question 2"]
    days.discord.heal()
    async with days.run() as counter:
        assert counter.texts == ["question 1", "question 2"]


async def test_servers_that_let_the_bot_go_meanwhile_are_lost(days: Days) -> None:
    gone = str(days.discord.snowflake())
    for server_id in (gone, str(GUILD), "direct"):
        days_scope = Scope("discord", server_id, str(GENERAL))
        async with Counter(days.discord).listening() as counter:
            counter.held.append((days_scope, f"discord:{server_id}/{GENERAL}/1/1"))
            counter.listeners.surroundings.ready()
            await counter.settled()
        lost = [removal.workspace for removal in counter.removals if isinstance(removal, WorkspaceLost)]
        assert lost == ([gone] if server_id == gone else [])


def held_there(counter: Counter, server: int) -> None:
    counter.held.append((Scope("discord", str(server), str(GENERAL)), f"discord:{server}/{GENERAL}/1/1"))


async def test_a_server_of_which_discord_says_nothing_is_kept_and_asked_about_later(days: Days) -> None:
    gone = days.discord.snowflake()
    days.discord.fail("guild", http(503), times=None)
    counter = Counter(days.discord)
    held_there(counter, gone)
    async with counter.listening():
        await counter.settled()
        assert counter.removals == []
        days.discord.heal()
        counter.later.set()
        await days.discord.until(lambda: counter.removals)

    assert [removal.workspace for removal in counter.removals if isinstance(removal, WorkspaceLost)] == [
        str(gone)
    ]


async def test_a_server_that_is_missing_from_the_list_is_not_lost(days: Days) -> None:
    days.discord.fail("guild", http(503), times=None)
    days.discord.gateway.hidden.add(GUILD)
    counter = Counter(days.discord)
    held_there(counter, GUILD)
    async with counter.listening():
        await counter.settled()
        days.discord.heal()
        counter.later.set()
        await days.discord.until(lambda: [one for one in days.discord.called("guild") if one.status == 200])
        await counter.settled()

        assert counter.removals == []


async def test_what_discord_tells_of_a_server_holds_while_it_cannot_be_asked(days: Days) -> None:
    async with days.run() as counter:
        days.discord.fail("guild", http(503), times=None)
        days.discord.remove_bot()
        await counter.settled()

        assert [type(removal) for removal in counter.removals] == [WorkspaceLost]


async def test_another_application_lets_go_of_no_server_that_it_was_never_in(days: Days) -> None:
    choices = FakeChoices()
    async with (counter := Counter(days.discord, choices=choices)).listening():
        await counter.settled()
    days.discord.become(BOT + 1)
    other = Counter(days.discord, choices=choices)
    held_there(other, GUILD)
    async with other.listening():
        await other.settled()
        assert other.removals == []
        days.discord.invite_bot(days.discord.guild)
        await other.settled()
        days.discord.remove_bot()
        await other.settled()

        assert [type(removal) for removal in other.removals] == [WorkspaceLost]


async def test_no_server_is_lost_while_any_has_an_outage(days: Days) -> None:
    days.discord.outage()
    counter = Counter(days.discord)
    counter.held.append((Scope("discord", "77", "1"), "discord:77/1/1/1"))
    async with counter.listening():
        await counter.settled()
        assert counter.removals == []
        days.discord.recover()
        await counter.settled()
        assert [type(removal) for removal in counter.removals] == [WorkspaceLost]


async def test_channels_that_were_deleted_meanwhile_are_lost(days: Days) -> None:
    counter = Counter(days.discord)
    gone = Scope("discord", str(GUILD), str(days.discord.snowflake()))
    private = days.discord.start_thread(GENERAL, ANNA, "secret", private=True, members=[BOT])
    days.discord.archive(private)
    asleep = Scope("discord", str(GUILD), str(private.id))
    hidden = Scope("discord", str(GUILD), str(days.discord.add_channel("hidden").id))
    days.discord.hide(int(hidden.channel))
    for scope in (SCOPE, gone, asleep, hidden):
        counter.held.append((scope, f"discord:{GUILD}/{scope.channel}/1/1"))
    async with counter.listening():
        await counter.settled()

    assert [removal.scope for removal in counter.removals if isinstance(removal, ChannelLost)] == [gone]


async def test_a_server_that_let_the_bot_in_again_is_not_lost(days: Days) -> None:
    async with days.run() as counter:
        days.discord.remove_bot()
        days.discord.invite_bot(days.discord.guild)
        await counter.settled()

        assert counter.removals == []


async def test_a_shard_that_begins_anew_has_missed_nothing_elsewhere(days: Days) -> None:
    days.discord.gateway.shards = 2
    other = next(
        number for number in range(GUILD, GUILD + 10**9, 1 << 22) if (number >> 22) % 2 != (GUILD >> 22) % 2
    )
    days.discord.add_guild("Other", id=other)
    counter = Counter(days.discord, kind=ShardedClient)
    async with counter.listening():
        await counter.listeners.surroundings._rounds.settled()
        heard = set(counter.listeners.catchup._heard.values())
        assert heard == {str(GUILD), str(other)}
        for session in days.discord.gateway.live():
            if session.hears(other):
                assert session.connection is not None
                session.connection.send({"op": 9, "d": False})
        await days.discord.gateway.ready(2, identified=3)
        await days.discord.until(lambda: counter.client.connected)
        assert str(GUILD) in counter.listeners.catchup._heard.values()
        days.discord.say(GENERAL, ANNA, mention("how many days?"))
        await days.discord.until(lambda: counter.texts)

    assert not days.discord.called("history")
