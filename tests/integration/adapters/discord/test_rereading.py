"""What people have made of their messages, asked when nobody heard of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat import Body, MessageGone, Said, Thread, Unreachable
from pipeline.domain import Scope
from tests.fakes.discord import ANNA, BOT, FORUM, GENERAL, GUILD, http
from tests.integration.adapters.discord.speaking import QUESTION, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import Message


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


def mention(text: str) -> str:
    return f"<@{BOT}> {text}"


async def news(room: Speaking, message: Message, thread: Thread | None = None) -> Said | None:
    return await room.adapter.reread(thread or room.thread, str(message.id))


async def test_a_message_that_stands_as_it_was_written_has_no_news(room: Speaking) -> None:
    assert await news(room, room.question) is None


async def test_a_message_that_was_deleted_is_gone(room: Speaking) -> None:
    room.discord.delete(room.question)

    with pytest.raises(MessageGone):
        await news(room, room.question)


@pytest.mark.parametrize(
    ("content", "text", "mentioned"),
    [(mention("how long?"), "how long?", True), ("how long, Ben?", "how long, Ben?", False)],
)
async def test_a_message_that_was_edited_is_read_anew(
    room: Speaking, content: str, text: str, *, mentioned: bool
) -> None:
    room.discord.edit(room.question, content)

    assert await news(room, room.question) == Said(text=text, mentioned=mentioned)


async def test_a_message_that_names_the_bots_role_names_the_bot(room: Speaking) -> None:
    role = room.discord.guild.role_of(BOT)
    room.discord.edit(room.question, f"<@&{role.id}> how long?")

    assert await news(room, room.question) == Said(text="how long?", mentioned=True)


async def test_a_message_with_nothing_left_to_answer_is_gone(room: Speaking) -> None:
    room.discord.edit(room.question, " ")

    with pytest.raises(MessageGone):
        await news(room, room.question)


async def test_what_discord_hides_says_nothing(room: Speaking) -> None:
    room.discord.privileged = 0
    await room.client.close()
    room.begin_again()
    await room.client.login(room.discord.token)
    room.discord.edit(room.question, "how long, Ben?")

    assert await news(room, room.question) is None


async def test_in_threads_posts_and_direct_conversations_it_is_looked_for_where_it_stands(
    room: Speaking,
) -> None:
    await room.adapter.post(room.thread, Body(text="Five days."))
    follow_up = room.discord.say(room.room(), ANNA, "and half days?")
    post = room.discord.start_post(FORUM, ANNA, "Refunds", mention("how long?"))
    direct = room.discord.direct(ANNA)
    places = [
        (follow_up, room.thread),
        (room.discord.messages(post)[0], Thread(Scope("discord", str(GUILD), str(FORUM)), str(post.id))),
        (
            room.discord.say(direct, ANNA, "how long?"),
            Thread(Scope("discord", "direct", str(direct.id)), str(direct.id)),
        ),
    ]
    for message, thread in places:
        assert await news(room, message, thread) is None
        room.discord.edit(message, "and now?")
        direct_one = thread.scope.workspace == "direct"
        assert await news(room, message, thread) == Said(text="and now?", mentioned=direct_one)
        room.discord.delete(message)
        with pytest.raises(MessageGone):
            await news(room, message, thread)


async def test_what_the_bot_shows_for_somebody_is_no_message_of_theirs(room: Speaking) -> None:
    shown = room.discord.say(GENERAL, BOT, f"**Anna** asks:\n> {QUESTION}")
    room.discord.edit(shown, "something else")

    assert await news(room, shown, room.thread_of(shown)) is None


async def test_nobody_knows_while_discord_cannot_be_asked(room: Speaking) -> None:
    room.discord.fail("fetch", http(503))

    with pytest.raises(Unreachable):
        await news(room, room.question)
