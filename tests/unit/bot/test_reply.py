from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from bot.chat import WEB, Mark, NotAllowed, RateLimited, Unreachable
from bot.controls import BAD, GOOD, WHY, under_answer, while_writing
from bot.courier import ROUNDS
from bot.pacing import Limiter
from bot.reply import Halt
from bot.screens import CURSOR
from bot.wording import REFUSED, RESTARTING
from pipeline.conversation import Delta, GenerationResponse, Progress, Reason, Stage
from tests.fakes.chat import EDITED, STREAMED, FakeChat
from tests.fakes.clock import FakeClock
from tests.fakes.pipeline import Script, answer, citation, refusal
from tests.fakes.replies import LONG, given, joined, reply_on, show, slow, stream_of
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from bot.chat import ChatError, MessageRef
    from tests.fakes.pipeline import ScriptedStream


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

    task = asyncio.create_task(reply_on(chat, clock).show(given(stream)))
    await until(lambda: stream.drained)

    assert clock.monotonic() < 100
    await task
    assert chat.texts() == [("word " * 100).strip()]


async def test_edits_keep_the_platforms_interval() -> None:
    clock = FakeClock()
    chat = FakeChat(clock=clock.monotonic)

    await show(chat, slow(answer("word " * 200), clock, 0.1), clock)

    times = [at for name, at in chat.calls if name == "edit"][:-1]
    assert len(times) > 3
    assert all(later - earlier >= 0.99 for earlier, later in pairwise(times))


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
    chat.fail("post", *(RateLimited(100.0) for _ in range(200)))

    outcome = await show(chat, answer("Five days."))

    assert not outcome.delivered


async def test_the_final_edit_is_retried_until_the_platform_confirms_it() -> None:
    chat = FakeChat()
    chat.go_away(4, "edit")

    outcome = await show(chat, answer("Five days."))

    assert outcome.delivered
    assert chat.texts() == ["Five days."]


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


async def test_a_platform_that_is_away_for_minutes_shows_the_answer_when_it_is_back() -> None:
    clock = FakeClock()
    chat = FakeChat()
    chat.go_away(20, "post")

    outcome = await show(chat, answer("Five days."), clock)

    assert outcome.delivered
    assert not outcome.unfinished
    assert chat.texts() == ["Five days."]
    assert 120 < clock.monotonic() < 600


async def test_an_answer_that_waits_for_the_platform_can_be_withdrawn() -> None:
    clock = FakeClock()
    chat = FakeChat()
    chat.go_away(1000, "post")
    reply = reply_on(chat, clock)
    task = asyncio.create_task(reply.show(given(stream_of(answer("Five days.")))))
    await until(lambda: ROUNDS[0] in clock.slept)

    reply.halt(Halt.WITHDRAWN)
    outcome = await task

    assert not outcome.delivered
    assert clock.monotonic() < 200


async def test_what_people_stopped_is_over_even_if_that_cannot_be_said() -> None:
    chat = FakeChat()
    chat.go_away(1000, "post")
    script = answer("Five days.")
    script.gate = asyncio.Event()
    reply = reply_on(chat, FakeClock())

    reply.halt(Halt.STOPPED)
    outcome = await reply.show(given(stream_of(script)))

    assert not outcome.delivered
    assert not outcome.unfinished


async def test_what_is_not_allowed_is_not_tried_again() -> None:
    chat = FakeChat()
    chat.fail("post", *(NotAllowed() for _ in range(5)))

    outcome = await show(chat, answer("Five days."))

    assert not outcome.delivered
    assert chat.count("post") <= 3
    assert chat.marks == [("q1", Mark.FAILED)]


@pytest.mark.parametrize("streams", [False, True])
async def test_an_answer_that_is_refused_leaves_a_reason_and_nothing_to_press(streams: bool) -> None:
    clock = FakeClock()
    chat = FakeChat(EDITED, streams=streams)
    reply = reply_on(chat, clock, writing=while_writing("q1"))
    task = asyncio.create_task(reply.show(given(stream_of(slow(answer("Five rude days."), clock)))))
    await until(lambda: chat.messages)

    chat.censor("rude")
    outcome = await task

    (shown,) = chat.messages.values()
    assert shown.body.text == REFUSED
    assert shown.body.buttons == ()
    assert (outcome.delivered, outcome.messages) == (False, (shown.ref,))
    assert chat.marks == []


