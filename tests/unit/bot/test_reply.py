from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

import pytest

from bot.chat import (
    Button,
    Capabilities,
    MessageGone,
    NotAllowed,
    RateLimited,
    Thread,
    Threading,
    TooLong,
    Unreachable,
)
from bot.courier import Courier
from bot.pacing import Limiter
from bot.reply import Halt, Outcome, Reply
from bot.screens import CURSOR
from pipeline.domain import Delta, GenerationResponse, Progress, Question, Reason, Scope, Stage
from tests.fakes.chat import EDITED, FLAT, STREAMED, FakeChat
from tests.fakes.clock import FakeClock
from tests.fakes.pipeline import Script, ScriptedPipeline, answer, citation, refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat import MessageRef
    from tests.fakes.pipeline import ScriptedStream

SCOPE = Scope("fake", "w", "c")
THREAD = Thread(SCOPE, "t1")
LONG = " ".join(f"Sentence {number} of a long answer." for number in range(200))


def stream_of(script: Script) -> ScriptedStream:
    return ScriptedPipeline(script).ask_stream(Question(text="q", scope=SCOPE))


def reply_on(
    chat: FakeChat,
    clock: FakeClock,
    *,
    limiter: Limiter | None = None,
    buttons: Sequence[Button] = (),
    reuse: Sequence[MessageRef] = (),
    key: str = "k",
) -> Reply:
    limiter = limiter or Limiter(chat.capabilities.edit_interval or 0.0)
    return Reply(Courier(chat, limiter, clock), THREAD, clock, key=key, buttons=buttons, reuse=reuse)


def slow(script: Script, clock: FakeClock, seconds: float = 0.2) -> Script:
    script.pause = lambda: clock.sleep(seconds)
    return script


async def show(chat: FakeChat, script: Script, clock: FakeClock | None = None) -> Outcome:
    clock = clock or FakeClock()
    return await reply_on(chat, clock).show(stream_of(script))


def joined(chat: FakeChat) -> str:
    return " ".join(chat.texts())


async def test_an_answer_grows_in_one_message_and_ends_with_its_sources() -> None:
    clock = FakeClock()
    chat = FakeChat()
    script = slow(answer("Refunds take five days [1].", citations=[citation("1"), citation("2")]), clock, 1.0)

    outcome = await show(chat, script, clock)

    (shown,) = chat.messages.values()
    assert shown.versions[0] == "_Searching 3 documents…_"
    assert any(version.endswith(CURSOR) and version.startswith("Refunds") for version in shown.versions)
    assert shown.body.text == (
        "Refunds take five days [1].\n\n"
        "[1] handbook.pdf, page 3, Refunds > Timing — “Refunds are paid within five days.”"
    )
    assert outcome.delivered
    assert outcome.messages == (shown.ref,)


async def test_the_final_text_is_that_of_the_response_even_where_markers_were_added() -> None:
    chat = FakeChat()

    await show(chat, answer("Five days.", final="Five days [1]."))

    assert chat.texts() == ["Five days [1]."]


async def test_the_reader_never_waits_for_the_platform() -> None:
    clock = FakeClock()
    chat = FakeChat()
    chat.fail("edit", RateLimited(1000.0))
    script = slow(answer("word " * 100), clock, 0.1)
    stream = stream_of(script)

    task = asyncio.create_task(reply_on(chat, clock).show(stream))
    while not stream.drained:
        await asyncio.sleep(0)

    assert clock.monotonic() < 100
    await task
    assert chat.texts() == [("word " * 100).strip()]


async def test_edits_keep_the_platforms_interval() -> None:
    clock = FakeClock()
    chat = FakeChat(clock=clock.monotonic)

    await show(chat, slow(answer("word " * 200), clock, 0.1), clock)

    times = [at for name, at in chat.calls if name == "edit"][:-1]
    assert len(times) > 3
    assert all(later - earlier >= 0.99 for earlier, later in zip(times, times[1:], strict=False))


async def test_a_rate_limit_slows_the_reply_and_loses_nothing() -> None:
    clock = FakeClock()
    chat = FakeChat(clock=clock.monotonic)
    chat.fail("edit", RateLimited(7.0), RateLimited(3.0))

    await show(chat, slow(answer(LONG[:900]), clock, 0.3), clock)

    assert joined(chat) == LONG[:900].strip()
    first, second = [at for name, at in chat.calls if name == "edit"][:2]
    assert second - first >= 7.0


async def test_the_final_edit_waits_out_the_limit_and_lands() -> None:
    clock = FakeClock()
    chat = FakeChat()
    chat.fail("post", *(RateLimited(30.0) for _ in range(4)))

    outcome = await show(chat, answer("Five days."), clock)

    assert outcome.delivered
    assert chat.texts() == ["Five days."]
    assert clock.monotonic() >= 120.0


async def test_a_platform_that_never_stops_limiting_ends_the_waiting() -> None:
    chat = FakeChat()
    chat.fail("post", *(RateLimited(100.0) for _ in range(20)))

    outcome = await show(chat, answer("Five days."))

    assert not outcome.delivered


