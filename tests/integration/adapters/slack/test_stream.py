"""Answers that Slack streams, and everything that can end them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from adapters.slack.stream import LONGEST
from bot.chat import Body, MessageGone, NotAllowed, RateLimited, TooLong, Unreachable
from bot.controls import under_answer
from tests.fakes.slack import error, held, http, rate_limited, reset_after, reset_before
from tests.integration.adapters.slack.speaking import CHANNEL, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from adapters.slack.stream import SlackMessage
    from tests.fakes.slack import Fault, Message

PIECES = ["Refunds ", "take ", "five days [1]."]
TEXT = "".join(PIECES)
FINAL = Body(text=f"{TEXT}\n\n[1] handbook.pdf, page 3", buttons=under_answer("q"))


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


async def begun(room: Speaking, *pieces: str) -> SlackMessage:
    live = await room.stream()
    for piece in pieces or PIECES[:2]:
        await live.append(piece)
    return live


def only(room: Speaking) -> Message:
    (message,) = room.slack.replies(CHANNEL, room.thread.key)
    return message


def assert_final(room: Speaking, body: Body = FINAL) -> None:
    message = only(room)
    assert message.shown == body.text
    assert len(message.buttons) == len(body.buttons)
    assert not message.streaming
    assert not message.broken


async def test_pieces_become_one_message_with_buttons_and_no_edit(room: Speaking) -> None:
    live = await begun(room, *PIECES)
    ref = await live.close(FINAL)

    assert_final(room)
    assert live.message == ref
    assert only(room).ts == ref.id
    assert only(room).metadata is not None
    assert room.called() == ["chat.startStream", *["chat.appendStream"] * 2, "chat.stopStream"]


async def test_what_was_shown_and_stays_is_not_sent_again(room: Speaking) -> None:
    live = await begun(room, *PIECES)
    await live.close(FINAL)

    (stop,) = room.slack.called("chat.stopStream")
    assert stop.arguments["markdown_text"] == "\n\n[1] handbook.pdf, page 3"


async def test_a_final_text_that_says_something_else_replaces_everything(room: Speaking) -> None:
    live = await begun(room)
    other = Body(text="That is not in your documents.", buttons=under_answer("q"))

    await live.close(other)

    assert_final(room, other)
    assert room.called()[-2:] == ["chat.stopStream", "chat.update"]


async def test_a_final_text_that_is_shorter_replaces_everything(room: Speaking) -> None:
    live = await begun(room, *PIECES)

    await live.close(Body(text="Refunds take "))

    assert_final(room, Body(text="Refunds take "))


async def test_what_is_held_back_between_two_pieces_is_shown_in_the_end(room: Speaking) -> None:
    live = await begun(room, "Write to ", "@", "chan", "nel and <", "5 days &", "amp; x")
    await live.close(Body(text="Write to @channel and <5 days &amp; x"))

    assert only(room).shown.replace("\u2060", "") == "Write to @channel and <5 days &amp; x"
    assert room.count("chat.update") == 0


async def test_nothing_is_begun_with_what_cannot_be_seen(room: Speaking) -> None:
    live = await room.stream()
    await live.append(" \n")
    assert live.message is None
    assert room.called() == []

    await live.append("Five days.")

    assert only(room).shown == " \nFive days."


async def test_a_stream_that_showed_nothing_is_posted(room: Speaking) -> None:
    live = await room.stream()
    await live.close(FINAL)

    assert_final(room)
    assert room.called() == ["chat.postMessage"]


async def test_a_post_in_place_of_a_stream_is_made_once_although_its_answer_is_lost(room: Speaking) -> None:
    room.slack.fail("chat.postMessage", reset_after())
    live = await room.stream()
    with pytest.raises(Unreachable):
        await live.close(FINAL)

    await live.close(FINAL)

    assert_final(room)


@pytest.mark.parametrize("fault", [rate_limited(1), None], ids=["slack", "here"])
async def test_after_a_limit_the_same_piece_may_come_again(room: Speaking, fault: Fault | None) -> None:
    live = await begun(room)
    if fault is not None:
        room.slack.fail("chat.appendStream", fault)
    else:
        room.calls.budgets.limited("T0ACME", "chat.appendStream", room.clock.monotonic(), 1.0)
    for _ in range(2):
        with pytest.raises(RateLimited):
            await live.append("five <")
    room.clock.advance(1.0)

    await live.append("five <")
    await live.append("= days")
    await live.close(Body(text="Refunds take five <= days"))

    assert_final(room, Body(text="Refunds take five <= days"))
    assert room.count("chat.update") == 0


async def test_after_a_limit_at_the_end_it_is_ended_again(room: Speaking) -> None:
    live = await begun(room)
    room.slack.fail("chat.stopStream", rate_limited(1))
    with pytest.raises(RateLimited):
        await live.close(FINAL)
    room.clock.advance(1.0)

    await live.close(FINAL)

    assert_final(room)
    assert room.count("chat.update") == 0


@pytest.mark.parametrize("fault", [reset_before(), reset_after(), http(500)], ids=["before", "after", "500"])
async def test_a_piece_whose_fate_is_unknown_ends_the_stream_and_the_message_is_replaced(
    room: Speaking, fault: Fault
) -> None:
    live = await begun(room)
    room.slack.fail("chat.appendStream", fault)
    with pytest.raises(Unreachable):
        await live.append(PIECES[2])
    with pytest.raises(NotAllowed):
        await live.append(PIECES[2])
    assert live.message is not None

    await room.adapter.edit(live.message, FINAL)

    assert_final(room)


@pytest.mark.parametrize("fault", [reset_before(), reset_after(), http(500)], ids=["before", "after", "500"])
async def test_an_end_whose_fate_is_unknown_is_made_again(room: Speaking, fault: Fault) -> None:
    live = await begun(room)
    room.slack.fail("chat.stopStream", fault)
    with pytest.raises(Unreachable):
        await live.close(FINAL)

    await live.close(FINAL)

    assert_final(room)


@pytest.mark.parametrize("fault", [reset_before(), reset_after()], ids=["before", "after"])
async def test_a_replacement_whose_fate_is_unknown_is_made_again(room: Speaking, fault: Fault) -> None:
    live = await begun(room)
    room.slack.fail("chat.update", fault)
    other = Body(text="Something else.")
    with pytest.raises(Unreachable):
        await live.close(other)

    await live.close(other)

    assert_final(room, other)
    assert room.count("chat.stopStream") == 1


@pytest.mark.parametrize(
    ("fault", "shown"), [(reset_before(), 0), (reset_after(), 1)], ids=["before", "after"]
)
async def test_a_beginning_whose_fate_is_unknown_is_taken_over_by_the_next_post(
    room: Speaking, fault: Fault, shown: int
) -> None:
    room.slack.fail("chat.startStream", fault)
    live = await room.stream()
    with pytest.raises(Unreachable):
        await live.append(PIECES[0])
    assert live.message is None
    assert len(room.shown()) == shown

    await room.adapter.post(room.thread, FINAL)

    assert_final(room)


async def test_a_beginning_whose_fate_is_unknown_is_taken_over_by_the_end(room: Speaking) -> None:
    room.slack.fail("chat.startStream", reset_after())
    live = await room.stream()
    with pytest.raises(Unreachable):
        await live.append(PIECES[0])

    await live.close(FINAL)

    assert_final(room)


async def test_a_lost_beginning_never_takes_over_a_finished_message(room: Speaking) -> None:
    streamed, edited = await begun(room), await begun(room)
    await streamed.close(FINAL)
    assert edited.message is not None
    await room.adapter.edit(edited.message, FINAL)
    await room.adapter.post(room.thread, FINAL)
    running = await begun(room)
    room.slack.fail("chat.startStream", reset_before())
    lost = await room.stream()
    with pytest.raises(Unreachable):
        await lost.append(PIECES[0])

    await room.adapter.post(room.thread, Body(text="Another answer."))
    await running.close(FINAL)

    assert room.shown() == [FINAL.text, FINAL.text, FINAL.text, FINAL.text, "Another answer."]


async def test_a_lost_beginning_that_somebody_deleted_is_posted_again(room: Speaking) -> None:
    room.slack.fail("chat.startStream", reset_after())
    live = await room.stream()
    with pytest.raises(Unreachable):
        await live.append(PIECES[0])
    only(room).deleted = True

    await room.adapter.post(room.thread, FINAL)

    assert_final(room)


async def test_a_stream_that_was_cancelled_on_its_way_can_be_replaced(room: Speaking) -> None:
    live, gate = await begun(room), asyncio.Event()
    room.slack.fail("chat.appendStream", held(gate, late=True))
    appending = asyncio.create_task(live.append(PIECES[2]))
    await room.slack.until(lambda: room.count("chat.appendStream") == 2)
    appending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await appending
    gate.set()

    await live.close(FINAL)

    assert_final(room)


async def test_a_stream_is_ended_before_slack_ends_it(room: Speaking) -> None:
    live = await begun(room)
    room.clock.advance(LONGEST)

    with pytest.raises(NotAllowed):
        await live.append(PIECES[2])

    assert not only(room).streaming
    assert live.message is not None
    await room.adapter.edit(live.message, FINAL)
    assert_final(room)


async def test_an_old_stream_that_cannot_be_ended_now_is_ended_by_its_edit(room: Speaking) -> None:
    live = await begun(room)
    room.clock.advance(LONGEST)
    room.slack.fail("chat.stopStream", rate_limited(1))
    with pytest.raises(NotAllowed):
        await live.append(PIECES[2])
    assert live.message is not None
    with pytest.raises(RateLimited):
        await room.adapter.edit(live.message, FINAL)
    room.clock.advance(1.0)

    await room.adapter.edit(live.message, FINAL)

    assert_final(room)


async def test_an_old_stream_can_still_be_closed_whole(room: Speaking) -> None:
    live = await begun(room)
    room.clock.advance(LONGEST + 10.0)

    await live.close(FINAL)

    assert_final(room)


@pytest.mark.parametrize("when", ["append", "close"])
async def test_a_stream_that_slack_ended_is_replaced(room: Speaking, when: str) -> None:
    live = await begun(room)
    assert room.slack.expire_streams() == 1
    assert only(room).broken
    if when == "append":
        with pytest.raises(NotAllowed):
            await live.append(PIECES[2])

    await live.close(FINAL)

    assert_final(room)


async def test_whoever_presses_slacks_stop_button_ends_the_answer(room: Speaking) -> None:
    room.slack.agent = True
    live = await begun(room)
    only(room).stopped = True

    with pytest.raises(NotAllowed):
        await live.append(PIECES[2])

    assert [stop.thread for stop in room.stops] == [room.thread]
    assert live.message is not None
    assert room.slack.sessions[CHANNEL, room.thread.key] == "active"


async def test_a_stop_that_comes_with_the_end_changes_nothing_that_is_said(room: Speaking) -> None:
    room.slack.agent = True
    live = await begun(room)
    only(room).streaming, only(room).stopped = False, True

    await live.close(FINAL)

    assert_final(room)
    assert room.stops == []
    assert room.slack.sessions[CHANNEL, room.thread.key] == "active"


async def test_an_app_that_is_no_agent_has_no_session_to_settle(room: Speaking) -> None:
    room.slack.agent = False
    live = await begun(room)
    room.slack.expire_streams()

    await live.close(FINAL)

    assert_final(room)


async def test_a_deleted_stream_is_gone(room: Speaking) -> None:
    live = await begun(room)
    only(room).deleted = True

    with pytest.raises(MessageGone):
        await live.append(PIECES[2])
    with pytest.raises(MessageGone):
        await live.close(FINAL)


async def test_a_piece_that_is_too_long_for_a_call_is_not_sent(room: Speaking) -> None:
    live = await begun(room)

    with pytest.raises(TooLong):
        await live.append("w" * 12_001)

    assert only(room).shown == "Refunds take "
    await live.close(FINAL)
    assert_final(room)


async def test_an_end_that_is_too_long_is_told_before_anything_happens(room: Speaking) -> None:
    live = await begun(room)
    methods = room.called()

    with pytest.raises(TooLong):
        await live.close(Body(text="w" * 20_000))

    assert room.called() == methods


async def test_an_end_whose_buttons_are_refused_is_replaced(room: Speaking) -> None:
    live = await begun(room)
    room.slack.fail("chat.stopStream", error("invalid_blocks"), when=lambda said: "blocks" in said)

    await live.close(FINAL)

    assert_final(room)


async def test_closing_again_with_the_same_body_changes_nothing(room: Speaking) -> None:
    live = await begun(room)
    first = await live.close(FINAL)
    calls = len(room.slack.calls)

    assert await live.close(FINAL) == first
    assert len(room.slack.calls) == calls
    with pytest.raises(NotAllowed):
        await live.append("more")


@pytest.mark.parametrize(
    "code", ["not_in_channel", "is_archived", "restricted_action_thread_locked", "message_not_owned_by_app"]
)
async def test_a_refusal_in_the_middle_breaks_the_stream_and_leaves_its_message_named(
    room: Speaking, code: str
) -> None:
    live = await begun(room)
    room.slack.fail("chat.appendStream", error(code))

    with pytest.raises(NotAllowed):
        await live.append(PIECES[2])

    assert live.message is not None
    assert room.stops == []