async def test_where_even_the_reason_is_refused_no_draft_is_left_and_a_sign_is_put() -> None:
    clock = FakeClock()
    chat = FakeChat()
    stood: list[int] = []

    async def note(messages: tuple[MessageRef, ...]) -> None:
        stood.append(len(messages))

    reply = reply_on(chat, clock, writing=while_writing("q1"), stood=note)
    task = asyncio.create_task(reply.show(given(stream_of(slow(answer("Five days."), clock)))))
    await until(lambda: chat.messages)

    chat.censor("")
    outcome = await task

    assert chat.messages == {}
    assert (outcome.messages, stood[-1]) == ((), 0)
    assert chat.marks == [("q1", Mark.FAILED)]


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
    task = asyncio.create_task(reply.show(given(stream)))
    await until(lambda: any(text.startswith("Sentence") for text in chat.texts()))

    reply.halt(Halt.STOPPED)
    outcome = await task

    assert stream.closed
    assert outcome.response.reason is Reason.CANCELLED
    (text,) = chat.texts()
    assert text.startswith("Sentence 0")
    assert text.endswith("_Stopped._")


async def test_a_stopped_answer_resolves_the_markers_that_were_shown() -> None:
    clock = FakeClock()
    chat = FakeChat()
    script = slow(answer(LONG), clock, 1.0)
    script.stopped = GenerationResponse(
        success=False, reason=Reason.CANCELLED, answer="Five days [1].", citations=(citation("1"),)
    )
    stream = stream_of(script)
    reply = reply_on(chat, clock)
    task = asyncio.create_task(reply.show(given(stream)))
    await until(lambda: any(text.startswith("Sentence") for text in chat.texts()))

    reply.halt(Halt.RESTARTING)
    outcome = await task

    (text,) = chat.texts()
    assert text.startswith("Five days [1].\n\n[1] handbook.pdf, page 3")
    assert text.endswith(f"_{RESTARTING}_")
    assert outcome.response.citations == (citation("1"),)


async def test_an_answer_that_was_stopped_before_it_began_says_so() -> None:
    chat = FakeChat()
    reply = reply_on(chat, FakeClock())
    script = answer("Five days.")
    script.gate = asyncio.Event()

    reply.halt(Halt.STOPPED)
    await reply.show(given(stream_of(script)))

    assert chat.texts() == ["Stopped."]


async def test_three_answers_in_one_workspace_share_a_budget_and_all_land() -> None:
    clock = FakeClock()
    chat = FakeChat(clock=clock.monotonic, budget=(5, 5.0))
    limiter = Limiter(1.3)
    scripts = [slow(answer(LONG[:1500] + f" End {n}."), clock, 0.02) for n in range(3)]

    await asyncio.gather(
        *(
            reply_on(chat, clock, limiter=limiter, own=Limiter(0.0), key=f"k{n}").show(given(stream_of(s)))
            for n, s in enumerate(scripts)
        )
    )

    assert sorted(text[-6:] for text in chat.texts()) == ["End 0.", "End 1.", "End 2."]
    assert clock.monotonic() < 30


async def test_ten_answers_in_one_workspace_appear_at_once_and_grow_in_turn() -> None:
    clock = FakeClock()
    chat = FakeChat(clock=clock.monotonic)
    limiter = Limiter(1.3)
    scripts = [slow(answer("word " * 200), clock, 0.1) for _ in range(10)]

    await asyncio.gather(
        *(
            reply_on(chat, clock, limiter=limiter, own=Limiter(0.0), key=f"k{n}").show(given(stream_of(s)))
            for n, s in enumerate(scripts)
        )
    )

    posts = [at for name, at in chat.calls if name == "post"]
    edits = [at for name, at in chat.calls if name == "edit"]
    assert len(posts) == 10
    assert max(posts) < 1.0
    growing, last = edits[:-10], edits[-10:]
    assert len(growing) > 5
    assert all(later - earlier >= 1.29 for earlier, later in pairwise(growing))
    assert len({*last}) == 1


async def test_what_stands_there_before_the_answer_begins_is_shown_at_once() -> None:
    clock = FakeClock()
    chat = FakeChat()
    stream = stream_of(answer("Five days."))

    async def begin() -> ScriptedStream:
        await clock.sleep(20.0)
        return stream

    await reply_on(chat, clock).show(begin, stage="One moment…")

    (shown,) = chat.messages.values()
    assert shown.versions[0] == "_One moment…_"
    assert shown.body.text == "Five days."


async def test_stages_that_are_statuses_neither_wait_for_the_budget_nor_use_it_up() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)
    used_up = Limiter(1000.0)
    used_up.take(0.0)
    script = slow(answer("Five days."), clock, 1.0)

    await reply_on(chat, clock, limiter=used_up, feed=Limiter(0.1)).show(given(stream_of(script)))

    assert chat.statuses == ["Searching 3 documents…", "Writing…", None]
    assert clock.monotonic() < 10


async def test_statuses_that_are_lost_are_no_trouble() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)
    chat.fail("set_status", Unreachable(), RateLimited(9.0), Unreachable())

    await show(chat, slow(answer("word " * 20), clock, 1.0), clock)

    assert chat.count("append") > 3
    assert chat.texts() == [("word " * 20).strip()]


