"""Messages that are posted, changed and taken back, whatever happens to Slack's answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.addressing import channel_itself
from adapters.slack.budgets import TIER_3
from adapters.slack.calls import Refused
from adapters.slack.strays import EVENT
from bot.budgets import SHARE
from bot.chat import Body, Button, MessageGone, MessageRef, NotAllowed, RateLimited, TooLong, Unreachable
from bot.controls import while_writing
from tests.contracts.posts import ONE, PostsContract
from tests.fakes.slack import Fault, error, http, rate_limited, reset_after, reset_before
from tests.integration.adapters.slack.speaking import CHANNEL, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


class TestPostsOnSlack(PostsContract):
    posting, editing, fault = "chat.postMessage", "chat.update", Fault


def arguments(room: Speaking, method: str) -> dict[str, Any]:
    return room.slack.called(method)[-1].arguments


async def test_a_message_stands_in_its_thread_without_previews(room: Speaking) -> None:
    await room.adapter.post(room.thread, ONE)

    said = arguments(room, "chat.postMessage")
    assert said["thread_ts"] == room.thread.key
    assert said["unfurl_links"] is False
    assert said["unfurl_media"] is False
    assert said["text"]
    assert said["metadata"] == {"event_type": EVENT, "event_payload": {"nonce": "k-0"}}


async def test_what_belongs_to_no_thread_stands_in_the_channel_and_is_found_there_again(
    room: Speaking,
) -> None:
    channel = channel_itself(room.thread.scope)
    room.slack.fail("chat.postMessage", reset_after())
    with pytest.raises(Unreachable):
        await room.adapter.post(channel, ONE)

    ref = await room.adapter.post(channel, ONE)
    await room.adapter.edit(ref, Body(text="Six days."))

    assert "thread_ts" not in arguments(room, "chat.postMessage")
    assert [one.shown for one in room.slack.messages(CHANNEL)][1:] == ["Six days."]


async def test_an_edit_takes_no_arguments_that_only_posts_take(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)

    await room.adapter.edit(ref, Body(text="Six days."))

    assert not {"unfurl_links", "unfurl_media", "thread_ts"} & arguments(room, "chat.update").keys()
    assert len(arguments(room, "chat.update")["text"]) <= 4_000


@pytest.mark.parametrize("fault", [reset_after(), http(502)], ids=["reset", "502"])
async def test_a_post_whose_answer_was_lost_is_not_posted_again(room: Speaking, fault: Fault) -> None:
    room.slack.fail("chat.postMessage", fault)
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    ref = await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1
    assert ref.id == room.slack.replies(CHANNEL, room.thread.key)[0].ts


async def test_a_post_that_never_arrived_is_posted(room: Speaking) -> None:
    room.slack.fail("chat.postMessage", reset_before())
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1
    assert room.count("chat.postMessage") == 2


async def test_another_nonce_is_another_message(room: Speaking) -> None:
    room.slack.fail("chat.postMessage", reset_after())
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    await room.adapter.post(room.thread, Body(text="Another.", nonce="k-1"))

    assert len(room.shown()) == 2


async def test_the_same_nonce_in_another_thread_is_another_message(room: Speaking) -> None:
    other = room.ask()
    room.slack.fail("chat.postMessage", reset_after())
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    await room.adapter.post(other, ONE)

    assert len(room.shown()) == len(room.shown(other)) == 1


async def test_slack_is_not_asked_what_stands_when_nothing_went_wrong(room: Speaking) -> None:
    for nonce in ("k-0", "k-1"):
        await room.adapter.post(room.thread, Body(text="One.", nonce=nonce))
    room.slack.fail("chat.postMessage", rate_limited(1))
    with pytest.raises(RateLimited):
        await room.adapter.post(room.thread, ONE)
    room.clock.advance(1.0)
    await room.adapter.post(room.thread, ONE)

    assert room.count("conversations.replies") == 0


async def test_what_cannot_be_told_now_is_not_posted_twice(room: Speaking) -> None:
    room.slack.fail("chat.postMessage", reset_after())
    room.slack.fail("conversations.replies", http(503))
    room.slack.fail("conversations.replies", rate_limited(2))
    for kind in (Unreachable, Unreachable, RateLimited):
        with pytest.raises(kind):
            await room.adapter.post(room.thread, ONE)
    room.clock.advance(2.0)

    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1


async def test_where_threads_cannot_be_read_a_second_message_is_better_than_none(room: Speaking) -> None:
    room.slack.fail("chat.postMessage", reset_before())
    room.slack.fail("conversations.replies", error("missing_scope"), times=None)
    with pytest.raises(Unreachable):
        await room.adapter.post(room.thread, ONE)

    await room.adapter.post(room.thread, ONE)

    assert len(room.shown()) == 1


async def test_an_edit_that_can_be_stopped_leaves_room_for_the_last_one(room: Speaking) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    for number in range(int(TIER_3.most * SHARE)):
        await room.adapter.edit(ref, Body(text=f"{number} …", buttons=while_writing("q")))
    with pytest.raises(RateLimited):
        await room.adapter.edit(ref, Body(text="One more …", buttons=while_writing("q")))

    await room.adapter.edit(ref, Body(text="The last one."))

    assert room.shown() == ["The last one."]


async def test_blocks_that_slack_does_not_take_are_replaced_by_simpler_ones(room: Speaking) -> None:
    def modern(said: Any) -> bool:
        return any(block["type"] == "markdown" for block in said["blocks"])

    for method in ("chat.postMessage", "chat.update"):
        room.slack.fail(method, error("invalid_blocks"), times=None, when=modern)

    ref = await room.adapter.post(room.thread, ONE)
    assert "five days" in room.shown()[0]
    await room.adapter.edit(ref, Body(text="Six days.", buttons=(Button(label="Why", action="why"),)))

    (message,) = room.slack.replies(CHANNEL, room.thread.key)
    assert "Six days" in message.shown
    assert message.buttons == ["Why"]


async def test_blocks_that_are_never_taken_are_an_error_that_names_it(room: Speaking) -> None:
    room.slack.fail("chat.postMessage", error("invalid_blocks"), times=None)

    with pytest.raises(Refused) as caught:
        await room.adapter.post(room.thread, ONE)

    assert caught.value.code == "invalid_blocks"
    assert room.count("chat.postMessage") == 2


@pytest.mark.parametrize("code", ["msg_too_long", "msg_blocks_too_long"])
async def test_what_slack_finds_too_long_is_too_long(room: Speaking, code: str) -> None:
    ref = await room.adapter.post(room.thread, ONE)
    for method in ("chat.postMessage", "chat.update"):
        room.slack.fail(method, error(code))

    with pytest.raises(TooLong):
        await room.adapter.post(room.thread, ONE)
    with pytest.raises(TooLong):
        await room.adapter.edit(ref, ONE)


async def test_a_message_that_still_streams_is_ended_before_it_is_edited_or_deleted(room: Speaking) -> None:
    live = await room.stream()
    await live.append("Refunds take ")
    assert live.message is not None

    await room.adapter.edit(live.message, Body(text="Five days."))
    assert room.shown() == ["Five days."]

    other = await room.stream()
    await other.append("Refunds take ")
    assert other.message is not None
    await room.adapter.delete(other.message)

    assert room.shown() == ["Five days."]


async def test_a_stream_that_slack_has_not_seen_end_yet_is_edited_later(room: Speaking) -> None:
    live = await room.stream()
    await live.append("Refunds take ")
    assert live.message is not None
    room.slack.fail("chat.update", error("streaming_state_conflict"), times=2)
    with pytest.raises(Unreachable):
        await room.adapter.edit(live.message, ONE)

    await room.adapter.edit(live.message, ONE)

    assert room.shown() == [ONE.text]


async def test_a_message_of_somebody_else_cannot_be_edited(room: Speaking) -> None:
    with pytest.raises(NotAllowed):
        await room.adapter.edit(MessageRef(room.thread, room.thread.key), ONE)


async def test_a_message_that_nobody_knows_is_gone(room: Speaking) -> None:
    ref = MessageRef(room.thread, "1600000000.000001")

    for call in (room.adapter.edit(ref, ONE), room.adapter.delete(ref)):
        with pytest.raises(MessageGone):
            await call


@pytest.mark.parametrize("channel", ["C0WITHOUT", "C0ARCHIVED"])
async def test_a_channel_without_the_bot_is_not_allowed(room: Speaking, channel: str) -> None:
    with pytest.raises(NotAllowed):
        await room.adapter.post(room.ask(channel), ONE)
