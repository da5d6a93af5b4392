"""Statuses, marks and history."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import discord
import pytest

from adapters.discord.budgets import EVERYTHING
from bot.budgets import SHARE
from bot.chat import Body, Mark, MessageGone, NotAllowed, RateLimited, Thread, Unreachable
from bot.recent import PAUSE
from pipeline.domain import Scope
from tests.fakes.discord import (
    ANNA,
    BEN,
    BOT,
    FORUM,
    GENERAL,
    GUILD,
    NO_THREADS,
    ROBOT,
    SECOND,
    Fault,
    Permission,
    http,
    rate_limited,
    refused,
    reset_before,
)
from tests.integration.adapters.discord.speaking import QUESTION, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import Message


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


def reactions(message: Message) -> list[str]:
    return [emoji for emoji, users in message.reactions.items() if BOT in users]


async def test_a_status_shows_that_the_bot_writes_and_nothing_else(room: Speaking) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    await room.adapter.set_status(room.thread, "Searching <@&1>…")
    await room.adapter.set_status(room.thread, None)

    assert [typing.channel for typing in room.discord.typings] == [room.room().id]


async def test_before_there_is_a_thread_the_status_stands_in_the_channel(room: Speaking) -> None:
    await room.adapter.set_status(room.ask(), "Searching…")

    assert [typing.channel for typing in room.discord.typings] == [GENERAL]
    assert room.discord.threads(GENERAL) == []


@pytest.mark.parametrize(
    "fault",
    [refused(50013), http(503), reset_before(), rate_limited(9, via=False), refused(10003)],
    ids=["refused", "503", "reset", "rate", "gone"],
)
async def test_a_status_is_never_worth_trouble(room: Speaking, fault: object) -> None:
    room.discord.fail("typing", fault)  # type: ignore[arg-type]

    await room.adapter.set_status(room.thread, "Searching…")

    assert room.count("typing") == 1


async def test_a_status_leaves_room_for_what_matters(room: Speaking) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    for _ in range(int(EVERYTHING.most * SHARE)):
        await room.calls.call(lambda: asyncio.sleep(0))

    await room.adapter.set_status(room.thread, "Searching…")

    assert room.discord.typings == []


async def test_a_mark_takes_the_place_of_the_one_before(room: Speaking) -> None:
    for mark, sign in ((Mark.WORKING, "⏳"), (Mark.FAILED, "❌"), (Mark.WORKING, "⏳"), (Mark.DONE, "✅")):
        await room.adapter.mark(room.thread, room.thread.key, mark)
        assert reactions(room.question) == [sign]


async def test_marks_of_people_stay(room: Speaking) -> None:
    room.discord.react(room.question, "⏳", BEN)
    for mark in (Mark.WORKING, Mark.DONE):
        await room.adapter.mark(room.thread, room.thread.key, mark)

    assert room.question.reactions["⏳"] == [BEN]


async def test_after_a_restart_the_hourglass_is_still_taken_back(room: Speaking) -> None:
    await room.adapter.mark(room.thread, room.thread.key, Mark.WORKING)
    room.renew()

    await room.adapter.mark(room.thread, room.thread.key, Mark.DONE)

    assert reactions(room.question) == ["✅"]


async def test_a_mark_in_a_thread_stands_at_the_message_in_it(room: Speaking) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    message = room.discord.say(room.room(), BEN, files=[("a.txt", "A")])

    await room.adapter.mark(room.thread, str(message.id), Mark.DONE)

    assert reactions(message) == ["✅"]


async def test_a_mark_at_a_post_of_a_forum_stands_in_the_post(room: Speaking) -> None:
    post = room.discord.start_post(FORUM, ANNA, "Refunds", files=[("a.txt", "A")])

    await room.adapter.mark(
        Thread(Scope("discord", str(GUILD), str(FORUM)), str(post.id)), str(post.id), Mark.DONE
    )

    assert reactions(room.discord.message(post.id)) == ["✅"]


async def test_a_mark_in_a_direct_conversation_stands_there(room: Speaking) -> None:
    direct = room.discord.direct(ANNA)
    message = room.discord.say(direct, ANNA, files=[("a.txt", "A")])
    thread = Thread(Scope("discord", "direct", str(direct.id)), str(direct.id))

    await room.adapter.mark(thread, str(message.id), Mark.DONE)

    assert reactions(message) == ["✅"]


async def test_where_the_bot_may_not_react_discord_is_asked_once_an_hour(room: Speaking) -> None:
    everyone = room.discord.guild.everyone
    own = room.discord.guild.role_of(BOT)
    everyone.permissions &= ~Permission.ADD_REACTIONS
    own.permissions &= ~Permission.ADD_REACTIONS
    for mark in Mark:
        await room.adapter.mark(room.thread, room.thread.key, mark)
    assert room.count("react", "unreact") == 1

    room.clock.advance(PAUSE)
    own.permissions |= Permission.ADD_REACTIONS
    await room.adapter.mark(room.thread, room.thread.key, Mark.FAILED)

    assert reactions(room.question) == ["❌"]


@pytest.mark.parametrize("code", [30010, 90001])
async def test_a_message_that_takes_no_reaction_is_left_alone(room: Speaking, code: int) -> None:
    room.discord.fail("react", _refusal(code))
    await room.adapter.mark(room.thread, room.thread.key, Mark.WORKING)
    await room.adapter.mark(room.thread, room.thread.key, Mark.DONE)

    assert reactions(room.question) == ["✅"]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(refused(50083), NotAllowed), (http(503), Unreachable), (rate_limited(9, via=False), RateLimited)],
    ids=["archive", "503", "rate"],
)
async def test_a_mark_that_failed_for_another_reason_says_so(
    room: Speaking, fault: object, kind: type[Exception]
) -> None:
    room.discord.fail("react", fault)  # type: ignore[arg-type]

    with pytest.raises(kind):
        await room.adapter.mark(room.thread, room.thread.key, Mark.DONE)


async def test_a_mark_at_a_deleted_message_says_that_it_is_gone(room: Speaking) -> None:
    room.discord.delete(room.question)

    with pytest.raises(MessageGone):
        await room.adapter.mark(room.thread, room.thread.key, Mark.WORKING)


async def test_history_begins_with_the_question_and_tells_who_spoke(room: Speaking) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    room.discord.say(room.room(), BEN, f"Is that sure, <@{ANNA}>?")
    room.discord.say(room.room(), ROBOT, "Build 7 failed.")
    room.discord.say(room.room(), BEN, files=[("a.txt", "A")])
    await room.adapter.post(room.thread, Body(text="Quite sure."))

    turns = await room.adapter.history(room.thread, limit=10)

    assert [(turn.author, turn.own) for turn in turns] == [
        (str(ANNA), False), (str(BOT), True), (str(BEN), False), (str(ROBOT), False), (str(BOT), True),
    ]  # fmt: skip
    assert turns[0].text == QUESTION
    assert str(ANNA) not in turns[2].text
    assert turns[4].text == "Quite sure."


async def test_history_is_the_end_of_a_long_conversation(room: Speaking) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    for number in range(300):
        room.discord.say(room.room(), BEN, f"Number {number}.")

    turns = await room.adapter.history(room.thread, limit=2)

    assert [turn.text for turn in turns] == ["Number 298.", "Number 299."]
    assert await room.adapter.history(room.thread, limit=0) == []
    assert room.count("history") == 1


async def test_what_only_happened_is_not_history(room: Speaking) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    room.discord.say(room.room(), BEN, "Old name", type=4)

    turns = await room.adapter.history(room.thread, limit=10)

    assert [turn.text for turn in turns] == [QUESTION, "Five days."]


async def test_a_question_that_was_deleted_is_no_history_of_its_thread(room: Speaking) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    room.discord.delete(room.question)

    turns = await room.adapter.history(room.thread, limit=10)

    assert [turn.text for turn in turns] == ["Five days."]


@pytest.mark.parametrize("restarted", [False, True])
async def test_history_of_a_conversation_in_a_channel_is_its_chain_of_replies(
    room: Speaking, restarted: bool
) -> None:
    room.discord.say(NO_THREADS, BEN, "Good morning")
    thread = room.ask(NO_THREADS)
    ref = await room.adapter.post(thread, Body(text="Five days."))
    room.discord.say(NO_THREADS, BEN, "Lunch?")
    room.discord.say(NO_THREADS, BEN, "And in June?", reply_to=room.message(ref))
    if restarted:
        room.renew()

    turns = await room.adapter.history(thread, limit=10)

    assert [turn.text for turn in turns] == [QUESTION, "Five days.", "And in June?"]


async def test_history_goes_on_where_an_old_question_is_out_of_sight(room: Speaking) -> None:
    thread = room.ask(NO_THREADS)
    follow_up = room.discord.say(NO_THREADS, BEN, "And in June?")
    room.places.note_question(thread, "And in June?", discord.Object(follow_up.id))
    for number in range(150):
        room.discord.say(NO_THREADS, BEN, f"Number {number}.")
    ref = await room.adapter.post(thread, Body(text="Six days."))
    room.discord.say(NO_THREADS, BEN, "And in July?", reply_to=room.message(ref))

    turns = await room.adapter.history(thread, limit=10)

    assert [turn.text for turn in turns] == ["Six days.", "And in July?"]


async def test_history_of_a_post_in_a_forum_begins_with_it(room: Speaking) -> None:
    post = room.discord.start_post(FORUM, ANNA, "Refunds", "How long?")
    thread = Thread(Scope("discord", str(GUILD), str(FORUM)), str(post.id))
    await room.adapter.post(thread, Body(text="Five days."))

    turns = await room.adapter.history(thread, limit=10)

    assert [turn.text for turn in turns] == ["How long?", "Five days."]


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(refused(50001), NotAllowed), (rate_limited(60, via=False), RateLimited), (reset_before(), Unreachable)],
    ids=["access", "rate", "reset"],
)
async def test_history_that_cannot_be_read_says_why(
    room: Speaking, fault: object, kind: type[Exception]
) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    room.discord.fail("history", fault, times=None)  # type: ignore[arg-type]

    with pytest.raises(kind):
        await room.adapter.history(room.thread, limit=3)


async def test_discord_streams_nothing(room: Speaking) -> None:
    assert await room.adapter.open_stream(room.ask(SECOND)) is None
    assert room.called() == []


def _refusal(code: int) -> Fault:
    return Fault(status=403, body={"code": code, "message": "No."})