async def test_where_no_status_can_be_shown_a_message_says_what_is_being_done() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True)
    chat.fail("set_status", NotAllowed())

    await show(chat, slow(answer("word " * 20), clock, 5.0), clock)

    (shown,) = chat.messages.values()
    assert shown.versions[:2] == ["_Searching 3 documents…_", "_Writing…_"]
    assert shown.body.text == ("word " * 20).strip()
    assert chat.count("append") == 0


async def test_a_stream_has_a_pace_of_its_own() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True, clock=clock.monotonic)
    script = slow(answer("word " * 100), clock, 0.1)

    await reply_on(chat, clock, limiter=Limiter(100.0), feed=Limiter(2.0)).show(given(stream_of(script)))

    begun, *grown = [at for name, at in chat.calls if name == "append"]
    assert begun < 1.0
    assert len(grown) > 2
    assert all(1.99 <= later - earlier <= 2.3 for earlier, later in pairwise(grown))


async def test_ten_streams_in_one_workspace_appear_at_once_and_end_at_once() -> None:
    clock = FakeClock()
    chat = FakeChat(STREAMED, streams=True, clock=clock.monotonic)
    edits, feed = Limiter(1.2), Limiter(2.0)
    edits.take(0.0)
    replies = [
        reply_on(chat, clock, limiter=edits, feed=feed, own=Limiter(0.0), key=f"k{n}") for n in range(10)
    ]

    await asyncio.gather(
        *(reply.show(given(stream_of(slow(answer("word " * 200), clock, 0.1)))) for reply in replies)
    )

    times = [at for name, at in chat.calls if name == "append"]
    assert max(times[:10]) < 1.0
    assert len(times) > 13
    assert all(later - earlier >= 1.99 for earlier, later in pairwise(times[11:]))
    assert len({at for name, at in chat.calls if name == "close"}) == 1


async def test_an_answer_can_be_judged_and_explained() -> None:
    chat = FakeChat()

    await show(chat, answer("Five days."))

    (shown,) = chat.messages.values()
    assert shown.body.buttons == under_answer("q1")


async def test_an_answer_without_a_source_says_so_and_offers_none() -> None:
    chat = FakeChat()

    await show(chat, answer("Five days.", citations=()))

    (shown,) = chat.messages.values()
    assert "No source is cited" in shown.body.text
    assert [button.action for button in shown.body.buttons] == [GOOD, BAD, WHY]


@pytest.mark.parametrize(("schemes", "linked"), [(WEB, False), (WEB | {"file"}, True)])
async def test_sources_are_linked_as_people_can_open_them(schemes: frozenset[str], linked: bool) -> None:
    chat = FakeChat(replace(EDITED, link_schemes=schemes))

    await show(chat, answer("Five [1].", citations=[citation("1", url="file:///srv/a.md")]))

    assert ("file:" in joined(chat)) is linked


async def test_passages_without_an_answer_can_be_judged_too() -> None:
    chat = FakeChat()

    await show(chat, refusal(Reason.MODEL_TIMEOUT, citations=[citation("1")]))

    (shown,) = chat.messages.values()
    assert shown.body.buttons == under_answer("q1")


async def test_a_refusal_can_only_be_explained() -> None:
    chat = FakeChat()

    await show(chat, refusal(Reason.NO_DOCUMENTS))

    (shown,) = chat.messages.values()
    assert [button.action for button in shown.body.buttons] == [WHY]


async def test_a_fault_of_ours_leaves_nothing_to_press() -> None:
    chat = FakeChat()
    script = answer("Five days.")
    script.events = [Delta("Refunds take"), RuntimeError("broken")]

    await show(chat, script)

    (shown,) = chat.messages.values()
    assert shown.body.buttons == ()


async def test_what_a_restart_cut_short_is_unfinished_and_leaves_nothing_to_press() -> None:
    clock = FakeClock()
    chat = FakeChat()
    reply = reply_on(chat, clock, writing=while_writing("q1"))
    task = asyncio.create_task(reply.show(given(stream_of(slow(answer(LONG), clock, 1.0)))))
    await until(lambda: any(text.startswith("Sentence") for text in chat.texts()))

    reply.halt(Halt.RESTARTING)
    outcome = await task

    assert outcome.unfinished
    (shown,) = chat.messages.values()
    assert shown.body.buttons == ()


@pytest.mark.parametrize(("error", "unfinished"), [(Unreachable(), True), (NotAllowed(), False)])
async def test_what_the_platform_did_not_take_is_unfinished_if_it_may_take_it_later(
    error: ChatError, unfinished: bool
) -> None:
    chat = FakeChat()
    chat.fail("post", *(error for _ in range(50)))

    outcome = await show(chat, answer("Five days."))

    assert not outcome.delivered
    assert outcome.unfinished is unfinished
