from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.chat import (
    Button,
    Capabilities,
    Mark,
    MessageGone,
    NotAllowed,
    RateLimited,
    Threading,
    TooLong,
    Unreachable,
)
from bot.controls import under_answer, while_writing
from bot.pacing import Limiter
from bot.reply import Halt
from bot.screens import CURSOR, Edits, Spot
from pipeline.conversation import GenerationResponse, Reason
from tests.fakes.chat import EDITED, FLAT, STREAMED, FakeChat
from tests.fakes.clock import FakeClock
from tests.fakes.pipeline import answer, citation
from tests.fakes.replies import LONG, THREAD, courier_on, given, joined, reply_on, show, slow, stream_of
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from bot.chat import ChatError, MessageRef


async def test_a_post_that_landed_without_saying_so_is_not_shown_twice() -> None:
    chat = FakeChat()
    chat.fail("post", Unreachable(), Unreachable(), landed=True)

    await show(chat, slow(answer("Five days."), FakeClock()))

    assert chat.texts() == ["Five days."]


async def test_a_post_that_was_given_up_while_streaming_shows_the_final_text_in_the_end() -> None:
    clock = FakeClock()
    chat = FakeChat()
    chat.fail("post", *(Unreachable() for _ in range(3)), landed=True)

    await show(chat, slow(answer(LONG[:400]), clock, 2.0), clock)

    assert chat.texts() == [LONG[:400].strip()]


async def test_a_deleted_answer_is_posted_again() -> None:
    clock = FakeClock()
    chat = FakeChat()
    script = slow(answer(LONG[:400]), clock, 1.0)
    task = asyncio.create_task(reply_on(chat, clock).show(given(stream_of(script))))
    await until(lambda: chat.messages)

    chat.vanish(next(iter(chat.messages)))
    await task

    assert chat.texts() == [LONG[:400].strip()]


@pytest.mark.parametrize("streams", [False, True])
async def test_where_the_end_cannot_be_edited_in_it_is_posted_and_the_beginning_removed(
    streams: bool,
) -> None:
    clock = FakeClock()
    chat = FakeChat(EDITED, streams=streams)
    script = slow(answer(LONG[:3000]), clock, 0.3)
    reply = reply_on(chat, clock, writing=while_writing("q1"))
    task = asyncio.create_task(reply.show(given(stream_of(script))))
    await until(lambda: len(chat.messages) == 2)
    before = set(chat.messages)

    chat.fail("close", *(NotAllowed() for _ in range(99)))
    chat.fail("edit", *(NotAllowed() for _ in range(99)))
    outcome = await task

    assert joined(chat) == LONG[:3000].strip()
    assert outcome.delivered
    assert outcome.messages == tuple(chat.messages)
    assert len(before & set(chat.messages)) == 1  # the full part was right already
    assert [shown.body.buttons for shown in chat.messages.values()] == [(), under_answer("q1")]


async def test_a_beginning_that_cannot_be_removed_either_stands_above_the_answer() -> None:
    clock = FakeClock()
    chat = FakeChat()
    task = asyncio.create_task(reply_on(chat, clock).show(given(stream_of(slow(answer(LONG), clock)))))
    await until(lambda: chat.messages)

    for call in ("edit", "delete"):
        chat.fail(call, *(NotAllowed() for _ in range(99)))
    outcome = await task

    beginning, *whole = chat.texts()
    assert beginning.endswith(("_", CURSOR))
    assert " ".join(whole) == LONG.strip()
    assert outcome.delivered


