from __future__ import annotations

import asyncio
import gc

from bot.chat import Thread
from bot.conversation import Limits
from pipeline.errors import StorageError
from tests.fakes.pipeline import answer
from tests.fakes.room import ONE, SCOPE, TWO, Room, gated, open_gate

TOO_MANY = "Too many questions are waiting here. Ask again when they are answered."


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


async def test_an_idle_thread_costs_nothing() -> None:
    room = Room(limits=Limits(kept=3))

    for n in range(20):
        room.say(f"q{n}", thread=Thread(SCOPE, f"t{n}"))
    await room.settled()
    gc.collect()

    assert room.conversation._lanes == {}
    room.say("one more")
    await room.settled()
    assert len(room.conversation._questions._known) == 3
