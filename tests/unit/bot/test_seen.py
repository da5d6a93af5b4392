from __future__ import annotations

import pytest

from pipeline.errors import StorageError
from tests.fakes.chat import FakeSeen
from tests.fakes.room import SCOPE, Room

TOO_MANY = "Too many questions are waiting here. Ask again when they are answered."


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


async def test_a_question_seen_before_a_restart_can_still_be_edited() -> None:
    room = Room(seen=FakeSeen([f"message:{SCOPE.key}/a"]))
    room.say("a")
    await room.settled()
    assert room.asked == []

    room.edit("a", "a, exactly?")
    await room.settled()

    assert room.asked == ["a, exactly?"]