async def test_the_final_edit_is_retried_until_the_platform_confirms_it() -> None:
    chat = FakeChat()
    chat.go_away(4, "edit")

    outcome = await show(chat, answer("Five days."))

    assert outcome.delivered
    assert chat.texts() == ["Five days."]


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


async def test_after_three_lost_edits_only_the_last_is_made() -> None:
    clock = FakeClock()
    chat = FakeChat(clock=clock.monotonic)
    chat.go_away(3, "edit")

    await show(chat, slow(answer(LONG[:600]), clock, 1.0), clock)

    assert chat.count("edit") == 4
    assert joined(chat) == LONG[:600].strip()


async def test_an_unreachable_platform_is_given_up_in_the_end(caplog: pytest.LogCaptureFixture) -> None:
    chat = FakeChat()
    chat.go_away(100, "post", "edit")

    with caplog.at_level(logging.WARNING):
        outcome = await show(chat, answer("Five days."))

    assert not outcome.delivered
    assert "could not be delivered: Unreachable" in caplog.text
    assert "Five days" not in caplog.text


async def test_what_is_not_allowed_is_not_tried_again() -> None:
    chat = FakeChat()
    chat.fail("post", *(NotAllowed() for _ in range(5)))

    outcome = await show(chat, answer("Five days."))

    assert not outcome.delivered
    assert chat.count("post") <= 2


async def test_a_deleted_answer_is_posted_again() -> None:
    clock = FakeClock()
    chat = FakeChat()
    script = slow(answer(LONG[:400]), clock, 1.0)
    task = asyncio.create_task(reply_on(chat, clock).show(stream_of(script)))
    while not chat.messages:
        await asyncio.sleep(0)

    chat.vanish(next(iter(chat.messages)))
    await task

    assert chat.texts() == [LONG[:400].strip()]


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
    task = asyncio.create_task(reply_on(chat, clock).show(stream_of(script)))
    while len(chat.messages) < 2:
        await asyncio.sleep(0)

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
    task = asyncio.create_task(reply_on(chat, clock).show(stream_of(script)))
    while chat.count("append") < 3:
        await asyncio.sleep(0)

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
    task = asyncio.create_task(reply_on(chat, clock).show(stream_of(script)))
    while not chat.opened:
        await asyncio.sleep(0)

    chat.fail("open_stream", NotAllowed())
    await task

    assert joined(chat) == LONG[:3500].strip()


async def test_where_nothing_can_be_edited_a_broken_stream_is_continued_in_another_message() -> None:
    clock = FakeClock()
    capabilities = Capabilities(max_chars=12_000, edit_interval=None, threading=Threading.FLAT)
    chat = FakeChat(capabilities, streams=True)
    script = slow(answer(LONG[:1000]), clock, 0.3)
    task = asyncio.create_task(reply_on(chat, clock).show(stream_of(script)))
    while chat.count("append") < 5:
        await asyncio.sleep(0)

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


async def test_buttons_come_with_the_last_message_only() -> None:
    chat = FakeChat()
    button = Button(label="Helpful", action="feedback", value="up")

    await reply_on(chat, FakeClock(), buttons=[button]).show(stream_of(answer(LONG[:3000])))

    first, last = chat.messages.values()
    assert first.body.buttons == ()
    assert last.body.buttons == (button,)


async def test_a_button_that_does_not_fit_is_shown_as_text() -> None:
    chat = FakeChat(FLAT)
    button = Button(label="Retire", action="forget", fallback="To retire it: `forget d1`")

    await reply_on(chat, FakeClock(), buttons=[button]).show(stream_of(answer("Five days.")))

    assert chat.texts() == ["Five days.\n\nTo retire it: `forget d1`"]


@pytest.mark.parametrize(
    ("progress", "text"),
    [
        (Progress(Stage.SEARCHING), "Searching…"),
        (Progress(Stage.SEARCHING, total=1), "Searching 1 document…"),
        (Progress(Stage.SEARCHING, total=12), "Searching 12 documents…"),
        (Progress(Stage.WAITING), "Waiting…"),
        (Progress(Stage.WAITING, position=3), "Third in the queue…"),
        (Progress(Stage.WAITING, position=30), "Number 30 in the queue…"),
        (Progress(Stage.WRITING), "Writing…"),
        (Progress(Stage.CHECKING), "Checking…"),
        (Progress(Stage.CHECKING, position=3, total=7), "Checking claim 3 of 7…"),
    ],
)
async def test_every_stage_is_shown_in_words(progress: Progress, text: str) -> None:
    clock = FakeClock()
    chat = FakeChat()
    script = Script(
        events=[progress, Progress(Stage.WRITING)], response=GenerationResponse(success=True, answer="Yes.")
    )

    await show(chat, slow(script, clock, 5.0), clock)

    (shown,) = chat.messages.values()
    assert shown.versions[0] == f"_{text}_"


async def test_a_refusal_is_said_in_the_pipelines_words() -> None:
    chat = FakeChat()

    await show(chat, refusal(Reason.NO_DOCUMENTS, "Upload a file first."))

    assert chat.texts() == ["Upload a file first."]