@pytest.mark.parametrize("error", [NotAllowed(), Unreachable()])
async def test_where_posting_is_refused_too_no_beginning_stays_that_nobody_ends(
    error: ChatError, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    chat = FakeChat()
    task = asyncio.create_task(reply_on(chat, clock).show(given(stream_of(slow(answer("Five."), clock)))))
    await until(lambda: chat.messages)

    chat.fail("edit", *(NotAllowed() for _ in range(99)))
    chat.fail("post", *(error for _ in range(99)))
    outcome = await task

    assert not outcome.delivered
    assert outcome.messages == tuple(chat.messages)
    assert "could not be delivered" in caplog.text


async def test_an_end_that_was_posted_by_a_process_that_died_is_not_posted_twice() -> None:
    chat = FakeChat()
    first = await show(chat, answer("Half"))
    chat.fail("edit", *(NotAllowed() for _ in range(99)))
    chat.fail("delete", NotAllowed())
    await reply_on(chat, FakeClock(), standing=first.messages).show(given(stream_of(answer("Whole."))))

    again = reply_on(chat, FakeClock(), standing=tuple(chat.messages), resumed=True)
    outcome = await again.show(given(stream_of(answer("Whole."))))

    assert chat.texts() == ["Whole."]
    assert outcome.messages == tuple(chat.messages)


async def test_an_answer_that_is_deleted_again_and_again_stays_deleted() -> None:
    chat = FakeChat()
    chat.fail("edit", *(MessageGone() for _ in range(20)))
    clock = FakeClock()

    outcome = await show(chat, slow(answer(LONG[:400]), clock, 1.0), clock)

    assert not outcome.delivered
    assert chat.count("post") <= 4


async def test_when_the_first_of_two_messages_is_deleted_both_come_back_in_order() -> None:
    clock = FakeClock()
    chat = FakeChat()
    final = LONG[:3000].replace("Sentence 0 of a long answer.", "Sentence 0 of a long answer [1].").strip()
    script = slow(answer(LONG[:3000], final=final), clock, 0.2)
    task = asyncio.create_task(reply_on(chat, clock).show(given(stream_of(script))))
    await until(lambda: len(chat.messages) >= 2)

    chat.vanish(next(iter(chat.messages)))
    await task

    assert joined(chat) == final


@pytest.mark.parametrize("streams", [False, True])
async def test_six_thousand_characters_are_shown_once_whole_and_in_order(streams: bool) -> None:
    clock = FakeClock()
    text = LONG[:6000].strip()
    chat = FakeChat(EDITED, streams=streams)

    await show(chat, slow(answer(text), clock, 0.05), clock)

    assert joined(chat) == text
    assert len(chat.messages) >= 3
    assert all(len(part) <= 2000 for part in chat.texts())


async def test_a_full_part_is_not_edited_again() -> None:
    clock = FakeClock()
    chat = FakeChat()

    await show(chat, slow(answer(LONG[:5000]), clock, 0.05), clock)

    first = next(iter(chat.messages.values()))
    assert first.versions.count(first.body.text) == 1
    assert first.versions[-1] == first.body.text


async def test_a_body_that_is_too_long_once_rendered_is_split_smaller() -> None:
    clock = FakeClock()
    chat = FakeChat(overhead=400)

    outcome = await show(chat, slow(answer(LONG[:5000]), clock, 0.05), clock)

    assert outcome.delivered
    assert joined(chat) == LONG[:5000].strip()


async def test_text_that_no_part_can_hold_is_given_up() -> None:
    chat = FakeChat(overhead=1950)

    outcome = await show(chat, answer(LONG[:1000]))

    assert not outcome.delivered
    assert chat.texts() == []
    assert chat.marks == [("q1", Mark.FAILED)]


async def test_when_a_whole_thread_is_gone_all_of_the_answer_is_posted_anew() -> None:
    clock = FakeClock()
    chat = FakeChat()
    task = asyncio.create_task(reply_on(chat, clock).show(given(stream_of(slow(answer(LONG[:3000]), clock)))))
    await until(lambda: len(chat.messages) == 2)

    chat.messages.clear()
    gone = MessageGone()
    gone.everything = True
    chat.fail("edit", gone)
    outcome = await task

    assert joined(chat) == LONG[:3000].strip()
    assert outcome.delivered


async def test_messages_that_a_shorter_final_text_leaves_over_are_removed() -> None:
    clock = FakeClock()
    chat = FakeChat()
    script = answer(LONG[:5000])
    script.response = GenerationResponse(
        success=False, reason=Reason.UNSUPPORTED_ANSWER, message="Nothing was supported."
    )

    outcome = await show(chat, slow(script, clock, 0.05), clock)

    assert chat.texts() == ["Nothing was supported."]
    assert len(outcome.messages) == 1


async def test_a_native_stream_grows_and_is_closed_with_the_whole_reply() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)

    await show(
        chat, slow(answer("Refunds take five days [1].", citations=[citation("1")]), clock, 1.0), clock
    )

    (shown,) = chat.messages.values()
    assert not shown.streaming
    assert shown.body.text.startswith("Refunds take five days [1].\n\n[1] handbook.pdf, page 3")
    assert not any(CURSOR in version for version in shown.versions)
    assert chat.count("edit") == 0
    assert chat.statuses[0] == "Searching 3 documents…"
    assert chat.statuses[-1] is None


async def test_a_declined_stream_has_consumed_nothing() -> None:
    chat = FakeChat()
    chat.fail("open_stream", Unreachable())

    await show(chat, answer("Five days."))

    assert chat.texts() == ["Five days."]


