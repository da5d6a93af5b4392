from __future__ import annotations

import asyncio
import logging

import pytest

from bot.chat import RateLimited, Unreachable
from bot.conversation import Limits
from bot.incoming import StopRequested
from bot.preferences import Preferences
from bot.wording import RESTARTING
from pipeline.conversation import GenerationResponse, Reason
from pipeline.verdicts import Mode
from tests.fakes.chat import EDITED, STREAMED, FakeChat
from tests.fakes.library import FakePreferences
from tests.fakes.pipeline import answer
from tests.fakes.room import ONE, SCOPE, TWO, Room, gated, open_gate

TOO_MANY = "Too many questions are waiting here. Ask again when they are answered."


async def test_a_question_is_asked_in_its_scope_and_thread_and_answered_there() -> None:
    room = Room()

    room.say("How long?")
    await room.settled()

    (question,) = room.pipeline.questions
    assert (question.text, question.scope, question.thread) == ("How long?", SCOPE, "one")
    assert room.chat.texts(ONE) == ["Five days."]


async def test_an_answer_is_shown_the_way_the_channel_chose() -> None:
    preferences = FakePreferences()
    preferences.kept[SCOPE.key] = Preferences(answers=Mode.VERIFIED)
    chosen, usual = Room(preferences=preferences), Room()

    for room in (chosen, usual):
        room.say("How long?")
        await room.settled()

    assert [room.pipeline.questions[0].mode for room in (chosen, usual)] == [Mode.VERIFIED, Mode.STREAMING]


async def test_receiving_returns_before_anything_was_done() -> None:
    room = Room()

    room.say("How long?")

    assert room.chat.calls == []
    assert room.asked == []
    await room.settled()


async def test_a_refusal_waits_out_the_platforms_limits() -> None:
    first = gated("One.")
    room = Room(first, answer("Two."), limits=Limits(waiting=1))
    room.say("a")
    await room.until("_")
    room.chat.fail("post", RateLimited(5.0), Unreachable())

    room.say("b")
    room.say("c")
    await room.until(TOO_MANY)

    open_gate(first)
    await room.settled()
    assert sorted(room.chat.texts()) == ["One.", TOO_MANY, "Two."]


async def test_an_edited_question_that_waits_is_asked_as_it_reads_now() -> None:
    first = gated("One.")
    room = Room(first, answer("Two."))
    room.say("a")
    room.say("b")

    await room.until("_")
    room.edit("b", "b, please")
    open_gate(first)
    await room.settled()

    assert room.asked == ["a", "b, please"]


@pytest.mark.parametrize("streams", [False, True])
async def test_an_edit_while_the_answer_is_written_redoes_it_in_the_same_message(streams: bool) -> None:
    slow = answer("Old answer, which is longer than the new one.")
    room = Room(slow, answer("New answer."), chat=FakeChat(STREAMED if streams else EDITED, streams=streams))
    slow.pause = lambda: room.clock.sleep(2.0)
    room.say("a")
    await room.until("Old answer")
    (ref,) = room.chat.messages

    room.edit("a", "a, exactly?")
    await room.settled()

    assert room.asked == ["a", "a, exactly?"]
    assert room.pipeline.streams[0].closed
    assert [shown.ref for shown in room.chat.messages.values()] == [ref]
    assert room.chat.texts() == ["New answer."]
    assert "remembering a" not in room.pipeline.log


async def test_an_edit_after_the_answer_redoes_it_in_the_same_message() -> None:
    room = Room(answer("Old answer."), answer("New answer."))
    room.say("a")
    await room.settled()

    room.edit("a", "a, exactly?")
    await room.settled()

    assert room.chat.texts() == ["New answer."]


async def test_an_edit_that_changes_no_word_changes_nothing() -> None:
    room = Room()
    room.say("a")
    await room.settled()

    room.edit("a", "a")
    await room.settled()

    assert len(room.asked) == 1


async def test_an_edited_question_from_before_a_restart_is_answered_once() -> None:
    room = Room()

    room.edit("old", "What now?", event="E7")
    room.edit("old", "What now?", event="E7")
    await room.settled()

    assert room.asked == ["What now?"]


@pytest.mark.parametrize("streams", [False, True])
async def test_deleting_a_question_stops_its_answer_and_removes_it(streams: bool) -> None:
    slow = answer("A long answer that nobody wants any more.")
    room = Room(slow, chat=FakeChat(STREAMED if streams else EDITED, streams=streams))
    slow.pause = lambda: room.clock.sleep(2.0)
    room.say("a")
    await room.until("A long")

    room.delete("a")
    await room.settled()

    assert room.chat.texts() == []
    assert room.pipeline.streams[0].closed
    assert "remembering a" not in room.pipeline.log


async def test_deleting_an_answered_question_removes_the_answer() -> None:
    room = Room()
    room.say("a")
    await room.settled()

    room.delete("a")
    room.delete("a")
    await room.settled()

    assert room.chat.texts() == []
    assert room.chat.count("delete") == 1