@pytest.mark.parametrize("reason", list(Reason))
async def test_every_reason_has_words_of_its_own(reason: Reason) -> None:
    chat = FakeChat()

    await show(chat, refusal(reason))

    (text,) = chat.texts()
    assert text.endswith(".")
    assert reason.value not in text


async def test_after_a_model_failure_passages_are_shown_as_passages_and_half_an_answer_is_not() -> None:
    clock = FakeClock()
    chat = FakeChat()
    script = refusal(
        Reason.MODEL_TIMEOUT, "The model took too long.", citations=[citation("1"), citation("2")]
    )
    script.events = [Delta("Refunds take")]

    await show(chat, slow(script, clock, 2.0), clock)

    (text,) = chat.texts()
    assert text.startswith("The model took too long.\n\n**Passages**\n\n[1] handbook.pdf")
    assert "[2] handbook.pdf" in text
    assert "Refunds take" not in text


async def test_a_shortcoming_is_said_once_below_the_answer() -> None:
    chat = FakeChat()
    script = answer("Five days.")
    script.response = GenerationResponse(
        success=True,
        answer="Five days.",
        degraded=("dense:unavailable", "dense:timeout", "reader:extractive", "new:thing"),
    )

    await show(chat, script)

    (text,) = chat.texts()
    assert text.count("Searched by words only") == 1
    assert "No language model is connected" in text
    assert "new:thing" in text


async def test_a_pipeline_that_raises_ends_in_a_sentence_and_keeps_what_was_shown(
    caplog: pytest.LogCaptureFixture,
) -> None:
    chat = FakeChat()
    script = answer("Five days.")
    script.events = [Delta("Refunds take"), RuntimeError("secret words")]

    with caplog.at_level(logging.INFO):
        outcome = await show(chat, script)

    assert outcome.response.reason is Reason.INTERNAL_ERROR
    assert chat.texts() == [
        "Refunds take\n\n_Something went wrong on my side, and it was logged. Ask again._"
    ]
    assert "RuntimeError" in caplog.text
    assert "secret words" not in caplog.text


async def test_a_fault_in_the_adapter_does_not_stop_the_final_text() -> None:
    chat = FakeChat()
    chat.fail("open_stream", ValueError("a fault of the adapter"))  # type: ignore[arg-type]  # not a ChatError

    outcome = await show(chat, answer("Five days."))

    assert outcome.delivered
    assert chat.texts() == ["Five days."]


async def test_a_stopped_answer_keeps_its_text_and_says_that_it_was_stopped() -> None:
    clock = FakeClock()
    chat = FakeChat()
    stream = stream_of(slow(answer(LONG), clock, 1.0))
    reply = reply_on(chat, clock)
    task = asyncio.create_task(reply.show(stream))
    while not any(text.startswith("Sentence") for text in chat.texts()):
        await asyncio.sleep(0)

    reply.halt(Halt.STOPPED)
    outcome = await task

    assert stream.closed
    assert outcome.response.reason is Reason.CANCELLED
    (text,) = chat.texts()
    assert text.startswith("Sentence 0")
    assert text.endswith("_Stopped._")


async def test_an_answer_that_was_stopped_before_it_began_says_so() -> None:
    chat = FakeChat()
    reply = reply_on(chat, FakeClock())
    script = answer("Five days.")
    script.gate = asyncio.Event()

    reply.halt(Halt.STOPPED)
    await reply.show(stream_of(script))

    assert chat.texts() == ["Stopped."]


@pytest.mark.parametrize("streams", [False, True])
async def test_a_withdrawn_answer_leaves_its_messages_at_rest(streams: bool) -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=streams)
    reply = reply_on(chat, clock)
    task = asyncio.create_task(reply.show(stream_of(slow(answer(LONG), clock, 1.0))))
    while not any(text.startswith("Sentence") for text in chat.texts()):
        await asyncio.sleep(0)

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

    await reply_on(chat, clock, reuse=first.messages, key="k2").show(stream_of(answer("New answer.")))

    assert chat.texts() == ["New answer."]


async def test_three_answers_in_one_workspace_share_a_budget_and_all_land() -> None:
    clock = FakeClock()
    chat = FakeChat(clock=clock.monotonic, budget=(5, 5.0))
    limiter = Limiter(1.3)
    scripts = [slow(answer(LONG[:1500] + f" End {n}."), clock, 0.02) for n in range(3)]

    await asyncio.gather(
        *(
            reply_on(chat, clock, limiter=limiter, key=f"k{n}").show(stream_of(s))
            for n, s in enumerate(scripts)
        )
    )

    assert sorted(text[-6:] for text in chat.texts()) == ["End 0.", "End 1.", "End 2."]
    assert clock.monotonic() < 30


async def test_the_cursor_stands_behind_a_closed_fence_on_its_own_line() -> None:
    clock = FakeClock()
    chat = FakeChat()

    await show(chat, slow(answer("```py\nx = 1\ny = 2\n```"), clock, 2.0), clock)

    (shown,) = chat.messages.values()
    assert f"```py\nx = 1\n```\n{CURSOR}" in shown.versions
    assert shown.body.text == "```py\nx = 1\ny = 2\n```"