@pytest.mark.parametrize("error", [Unreachable(), NotAllowed(), MessageGone(), TooLong()])
@pytest.mark.parametrize("landed", [False, True])
async def test_a_stream_that_breaks_midway_loses_and_doubles_no_character(
    error: Exception, landed: bool
) -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)
    script = slow(answer(LONG[:2000]), clock, 0.3)
    task = asyncio.create_task(reply_on(chat, clock).show(given(stream_of(script))))
    await until(lambda: chat.count("append") >= 3)

    chat.fail("append", error, landed=landed)  # type: ignore[arg-type]  # parametrised with its subclasses
    await task

    assert chat.texts() == [LONG[:2000].strip()]
    assert chat.count("edit") > 1


async def test_a_stream_that_is_limited_goes_on_where_it_stopped() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)
    chat.fail("append", RateLimited(2.0), RateLimited(2.0))

    await show(chat, slow(answer(LONG[:1000]), clock, 0.3), clock)

    assert chat.texts() == [LONG[:1000].strip()]
    assert chat.count("edit") == 0


@pytest.mark.parametrize("landed", [False, True])
async def test_a_stream_that_cannot_be_closed_is_edited(landed: bool) -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)
    chat.fail("close", *(Unreachable() for _ in range(6)), landed=landed)

    outcome = await show(chat, slow(answer(LONG[:500]), clock), clock)

    assert outcome.delivered
    assert chat.texts() == [LONG[:500].strip()]


async def test_a_second_part_that_the_platform_does_not_stream_is_edited() -> None:
    clock = FakeClock()
    chat = FakeChat(EDITED, streams=True)
    script = slow(answer(LONG[:3500]), clock, 0.1)
    task = asyncio.create_task(reply_on(chat, clock).show(given(stream_of(script))))
    await until(lambda: chat.opened)

    chat.fail("open_stream", NotAllowed())
    await task

    assert joined(chat) == LONG[:3500].strip()


async def test_where_nothing_can_be_edited_a_broken_stream_is_continued_in_another_message() -> None:
    clock = FakeClock()
    capabilities = Capabilities(max_chars=12_000, edit_interval=None, threading=Threading.FLAT)
    chat = FakeChat(capabilities, streams=True)
    script = slow(answer(LONG[:1000]), clock, 0.3)
    task = asyncio.create_task(reply_on(chat, clock).show(given(stream_of(script))))
    await until(lambda: chat.count("append") >= 5)

    chat.fail("append", Unreachable())
    await task

    assert "".join(chat.texts()).replace(" ", "") == LONG[:1000].strip().replace(" ", "")


async def test_where_nothing_can_be_edited_the_answer_arrives_once() -> None:
    clock = FakeClock()
    chat = FakeChat(FLAT)

    await show(chat, slow(answer(LONG[:3000]), clock), clock)

    assert joined(chat) == LONG[:3000].strip()
    assert chat.count("edit") == 0
    assert chat.statuses[0] == "Searching 3 documents…"
    assert chat.statuses[-1] is None


async def test_a_status_that_cannot_be_taken_back_does_no_harm() -> None:
    clock = FakeClock()
    chat = FakeChat(FLAT)
    chat.fail("set_status", RateLimited(1.0), *(Unreachable() for _ in range(9)))

    outcome = await show(chat, slow(answer("Five days."), clock), clock)

    assert outcome.delivered
    assert chat.texts() == ["Five days."]


async def test_the_buttons_of_an_answer_come_with_its_last_message_only() -> None:
    chat = FakeChat()

    await show(chat, answer(LONG[:3000]))

    first, last = chat.messages.values()
    assert first.body.buttons == ()
    assert last.body.buttons == under_answer("q1")


@pytest.mark.parametrize("capabilities", [EDITED, STREAMED])
async def test_an_edited_answer_can_be_stopped_while_it_is_written(capabilities: Capabilities) -> None:
    clock = FakeClock()
    chat = FakeChat(capabilities)
    script = slow(answer(LONG[:3000]), clock, 0.3)

    await reply_on(chat, clock, writing=while_writing("q1")).show(given(stream_of(script)))

    stop = while_writing("q1")[: capabilities.max_buttons]
    *parts, last = chat.messages.values()
    assert last.bodies[0].buttons == last.bodies[-2].buttons == stop
    assert all(part.body.buttons == () for part in parts)
    assert stop == () or stop != last.body.buttons


async def test_a_button_that_does_not_fit_is_shown_as_text() -> None:
    chat = FakeChat(FLAT)
    button = Button(label="Retire", action="forget", fallback="To retire it: `forget d1`")

    await Edits(courier_on(chat), Spot(thread=THREAD, key="k")).finish("Five days.", [button])

    assert chat.texts() == ["Five days.\n\nTo retire it: `forget d1`"]