async def test_deleting_a_waiting_question_leaves_it_unasked() -> None:
    first = gated("One.")
    room = Room(first)
    room.say("a")
    room.say("b")
    await room.until("_")

    room.delete("b")
    open_gate(first)
    await room.settled()

    assert room.asked == ["a"]


async def test_deleting_an_unknown_message_does_nothing() -> None:
    room = Room()

    room.delete("whatever")
    await room.settled()

    assert room.chat.calls == []


async def test_stopping_ends_the_running_answer_and_the_next_question_is_answered() -> None:
    slow = gated("Never.")
    room = Room(slow, answer("Next."))
    room.say("a")
    room.say("b")
    await room.until("_")

    room.conversation.receive(StopRequested(thread=ONE))
    await room.settled()

    assert room.chat.texts() == ["Stopped.", "Next."]


async def test_stopping_where_nothing_runs_says_so() -> None:
    room = Room()
    assert not room.conversation.stop(ONE)

    room.say("a")
    await room.settled()
    assert not room.conversation.stop(ONE)


@pytest.mark.parametrize("everything", [True, False])
async def test_a_stop_right_behind_a_question_stops_it(everything: bool) -> None:
    room = Room()

    room.say("a")
    assert room.conversation.stop(ONE, everything=everything)
    await room.settled()

    assert room.asked == []
    assert room.chat.texts() == ["Stopped."]
    assert room.ledger.states == {"a": "done"}


async def test_stopping_everything_reaches_what_waits_and_nothing_that_is_asked_later() -> None:
    room = Room(gated("Never."), answer("Later."))
    room.say("a")
    room.say("b")
    await room.until("_")
    room.say("c")

    assert room.conversation.stop(ONE)
    room.say("d")
    await room.settled()

    assert room.asked == ["a", "d"]
    assert sorted(room.chat.texts()) == ["Later.", "Stopped.", "Stopped.", "Stopped."]
    assert set(room.ledger.states.values()) == {"done"}


async def test_a_stop_leaves_other_threads_alone() -> None:
    room = Room()

    room.say("a", thread=TWO)
    assert not room.conversation.stop(ONE)
    await room.settled()

    assert room.chat.texts() == ["Five days."]


async def test_a_pipeline_that_raises_at_once_is_answered_with_a_sentence(
    caplog: pytest.LogCaptureFixture,
) -> None:
    room = Room(RuntimeError("secret words"), answer("Two."))

    with caplog.at_level(logging.INFO):
        room.say("a")
        room.say("b")
        await room.settled()

    assert sorted(room.chat.texts()) == [
        "Something went wrong on my side, and it was logged. Ask again.",
        "Two.",
    ]
    assert "secret words" not in caplog.text


async def test_draining_lets_answers_end() -> None:
    slow = answer("A long answer.")
    room = Room(slow)
    slow.pause = lambda: room.clock.sleep(1.0)
    room.say("a")
    await room.until("_")

    await room.conversation.drain(60.0)

    assert room.chat.texts() == ["A long answer."]
    assert "remembered a" in room.pipeline.log


@pytest.mark.parametrize("streams", [False, True])
async def test_draining_leaves_a_readable_message_for_every_question(streams: bool) -> None:
    slow = answer("word " * 100)
    room = Room(slow, chat=FakeChat(STREAMED if streams else EDITED, streams=streams))
    slow.pause = lambda: room.clock.sleep(2.0)
    room.say("a")
    room.say("b")
    await room.until("word")

    await room.conversation.drain(5.0)

    first, second = room.chat.texts()
    assert first.startswith("word")
    assert first.endswith(f"_{RESTARTING}_")
    assert second == RESTARTING
    assert not any(shown.streaming for shown in room.chat.messages.values())


async def test_what_arrives_while_draining_is_refused_in_words() -> None:
    room = Room()
    await room.conversation.drain(1.0)

    room.say("a")
    await room.settled()

    assert room.chat.texts() == [RESTARTING]


async def test_draining_ends_even_when_the_platform_is_gone_and_memory_hangs() -> None:
    hanging = answer("One.")
    hanging.memory_gate = asyncio.Event()
    room = Room(hanging, gated("Never."), limits=Limits(memory_s=1.0))
    room.say("a")
    room.say("b", thread=TWO)
    await room.until("One.")
    room.chat.go_away(1000, "post", "edit")

    await room.conversation.drain(2.0)

    assert room.clock.monotonic() < 60.0
    assert room.conversation._tasks() == []


async def test_a_thread_sees_nothing_of_another() -> None:
    room = Room(answer("token-A"), answer("Two."))

    room.say("a", thread=ONE)
    room.say("b", thread=TWO)
    await room.settled()

    assert room.chat.texts(TWO) == ["Two."]
    assert [question.thread for question in room.pipeline.questions] == ["one", "two"]


async def test_a_stopped_question_is_kept_as_a_turn() -> None:
    room = Room(gated("Never."))
    room.say("a")
    await room.until("_")

    room.conversation.stop(ONE)
    await room.settled()

    assert room.pipeline.streams[0].response == GenerationResponse(success=False, reason=Reason.CANCELLED)
    assert "remembered a" in room.pipeline.log
