from __future__ import annotations

import pytest

from bot.chat import NotAllowed, Thread
from bot.commands import Commands
from bot.incoming import IncomingMessage, MessageEdited, StopRequested
from bot.pacing import Limiters
from bot.words import Words
from pipeline.domain import Scope
from pipeline.errors import CatalogUnavailable
from tests.fakes.library import FakeAsked, FakeJournal, FakeLibrary, FakePreferences
from tests.fakes.room import ONE, Room, gated
from tests.fakes.waiting import until


class Desk:
    def __init__(self, room: Room | None = None) -> None:
        self.room = room or Room()
        self.journal = FakeJournal()
        self.words = self.replica()

    def replica(self) -> Words:
        return Words(
            self.room.chat,
            self.room.conversation,
            Commands(FakeLibrary(), self.journal, FakePreferences(), FakeAsked()),
            ledger=self.room.ledger,
            limiters=Limiters(),
            clock=self.room.clock,
        )

    async def settled(self) -> None:
        await self.words.settled()
        await self.room.settled()

    @property
    def texts(self) -> list[str]:
        return list(self.room.chat.texts())


def said(text: str, *, at: str = "m1", event: str = "e1", mentioned: bool = True) -> IncomingMessage:
    return IncomingMessage(
        event_id=event, message_id=at, thread=ONE, author="u1", text=text, mentioned=mentioned
    )


async def test_help_in_a_thread_is_answered_there_and_is_no_question() -> None:
    desk = Desk()

    desk.words.receive(said("help"))
    await desk.settled()

    (text,) = desk.texts
    assert "`docs`" in text
    assert desk.room.asked == []


async def test_reset_in_a_thread_forgets_what_was_said_there() -> None:
    desk = Desk()

    desk.words.receive(said("Reset!"))
    await desk.settled()

    assert desk.journal.resets == [(ONE.scope.key, ONE.key)]
    assert desk.texts == ["This thread begins anew: I do not remember what was said before."]


async def test_everything_else_goes_to_the_conversation() -> None:
    desk = Desk()

    desk.words.receive(said("How long?", at="m1"))
    desk.words.receive(said("What does help mean?", at="m2"))
    desk.words.receive(StopRequested(thread=Thread(Scope("fake", "w", "c"), "another")))
    await desk.settled()

    assert desk.room.asked == ["How long?", "What does help mean?"]


async def test_stop_ends_the_answer_that_is_being_written_without_another_word() -> None:
    desk = Desk(Room(gated("Never.")))
    desk.words.receive(said("How long?"))
    await until(lambda: desk.room.pipeline.streams)

    desk.words.receive(said("stop", at="m2", event="e2"))
    desk.words.receive(said("stop", at="m2", event="e3"))
    await desk.room.until("Stopped")
    await desk.settled()

    assert len(desk.texts) == 1


async def test_a_stop_where_nothing_is_written_says_so() -> None:
    desk = Desk()

    desk.words.receive(said("stop"))
    await desk.settled()

    assert desk.texts == ["Nothing is being written in this thread, so there is nothing to stop."]


async def test_a_message_that_comes_as_two_events_or_to_two_replicas_is_answered_once() -> None:
    desk = Desk()

    desk.words.receive(said("help", event="e1"))
    desk.words.receive(said("help", event="e2"))
    await desk.settled()
    other = desk.replica()
    other.receive(said("help", event="e3"))
    await other.settled()

    assert len(desk.texts) == 1


async def test_a_question_that_is_changed_into_a_command_is_one() -> None:
    desk = Desk()

    desk.words.receive(MessageEdited(event_id="e", message_id="m1", thread=ONE, author="u1", text="help"))
    await desk.settled()

    assert "`docs`" in desk.texts[0]
    assert desk.room.asked == []


async def test_a_word_among_people_is_not_meant_for_the_bot() -> None:
    desk = Desk()

    for word in ("stop", "help", "reset"):
        desk.words.receive(said(word, at=word, mentioned=False))
    await desk.settled()

    assert desk.texts == []
    assert desk.journal.resets == []


async def test_a_stop_needs_no_mention_while_an_answer_is_being_written() -> None:
    desk = Desk(Room(gated("Never.")))
    desk.words.receive(said("How long?"))
    await until(lambda: desk.room.pipeline.streams)

    desk.words.receive(said("Stop!", at="m2", mentioned=False))
    await desk.room.until("Stopped")
    await desk.settled()

    assert len(desk.texts) == 1


async def test_a_stop_right_behind_its_question_stops_it_without_another_word() -> None:
    desk = Desk()

    desk.words.receive(said("How long?"))
    desk.words.receive(said("stop", at="m2"))
    await desk.settled()

    assert desk.room.asked == []
    assert desk.texts == ["Stopped."]


async def test_a_stop_among_people_is_no_question_in_a_thread_where_the_bot_answered() -> None:
    desk = Desk()
    desk.words.receive(said("How long?"))
    await desk.settled()

    desk.words.receive(said("stop", at="m2", mentioned=False))
    await desk.settled()

    assert desk.room.asked == ["How long?"]
    assert desk.texts == ["Five days."]


@pytest.mark.parametrize("mentioned", [True, False])
async def test_a_stop_reaches_the_answer_that_another_replica_writes(mentioned: bool) -> None:
    desk = Desk(Room(gated("Never.")))
    there = Desk(Room(chat=desk.room.chat, ledger=desk.room.ledger.other("two")))
    desk.words.receive(said("How long?"))
    await desk.room.until("_")

    there.words.receive(said("stop", at="m2", mentioned=mentioned))
    await there.settled()
    await desk.room.conversation.resume()
    await desk.settled()

    assert desk.texts == ["Stopped."]


async def test_a_command_that_fails_is_answered_too() -> None:
    desk = Desk()
    failures: list[Exception] = [CatalogUnavailable(), RuntimeError("secret")]

    async def broken(scope: Scope, thread: str) -> None:
        raise failures.pop(0)

    desk.journal.reset = broken  # type: ignore[method-assign]  # the store breaks
    desk.words.receive(said("reset", at="m1"))
    desk.words.receive(said("reset", at="m2"))
    await desk.settled()

    assert len(desk.texts) == 2
    assert not any("secret" in text for text in desk.texts)


async def test_the_end_of_the_program_waits_for_answers_but_not_for_ever() -> None:
    desk = Desk()
    desk.words.receive(said("help", at="m1"))
    await desk.words.stop()
    assert len(desk.texts) == 1

    desk.room.chat.go_away(100, "post")
    desk.words.receive(said("help", at="m2"))
    await desk.words.stop()

    assert len(desk.texts) == 1


async def test_an_answer_that_the_platform_refuses_ends_quietly() -> None:
    desk = Desk()
    desk.room.chat.fail("post", NotAllowed())

    desk.words.receive(said("help"))
    await desk.settled()

    assert desk.texts == []