@pytest.mark.parametrize("streams", [False, True])
async def test_which_messages_stand_is_told_as_soon_as_they_do(streams: bool) -> None:
    clock = FakeClock()
    chat = FakeChat(EDITED, streams=streams)
    told: list[tuple[MessageRef, ...]] = []
    seen: list[int] = []

    async def stood(messages: tuple[MessageRef, ...]) -> None:
        told.append(messages)
        seen.append(len(chat.messages))

    script = slow(answer(LONG[:6000]), clock, 0.05)
    outcome = await reply_on(chat, clock, stood=stood).show(given(stream_of(script)))

    assert [len(messages) for messages in told] == seen
    assert told[-1] == outcome.messages == tuple(chat.messages)
    assert len(told[-1]) > 3


async def test_which_messages_are_left_is_told_when_others_go() -> None:
    clock = FakeClock()
    chat = FakeChat()
    told: list[int] = []

    async def stood(messages: tuple[MessageRef, ...]) -> None:
        told.append(len(messages))

    script = answer(LONG[:5000])
    script.response = GenerationResponse(
        success=False, reason=Reason.UNSUPPORTED_ANSWER, message="Nothing was supported."
    )
    await reply_on(chat, clock, stood=stood).show(given(stream_of(slow(script, clock, 0.05))))

    assert told == [1, 2, 3, 1]


async def test_what_is_resumed_may_stand_already_and_is_not_streamed() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)
    first = reply_on(chat, clock).show(given(stream_of(slow(answer("Half an answer"), clock, 1.0))))
    chat.fail("open_stream", NotAllowed())
    dead = asyncio.create_task(first)
    await until(lambda: chat.messages)
    dead.cancel()
    await asyncio.gather(dead, return_exceptions=True)

    await reply_on(chat, clock, resumed=True).show(given(stream_of(answer("Whole answer."))))

    assert chat.texts() == ["Whole answer."]
    assert [body.repeated for body in chat.posted] == [False, True]
    assert chat.opened == 0


@pytest.mark.parametrize("streams", [False, True])
async def test_a_withdrawn_answer_leaves_its_messages_at_rest(streams: bool) -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=streams)
    reply = reply_on(chat, clock)
    task = asyncio.create_task(reply.show(given(stream_of(slow(answer(LONG), clock, 1.0)))))
    await until(lambda: any(text.startswith("Sentence") for text in chat.texts()))

    reply.halt(Halt.WITHDRAWN)
    outcome = await task

    assert not outcome.delivered
    (shown,) = chat.messages.values()
    assert outcome.messages == (shown.ref,)
    assert not shown.streaming


async def test_messages_of_an_earlier_answer_are_used_again() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)
    first = await show(chat, answer("Old answer."), clock)

    await reply_on(chat, clock, standing=first.messages, key="k2").show(
        given(stream_of(answer("New answer.")))
    )

    assert chat.texts() == ["New answer."]


async def test_the_cursor_stands_behind_a_closed_fence_on_its_own_line() -> None:
    clock = FakeClock()
    chat = FakeChat()

    await show(chat, slow(answer("```py\nx = 1\ny = 2\n```"), clock, 2.0), clock)

    (shown,) = chat.messages.values()
    assert f"```py\nx = 1\n```\n{CURSOR}" in shown.versions
    assert shown.body.text == "```py\nx = 1\ny = 2\n```"


async def test_a_second_part_that_has_to_wait_is_waited_for() -> None:
    clock = FakeClock()
    chat = FakeChat(clock=clock.monotonic)
    script = slow(answer(LONG[:3000]), clock, 0.05)
    reply = reply_on(chat, clock, limiter=Limiter(1.0), own=Limiter(0.0))
    task = asyncio.create_task(reply.show(given(stream_of(script))))
    await until(lambda: len(chat.messages) == 1)
    chat.fail("post", RateLimited(5.0))

    await task

    posts = [at for name, at in chat.calls if name == "post"]
    assert len(posts) == 3
    assert posts[2] - posts[1] >= 5.0
    assert joined(chat) == LONG[:3000].strip()


async def test_a_full_part_of_a_stream_that_has_to_wait_is_waited_for() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True, clock=clock.monotonic)
    chat.fail("close", RateLimited(5.0))
    script = slow(answer(LONG * 3), clock, 0.05)

    await reply_on(chat, clock, own=Limiter(0.0)).show(given(stream_of(script)))

    closes = [at for name, at in chat.calls if name == "close"]
    assert closes[1] - closes[0] >= 5.0
    assert joined(chat) == (LONG * 3).strip()
