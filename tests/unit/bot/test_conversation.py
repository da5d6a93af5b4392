from __future__ import annotations

import asyncio
import gc
import logging
from typing import TYPE_CHECKING

import pytest

from bot.chat import (
    IncomingMessage,
    MessageDeleted,
    MessageEdited,
    RateLimited,
    StopRequested,
    Thread,
    Turn,
    Unreachable,
)
from bot.conversation import Conversation, Limits
from bot.pacing import Limiters
from bot.wording import RESTARTING
from pipeline.domain import GenerationResponse, Reason, Scope
from pipeline.errors import StorageError
from tests.fakes.chat import EDITED, STREAMED, FakeChat, FakeSeen
from tests.fakes.clock import FakeClock
from tests.fakes.pipeline import Script, ScriptedPipeline, answer

if TYPE_CHECKING:
    from collections.abc import Sequence

SCOPE = Scope("fake", "w", "c")
ONE = Thread(SCOPE, "one")
TWO = Thread(SCOPE, "two")
TOO_MANY = "Too many questions are waiting here. Ask again when they are answered."


class Room:
    """A conversation with everything around it."""

    def __init__(
        self,
        *scripts: Script | Exception,
        chat: FakeChat | None = None,
        seen: FakeSeen | None = None,
        context: FakeContext | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.chat = chat or FakeChat()
        self.pipeline = ScriptedPipeline(*(scripts or (answer("Five days."),)))
        self.seen = seen or FakeSeen()
        self.conversation = Conversation(
            self.chat,
            self.pipeline.ask_stream,
            seen=self.seen,
            limiters=Limiters(),
            clock=self.clock,
            context=context,
            limits=limits,
        )

    def say(
        self, text: str, *, at: str = "", thread: Thread = ONE, event: str = "", midway: bool = False
    ) -> str:
        message_id = at or text
        self.conversation.receive(
            IncomingMessage(
                event_id=event or f"e-{message_id}",
                message_id=message_id,
                thread=thread,
                author="u1",
                text=text,
                midway=midway,
            )
        )
        return message_id

    def edit(self, message_id: str, text: str, *, event: str = "edit-1") -> None:
        self.conversation.receive(
            MessageEdited(event_id=event, message_id=message_id, thread=ONE, author="u1", text=text)
        )

    def delete(self, message_id: str) -> None:
        self.conversation.receive(MessageDeleted(event_id="del-1", message_id=message_id, scope=SCOPE))

    async def until(self, text: str) -> None:
        """Wait until people see *text*."""
        for _ in range(20_000):
            if any(text in shown for shown in self.chat.texts()):
                return
            await asyncio.sleep(0)
        raise AssertionError(f"nobody ever sees {text!r} in {self.chat.texts()}")

    async def settled(self) -> None:
        await self.conversation.settled()

    @property
    def asked(self) -> list[str]:
        return [question.text for question in self.pipeline.questions]


class FakeContext:
    def __init__(self, *, missing: bool = True) -> None:
        self._missing = missing
        self.adopted: list[tuple[Thread, Sequence[Turn]]] = []

    async def missing(self, thread: Thread) -> bool:
        return self._missing

    async def adopt(self, thread: Thread, turns: Sequence[Turn]) -> None:
        self.adopted.append((thread, turns))


def gated(text: str) -> Script:
    script = answer(text)
    script.gate = asyncio.Event()
    return script


def open_gate(script: Script) -> None:
    assert script.gate is not None
    script.gate.set()


async def test_a_question_is_asked_in_its_scope_and_thread_and_answered_there() -> None:
    room = Room()

    room.say("How long?")
    await room.settled()

    (question,) = room.pipeline.questions
    assert (question.text, question.scope, question.thread) == ("How long?", SCOPE, "one")
    assert room.chat.texts(ONE) == ["Five days."]


async def test_receiving_returns_before_anything_was_done() -> None:
    room = Room()

    room.say("How long?")

    assert room.chat.calls == []
    assert room.asked == []
    await room.settled()


async def test_questions_of_one_thread_are_answered_one_at_a_time_in_order() -> None:
    room = Room(answer("One."), answer("Two."), answer("Three."))

    for text in ("a", "b", "c"):
        room.say(text)
    await room.settled()

    assert room.chat.texts() == ["One.", "Two.", "Three."]
    assert [line for line in room.pipeline.log if line.startswith("as")] == ["asked a", "asked b", "asked c"]
    assert room.pipeline.log.index("answered a") < room.pipeline.log.index("asked b")


async def test_a_second_question_does_not_touch_the_first_answer() -> None:
    room = Room(answer("One."), answer("Two."))

    room.say("a")
    await room.settled()
    room.say("b")
    await room.settled()

    assert room.chat.texts() == ["One.", "Two."]


async def test_threads_run_beside_each_other() -> None:
    slow, quick = gated("Slow."), answer("Quick.")
    room = Room(slow, quick)

    room.say("a", thread=ONE)
    room.say("b", thread=TWO)
    await room.until("Quick.")
    assert room.chat.texts(ONE) != ["Slow."]

    open_gate(slow)
    await room.settled()
    assert room.chat.texts(ONE) == ["Slow."]


@pytest.mark.parametrize("times", [2, 4])
async def test_a_redelivered_event_is_answered_once(times: int) -> None:
    room = Room()

    for _ in range(times):
        room.say("How long?", event="E1")
    await room.settled()
    room.say("How long?", event="E1")
    await room.settled()

    assert room.chat.texts() == ["Five days."]


async def test_two_events_about_one_message_are_one_question() -> None:
    room = Room()

    room.say("How long?", at="171.5", event="app_mention")
    room.say("How long?", at="171.5", event="message")
    await room.settled()

    assert len(room.asked) == 1


async def test_what_another_replica_answers_is_left_to_it() -> None:
    seen = FakeSeen()
    here, there = Room(seen=seen), Room(seen=seen)

    here.say("How long?")
    there.say("How long?")
    await here.settled()
    await there.settled()

    assert len(here.chat.texts()) + len(there.chat.texts()) == 1


async def test_the_same_words_in_two_messages_are_two_questions() -> None:
    room = Room()

    room.say("How long?", at="1")
    room.say("How long?", at="2")
    await room.settled()

    assert len(room.chat.texts()) == 2


async def test_without_the_memory_of_seen_events_a_question_is_answered_all_the_same() -> None:
    seen = FakeSeen()
    seen.error = StorageError()
    room = Room(seen=seen)

    room.say("How long?")
    await room.settled()

    assert room.chat.texts() == ["Five days."]


async def test_a_question_too_many_is_refused_in_words() -> None:
    first = gated("One.")
    room = Room(first, answer("Next."), limits=Limits(waiting=2))

    for text in "abcd":
        room.say(text)
    await room.until(TOO_MANY)
    open_gate(first)
    await room.settled()

    assert room.asked == ["a", "b", "c"]
    assert room.chat.texts().count(TOO_MANY) == 1
    assert room.chat.texts().count("Next.") == 2


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


async def test_a_question_seen_before_a_restart_can_still_be_edited() -> None:
    room = Room(seen=FakeSeen([f"message:{SCOPE.key}/a"]))
    room.say("a")
    await room.settled()
    assert room.asked == []

    room.edit("a", "a, exactly?")
    await room.settled()

    assert room.asked == ["a, exactly?"]


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
    assert not Room().conversation.stop(ONE)


async def test_a_turn_is_remembered_after_its_last_edit_and_before_the_next_question() -> None:
    first = answer("One.")
    first.memory_gate = asyncio.Event()
    room = Room(first, answer("Two."))
    room.say("a")
    await room.until("One.")
    await room.conversation.answered(ONE)
    room.say("b")
    for _ in range(20):
        await asyncio.sleep(0)
    assert room.asked == ["a"]

    first.memory_gate.set()
    await room.settled()

    assert room.pipeline.log.index("remembered a") < room.pipeline.log.index("asked b")


async def test_a_memory_that_takes_too_long_is_not_waited_for() -> None:
    first = answer("One.")
    first.memory_gate = asyncio.Event()
    room = Room(first, answer("Two."))
    room.say("a")
    room.say("b")

    await room.until("Two.")

    assert room.clock.monotonic() >= 20.0
    first.memory_gate.set()
    await room.settled()
    assert "remembered a" in room.pipeline.log
    assert "remembered b" in room.pipeline.log


async def test_a_memory_that_fails_leaves_the_answer_and_the_thread_alone() -> None:
    first = answer("One.")
    first.memory_error = StorageError()
    room = Room(first, answer("Two."))

    room.say("a")
    room.say("b")
    await room.settled()

    assert room.chat.texts() == ["One.", "Two."]


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


async def test_the_thread_before_the_mention_is_handed_over_without_the_question() -> None:
    context = FakeContext()
    chat = FakeChat()
    chat.said = [Turn(author="u2", text=f"line {n}", own=False) for n in range(4)]
    chat.said.append(Turn(author="u1", text="<@bot> what do you think?", own=False))
    room = Room(chat=chat, context=context)

    room.say("what do you think?", midway=True)
    await room.settled()

    ((thread, turns),) = context.adopted
    assert thread == ONE
    assert [turn.text for turn in turns] == ["line 0", "line 1", "line 2", "line 3"]


@pytest.mark.parametrize(("missing", "midway"), [(False, True), (True, False)])
async def test_a_known_or_fresh_thread_is_not_read(missing: bool, midway: bool) -> None:
    context = FakeContext(missing=missing)
    room = Room(context=context)

    room.say("a", midway=midway)
    await room.settled()

    assert context.adopted == []
    assert room.chat.count("history") == 0


async def test_a_thread_that_cannot_be_read_is_answered_all_the_same() -> None:
    room = Room(context=FakeContext())
    room.chat.fail("history", Unreachable())

    room.say("a", midway=True)
    await room.settled()

    assert room.chat.texts() == ["Five days."]


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


async def test_an_idle_thread_costs_nothing() -> None:
    room = Room(limits=Limits(kept=3))

    for n in range(20):
        room.say(f"q{n}", thread=Thread(SCOPE, f"t{n}"))
    await room.settled()
    gc.collect()

    assert room.conversation._lanes == {}
    room.say("one more")
    await room.settled()
    assert len(room.conversation._asked) == 3


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
