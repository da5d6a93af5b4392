"""Which messages are questions, and that each is answered once, whatever happens to whoever answers it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from bot.chat import NotAllowed, Unreachable
from bot.conversation import Limits
from bot.incoming import StopRequested
from bot.wording import RESTARTING
from pipeline.errors import StorageError
from tests.fakes.chat import EDITED, STREAMED, FakeChat
from tests.fakes.ledger import FakeLedger
from tests.fakes.pipeline import answer
from tests.fakes.replies import LONG
from tests.fakes.room import ONE, SCOPE, TWO, Room, gated, open_gate
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from bot.chat import ChatError

TOO_MANY = "Too many questions are waiting here. Ask again when they are answered."
BROKEN = "Something went wrong on my side, and it was logged. Ask again."


async def killed(room: Room, text: str, *, seconds: float = 2.0) -> Room:
    """Ask something in *room*, and kill it when people see *text*."""
    script = room.pipeline._scripts[0]
    assert not isinstance(script, Exception)
    script.pause = lambda: room.clock.sleep(seconds)
    room.say("a")
    await room.until(text)
    await room.crash()
    return room


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


async def test_the_event_that_names_the_bot_counts_whichever_comes_first() -> None:
    room = Room()

    room.say("How long?", at="171.5", event="message", mentioned=False)
    room.say("How long?", at="171.5", event="app_mention")
    await room.settled()

    assert len(room.asked) == 1


async def test_what_another_replica_answers_is_left_to_it() -> None:
    ledger = FakeLedger()
    here, there = Room(ledger=ledger), Room(ledger=ledger.other("two"))

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


async def test_without_the_ledger_a_question_is_answered_all_the_same_and_once() -> None:
    room = Room()
    room.ledger.error = StorageError()

    room.say("How long?", event="app_mention")
    room.say("How long?", event="message")
    await room.settled()

    assert room.chat.texts() == ["Five days."]


async def test_without_the_ledger_a_question_can_still_be_edited_and_deleted() -> None:
    room = Room(answer("Old."), answer("New."))
    room.ledger.error = StorageError()
    room.say("a")
    await room.settled()

    room.edit("a", "a, exactly?")
    room.edit("a", "a, exactly?")
    await room.settled()
    assert room.chat.texts() == ["New."]

    room.delete("a")
    await room.settled()
    assert room.chat.texts() == []


async def test_a_question_is_in_the_ledger_until_its_final_text_stands() -> None:
    slow = gated("Five days.")
    room = Room(slow)

    room.say("a")
    await room.until("_")

    (entry,) = room.ledger.entries
    (ref,) = room.chat.messages
    assert (entry.id, entry.thread, entry.author, entry.state) == ("a", "one", "u1", "open")
    assert entry.payload["text"] == "a"
    assert entry.messages == (ref.id,)
    open_gate(slow)
    await room.settled()
    assert room.ledger.states == {"a": "done"}


@pytest.mark.parametrize("streams", [False, True])
async def test_a_killed_process_leaves_a_question_that_the_next_answers_in_the_same_message(
    streams: bool,
) -> None:
    chat = FakeChat(STREAMED if streams else EDITED, streams=streams)
    dead = await killed(Room(answer("Half of an answer"), chat=chat), "Half of")
    for shown in chat.messages.values():
        shown.streaming = False  # which is what the platform's adapter sees to when it is edited

    room = await dead.successor(answer("The whole answer."))
    await room.settled()

    assert chat.texts() == ["The whole answer."]
    assert room.asked == ["a"]
    assert room.ledger.states == {"a": "done"}
    assert "remembered a" in room.pipeline.log


async def test_a_long_answer_is_resumed_in_all_its_messages() -> None:
    dead = Room(answer(LONG[:5000]))
    await killed(dead, "Sentence 100", seconds=0.05)
    before = tuple(dead.chat.messages)
    assert len(before) > 1

    room = await dead.successor(answer(LONG[:3000]))
    await room.settled()

    assert " ".join(room.chat.texts()) == LONG[:3000].strip()
    assert tuple(room.chat.messages) == before[:2]


async def test_a_message_that_was_posted_in_the_moment_of_death_is_not_posted_twice() -> None:
    dead = Room(gated("Never."))
    dead.chat.fail("post", *(Unreachable() for _ in range(3)), landed=True)
    dead.say("a")
    await dead.until("_")
    await dead.crash()
    assert dead.ledger.entries[0].messages == ()

    room = await dead.successor(answer("The answer."))
    await room.settled()

    assert room.chat.texts() == ["The answer."]
    first, *others = {body.nonce for body in room.chat.posted}
    assert first is not None
    assert others == []
    assert room.chat.posted[-1].repeated


async def test_questions_that_waited_are_answered_in_order_after_a_crash() -> None:
    dead = Room(gated("Never."))
    for text in "abc":
        dead.say(text)
    dead.say("d", thread=TWO)
    await until(lambda: len(dead.ledger.entries) == 4)
    await dead.crash()

    room = await dead.successor(answer("Answer."))
    await room.settled()

    assert [text for text in room.asked if text != "d"] == ["a", "b", "c"]
    assert room.chat.texts() == ["Answer."] * 4


async def test_all_of_a_full_thread_is_resumed() -> None:
    dead = Room(gated("Never."), limits=Limits(waiting=3))
    dead.say("a")
    await dead.until("_")
    for text in "bcd":
        dead.say(text)
    await until(lambda: len(dead.ledger.entries) == 4)
    await dead.crash()

    room = await dead.successor(answer("Answer."))
    await room.settled()

    assert room.chat.texts() == ["Answer."] * 4


async def test_what_was_answered_is_not_resumed() -> None:
    dead = Room()
    dead.say("a")
    await dead.settled()
    await dead.crash()

    room = await dead.successor()
    room.say("a")
    await room.settled()

    assert room.asked == []


async def test_a_process_that_died_after_the_last_edit_leaves_one_answer() -> None:
    dead = Room(answer("First."))
    dead.say("a")
    await dead.settled()
    await dead.ledger.save(SCOPE, "question", "a", state="open")
    await dead.crash()

    room = await dead.successor(answer("Second."))
    await room.settled()

    assert room.chat.texts() == ["Second."]


async def test_a_question_that_processes_die_of_is_given_up_in_words() -> None:
    room = Room(gated("Never."))
    room.say("a")
    for _ in range(Limits().resumes):
        await room.until("_")
        await room.crash()
        room = await room.successor(gated("Never."))
    await room.until("_")
    await room.crash()

    last = await room.successor(answer("Never."))
    await last.settled()

    assert last.asked == []
    assert last.chat.texts() == [BROKEN]
    assert last.ledger.states == {"a": "done"}


async def test_a_resumed_question_can_be_edited_and_deleted_like_any_other() -> None:
    dead = await killed(Room(answer("Half of an answer")), "Half of")
    room = await dead.successor(gated("Old."), answer("New."))
    await room.until("_")

    room.edit("a", "a, exactly?")
    await room.settled()
    assert room.chat.texts() == ["New."]

    room.delete("a")
    await room.settled()
    assert room.chat.texts() == []


async def test_what_comes_again_after_a_crash_is_answered_once() -> None:
    dead = await killed(Room(answer("Half of an answer")), "Half of")
    room = await dead.successor(answer("The whole answer."))

    room.say("a")
    await room.settled()

    assert room.asked == ["a"]
    assert room.chat.texts() == ["The whole answer."]


async def test_an_edited_answer_from_before_a_restart_is_redone_in_its_message() -> None:
    before = Room(answer("Old answer."))
    before.say("a")
    await before.settled()
    room = await before.successor(answer("New answer."))

    for _ in range(2):
        room.edit("a", "a, exactly?")
    await room.settled()

    assert room.asked == ["a, exactly?"]
    assert room.chat.texts() == ["New answer."]
    assert len(room.chat.messages) == 1


async def test_an_edit_that_changes_no_word_changes_nothing_after_a_restart_either() -> None:
    before = Room()
    before.say("a")
    await before.settled()
    room = await before.successor()

    room.edit("a", "a")
    await room.settled()

    assert room.asked == []


async def test_an_edit_that_names_the_bot_for_the_first_time_is_a_question_once() -> None:
    room = Room()

    room.edit("old", "What now?", event="E7")
    room.edit("old", "What now?", event="E7")
    await room.settled()

    assert room.asked == ["What now?"]


async def test_an_edit_of_what_is_no_question_is_dropped() -> None:
    room = Room()

    room.edit("old", "Among us.", mentioned=False)
    await room.settled()

    assert room.asked == []
    assert room.ledger.entries == []


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_question_whose_edit_names_the_bot_no_more_is_taken_back(restarted: bool) -> None:
    room = Room(answer("Old."))
    room.say("a")
    await room.settled()
    if restarted:
        room = await room.successor()

    room.edit("a", "a", mentioned=False)
    await room.settled()
    room.say("c", mentioned=False)
    await room.settled()

    assert room.chat.texts() == []
    assert room.ledger.states == {"a": "gone"}


async def test_an_edit_that_names_the_bot_no_more_stops_the_answer() -> None:
    room = Room(gated("Never."))
    room.say("a")
    await room.until("_")

    room.edit("a", "a", mentioned=False)
    await room.settled()

    assert room.chat.texts() == []
    assert room.pipeline.streams[0].closed


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_question_that_names_the_bot_again_is_answered_again(restarted: bool) -> None:
    room = Room(answer("Old."), answer("New."))
    room.say("a")
    await room.settled()
    room.edit("a", "a", mentioned=False)
    await room.settled()
    if restarted:
        room = await room.successor(answer("New."))

    room.edit("a", "a")
    await room.settled()

    assert room.chat.texts() == ["New."]
    assert room.ledger.states == {"a": "done"}


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_follow_up_that_is_edited_needs_to_name_the_bot_no_more_than_before(restarted: bool) -> None:
    room = Room(answer("One."), answer("Old."), answer("New."))
    room.say("a")
    room.say("b", mentioned=False)
    await room.settled()
    if restarted:
        room = await room.successor(answer("New."))

    room.edit("b", "c", mentioned=False)
    await room.settled()

    assert room.chat.texts() == ["One.", "New."]


async def test_deleting_a_question_from_before_a_restart_removes_its_answer() -> None:
    before = Room(answer(LONG[:3000]))
    before.say("a")
    await before.settled()
    room = await before.successor()

    room.delete("a")
    await room.settled()
    room.delete("a")
    await room.settled()

    assert room.chat.texts() == []
    assert room.chat.count("delete") == 2
    assert room.ledger.states == {"a": "gone"}
    assert room.ledger.entries[0].payload == {}


async def test_a_question_that_is_deleted_while_it_arrives_is_not_answered() -> None:
    room = Room()
    gate = asyncio.Event()
    room.ledger.arriving = gate.wait
    room.say("a")
    room.delete("a")

    gate.set()
    await room.settled()

    assert room.chat.texts() == []
    assert room.ledger.states == {"a": "gone"}


async def test_a_deleted_question_is_answered_no_more_even_if_it_is_edited() -> None:
    room = Room()
    room.say("a")
    await room.settled()

    room.delete("a")
    room.edit("a", "b")
    await room.settled()

    assert room.asked == ["a"]
    assert room.chat.texts() == []


async def test_an_edit_in_the_moment_in_which_the_answer_is_noted_is_not_lost() -> None:
    room = Room(answer("Old."), answer("New."))
    closing = asyncio.Event()

    async def wait_for_the_end() -> None:
        if room.chat.texts() == ["Old."]:
            closing.set()
            await asyncio.sleep(0)

    room.ledger.arriving = wait_for_the_end
    room.say("a")
    await closing.wait()
    room.edit("a", "b")
    await room.settled()

    assert room.asked == ["a", "b"]
    assert room.chat.texts() == ["New."]
    assert room.ledger.states == {"a": "done"}


@pytest.mark.parametrize("change", ["edit", "delete"])
async def test_what_another_replica_hears_of_a_running_question_is_seen_to_in_the_end(change: str) -> None:
    slow = gated("Old.")
    here = Room(slow, answer("New."))
    there = Room(chat=here.chat, ledger=here.ledger.other("two"))
    here.say("a")
    await here.until("_")

    if change == "edit":
        there.edit("a", "b")
    else:
        there.delete("a")
    await there.settled()
    open_gate(slow)
    await here.settled()

    assert there.asked == []
    assert here.chat.texts() == (["New."] if change == "edit" else [])


async def test_a_question_that_was_edited_elsewhere_can_be_edited_back() -> None:
    here = Room(answer("One."), answer("Three."))
    there = Room(answer("Two."), chat=here.chat, ledger=here.ledger.other("two"))
    here.say("a")
    await here.settled()
    there.edit("a", "b")
    await there.settled()

    here.edit("a", "a")
    await here.settled()

    assert here.chat.texts() == ["Three."]


@pytest.mark.parametrize("streams", [False, True])
async def test_what_a_restart_cuts_short_is_answered_after_it_in_the_same_messages(streams: bool) -> None:
    slow = answer("word " * 100)
    before = Room(slow, chat=FakeChat(STREAMED if streams else EDITED, streams=streams))
    slow.pause = lambda: before.clock.sleep(2.0)
    before.say("a")
    before.say("b")
    await before.until("word")
    await before.conversation.drain(5.0)
    before.say("c")
    await before.settled()
    assert before.chat.texts()[1:] == [RESTARTING, RESTARTING]
    await before.ledger.release("fake")

    room = await before.successor(answer("Answer."))
    await room.settled()

    assert room.asked == ["a", "b", "c"]
    assert room.chat.texts() == ["Answer."] * 3
    assert set(room.ledger.states.values()) == {"done"}


async def test_restarts_are_not_held_against_a_question() -> None:
    room = Room(gated("Never."))
    room.say("a")
    for _ in range(Limits().resumes + 2):
        await room.until("_")
        await room.conversation.drain(1.0)
        await room.ledger.release("fake")
        room = await room.successor(gated("Never."))
        await room.until("_Writing")

    await room.crash()
    last = await room.successor(answer("At last."))
    await last.settled()

    assert last.chat.texts() == ["At last."]


async def test_an_edit_during_a_restart_is_answered_after_it() -> None:
    before = Room(gated("Never."))
    before.say("a")
    await before.until("_")
    draining = asyncio.create_task(before.conversation.drain(1000.0))
    await asyncio.sleep(0)
    before.edit("a", "b")
    await draining
    await before.ledger.release("fake")
    assert before.chat.texts() == [RESTARTING]

    room = await before.successor(answer("Answer."))
    await room.settled()

    assert room.asked == ["b"]
    assert room.chat.texts() == ["Answer."]


async def test_what_people_stopped_is_not_resumed() -> None:
    before = Room(gated("Never."))
    before.say("a")
    await before.until("_")
    before.conversation.stop(ONE)
    await before.settled()
    await before.crash()

    room = await before.successor()
    await room.settled()

    assert room.asked == []
    assert room.chat.texts() == ["Stopped."]


async def test_what_was_refused_is_not_resumed_and_can_be_edited() -> None:
    first = gated("One.")
    room = Room(first, answer("Two."), limits=Limits(waiting=0))
    room.say("a")
    await room.until(TOO_MANY)
    assert room.ledger.states == {"a": "done"}

    room.conversation._limits = Limits()
    open_gate(first)
    room.edit("a", "b")
    await room.settled()

    assert room.chat.texts() == ["One."]


@pytest.mark.parametrize(("error", "state"), [(Unreachable(), "open"), (NotAllowed(), "done")])
async def test_what_could_not_be_delivered_is_kept_for_later_only_where_that_can_help(
    error: ChatError, state: str
) -> None:
    room = Room()
    room.chat.fail("post", *(error for _ in range(100)))

    room.say("a")
    await room.settled()

    assert room.ledger.states == {"a": state}


async def test_what_another_replica_leaves_is_taken_over_later_too() -> None:
    here = Room(gated("Never."))
    there = Room(answer("Answer."), chat=here.chat, ledger=here.ledger.other("two"))
    await there.conversation.resume()
    here.say("a")
    await here.until("_")
    await there.conversation.resume()
    assert there.asked == []

    await here.crash()
    await there.conversation.resume()
    await there.settled()

    assert there.chat.texts() == ["Answer."]


@pytest.mark.parametrize("here_again", [True, False])
async def test_what_a_long_outage_left_undelivered_is_taken_up_without_a_restart(here_again: bool) -> None:
    here = Room(answer("First."), answer("Answer."))
    there = Room(answer("Answer."), chat=here.chat, ledger=here.ledger.other("two"))
    for room in (here, there):
        await room.conversation.resume()
    here.chat.fail("post", *(Unreachable() for _ in range(100)))
    here.say("a")
    await here.settled()
    assert here.ledger.states == {"a": "open"}
    here.chat._faults.clear()

    back = here if here_again else there
    await back.conversation.resume()
    await back.settled()

    assert here.chat.texts() == ["Answer."]
    assert here.ledger.states == {"a": "done"}


async def test_a_stop_that_another_replica_hears_ends_the_answer_at_the_next_beat() -> None:
    here = Room(gated("Never."), answer("Later."))
    there = Room(chat=here.chat, ledger=here.ledger.other("two"))
    here.say("a")
    here.say("b")
    await here.until("_")

    there.conversation.receive(StopRequested(thread=ONE))
    await there.settled()
    here.say("c")
    await until(lambda: len(here.ledger.entries) == 3)
    await here.conversation.resume()
    await here.settled()

    assert here.asked == ["a", "c"]
    assert sorted(here.chat.texts()) == ["Later.", "Stopped.", "Stopped."]
    assert not await there.conversation.stop_elsewhere(ONE)


async def test_what_was_stopped_while_nobody_was_at_it_is_not_answered() -> None:
    dead = await killed(Room(answer("Half of an answer")), "Half of")
    there = Room(chat=dead.chat, ledger=dead.ledger.other("two"))
    there.conversation.receive(StopRequested(thread=ONE))
    await there.settled()

    room = await dead.successor()
    await room.settled()

    assert room.asked == []
    assert room.chat.texts() == ["Stopped."]
    assert room.ledger.states == {"a": "done"}


async def test_a_ledger_that_cannot_be_read_at_the_start_keeps_nobody_from_asking() -> None:
    room = Room()
    room.ledger.error = StorageError()

    await room.conversation.resume()
    room.say("a")
    await room.settled()

    assert room.chat.texts() == ["Five days."]


async def test_the_question_is_named_to_the_pipeline_and_by_the_buttons() -> None:
    room = Room()

    room.say("a", at="171.5")
    await room.settled()

    (shown,) = room.chat.messages.values()
    assert room.pipeline.questions[0].key == "171.5"
    assert {button.value for button in shown.body.buttons} == {"171.5"}
