"""What people have made of their messages, asked when nobody heard of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat import MessageGone, Said, Thread, Unreachable
from tests.fakes.slack import ANNA, error
from tests.integration.adapters.slack.speaking import CHANNEL, DIRECT, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


@pytest.mark.parametrize("follow_up", [False, True])
@pytest.mark.parametrize("channel", [CHANNEL, DIRECT])
async def test_what_became_of_a_message_is_read_in_its_thread(
    room: Speaking, channel: str, *, follow_up: bool
) -> None:
    thread = room.ask(channel)
    ts = thread.key
    if follow_up:
        ts = room.slack.say(channel, ANNA, "and half days?", ts, events=()).ts
    assert await room.adapter.reread(thread, ts) is None

    message = room.slack.message(channel, ts)
    room.slack.edit_message(message, "<@U0BOT> how long?", events=())
    assert await room.adapter.reread(thread, ts) == Said(text="how long?", mentioned=True)

    room.slack.edit_message(message, "how long?", events=())
    assert await room.adapter.reread(thread, ts) == Said(text="how long?", mentioned=channel == DIRECT)

    room.slack.delete_message(message)
    with pytest.raises(MessageGone):
        await room.adapter.reread(thread, ts)


async def test_nobody_knows_while_slack_cannot_be_asked(room: Speaking) -> None:
    room.slack.fail("conversations.replies", error("internal_error"))

    with pytest.raises(Unreachable):
        await room.adapter.reread(Thread(room.thread.scope, room.thread.key), room.thread.key)
