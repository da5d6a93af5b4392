"""Questions that are asked by command."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from adapters.discord import whispers
from bot.chat import Body, Thread
from pipeline.domain import Scope
from tests.fakes.discord import (
    ADAM,
    ANNA,
    BEN,
    BOT,
    GENERAL,
    GUILD,
    HIDDEN,
    NO_THREADS,
    READONLY,
    held,
    http,
    refused,
    reset_after,
    reset_before,
)
from tests.integration.adapters.discord.using import SCOPE, Using

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import Channel, DiscordServer, Interaction

QUESTION = "How many days of holiday are there?"


@pytest.fixture
async def using(server: DiscordServer) -> AsyncIterator[Using]:
    async with Using(server).open() as using:
        yield using
    assert server.unguarded() == []


async def ask(
    using: Using, channel: Channel | int, question: str = QUESTION, user: int = ANNA
) -> Interaction:
    used = await using.discord.slash(user, channel, "ask", question=question).answered()
    await using.discord.until(lambda: using.questions)
    await using.settled()
    return used


async def test_a_question_is_shown_to_all_and_handed_on_like_a_mention(using: Using) -> None:
    used = await ask(using, GENERAL)

    (shown,) = using.discord.replies(GENERAL)
    assert (shown.content, shown.seen_by) == (f"**Anna** asks:\n\n> {QUESTION}", None)
    assert used.answers == [shown]
    (asked,) = using.questions
    assert asked.thread == Thread(SCOPE, str(shown.id))
    assert (asked.message_id, asked.author, asked.text) == (str(shown.id), str(ANNA), QUESTION)
    assert asked.mentioned and not asked.midway


async def test_it_is_answered_in_a_thread_that_is_named_after_it(using: Using) -> None:
    await ask(using, GENERAL)
    (asked,) = using.questions

    await using.adapter.post(asked.thread, Body(text="Thirty."))

    thread = using.discord.channel(int(asked.thread.key))
    assert (thread.name, using.discord.replies(thread)[-1].shown) == (QUESTION, "Thirty.")


async def test_where_there_can_be_no_thread_it_is_answered_by_a_reply_and_that_is_said_once(
    using: Using,
) -> None:
    used = await ask(using, NO_THREADS)
    (asked,) = using.questions

    await using.adapter.post(asked.thread, Body(text="Thirty."))

    question, answer = using.discord.replies(NO_THREADS)
    assert answer.answered is question
    (note,) = (one for one in used.answers if one.seen_by == ANNA)
    assert "**Create Public Threads**" in note.shown


async def test_in_a_thread_it_is_asked_there(using: Using) -> None:
    thread = using.discord.start_thread(GENERAL, ANNA, "a thread")

    await ask(using, thread)

    (asked,) = using.questions
    assert asked.thread == Thread(SCOPE, str(thread.id))
    assert asked.midway
    assert [one.shown for one in using.discord.replies(thread)] == [f"**Anna** asks:\n\n> {QUESTION}"]


async def test_in_a_direct_conversation_it_is_asked_there(using: Using) -> None:
    direct = using.discord.direct(BEN)

    await ask(using, direct, user=BEN)

    (asked,) = using.questions
    assert asked.thread == Thread(Scope("discord", "direct", str(direct.id)), str(direct.id))


async def test_names_are_read_and_nobody_is_pinged(using: Using) -> None:
    await ask(using, GENERAL, f"<@{BOT}> what does <#{NO_THREADS}> say to @everyone, <@{BEN}>?")

    (shown,) = using.discord.replies(GENERAL)
    (asked,) = using.questions
    assert asked.text == f"what does #no-threads say to @everyone, @{BEN}?"
    assert not shown.mentions and not using.discord.pings
    assert "@everyone" not in shown.content


async def test_the_name_of_whoever_asks_is_shown_as_it_is(using: Using) -> None:
    using.discord.guild.members[ANNA].nick = f"**x** <@{BEN}>"

    await ask(using, GENERAL)

    (shown,) = using.discord.replies(GENERAL)
    assert not shown.mentions
    assert f"<@{BEN}>" not in shown.content


@pytest.mark.parametrize("question", ["x" * 1500, "_*`[<" * 300, "\n".join("> # a" * 5)])
async def test_long_and_odd_questions_are_shown(using: Using, question: str) -> None:
    await ask(using, GENERAL, question)

    (shown,) = using.discord.replies(GENERAL)
    assert len(shown.content) <= 2000
    assert [one.text for one in using.questions] == [question]


@pytest.mark.parametrize(
    ("channel", "lacks"), [(READONLY, "**Send Messages**"), (HIDDEN, "**View Channel**")]
)
async def test_where_the_bot_cannot_answer_nothing_is_asked(using: Using, channel: int, lacks: str) -> None:
    assert lacks in await using.slash(ADAM, channel, "ask", question=QUESTION)
    assert using.questions == []
    assert using.discord.replies(channel) == []


async def test_in_a_thread_of_a_channel_without_the_right_to_write_nothing_is_asked(using: Using) -> None:
    thread = using.discord.start_thread(READONLY, ANNA, "a thread")

    assert "**Send Messages in Threads**" in await using.slash(ANNA, thread, "ask", question=QUESTION)
    assert using.questions == []


@pytest.mark.parametrize("fault", [reset_before(), reset_after()])
async def test_a_question_that_is_lost_on_its_way_is_shown_once(using: Using, fault: object) -> None:
    using.discord.fail("respond", fault)  # type: ignore[arg-type]  # both are faults

    await ask(using, GENERAL)

    (shown,) = using.discord.replies(GENERAL)
    assert [one.message_id for one in using.questions] == [str(shown.id)]


@pytest.mark.parametrize("found", [True, False])
async def test_a_question_whose_showing_is_confirmed_late_is_looked_up_and_asked(
    using: Using, monkeypatch: pytest.MonkeyPatch, found: bool
) -> None:
    monkeypatch.setattr(whispers, "PATIENCE", 0.05)
    gate = asyncio.Event()
    using.discord.fail("respond", held(gate, late=found))

    using.discord.slash(ANNA, GENERAL, "ask", question=QUESTION)
    await using.discord.until(lambda: using.discord.called("fetch answer"))
    await using.settled()
    asked = [one.message_id for one in using.questions]
    shown = using.discord.replies(GENERAL)
    gate.set()

    assert asked == [str(one.id) for one in shown]
    assert len(asked) == found


async def test_a_question_that_discord_py_shows_again_by_itself_is_ours(
    using: Using, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(whispers, "AGAIN_S", 0.0)  # discord.py waits for a second before
    using.discord.fail("respond", http(502, done=True))

    await ask(using, GENERAL)

    (shown,) = using.discord.replies(GENERAL)
    assert [one.message_id for one in using.questions] == [str(shown.id)]


async def test_what_another_process_has_asked_is_not_asked_twice(using: Using) -> None:
    using.discord.fail("respond", refused(40060))

    using.discord.slash(ANNA, GENERAL, "ask", question=QUESTION)
    await using.discord.until(lambda: using.discord.called("respond"))
    await using.settled()

    assert using.questions == []


async def test_a_server_without_the_bot_is_asked_to_invite_it(using: Using) -> None:
    using.client._connection._guilds.pop(GUILD)

    assert "not a member of this server" in await using.slash(ANNA, GENERAL, "ask", question=QUESTION)
