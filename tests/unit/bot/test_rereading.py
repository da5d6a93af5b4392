"""What a process left is looked at before it is answered."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.chat import NotAllowed, RateLimited, Said, Unreachable
from bot.patience import ATTEMPTS
from bot.rereading import SHORT
from tests.fakes.pipeline import answer
from tests.fakes.room import SCOPE, Room, gated

if TYPE_CHECKING:
    from bot.chat import ChatError


async def dead() -> Room:
    """Return a process that was killed while it wrote the answer to a question."""
    room = Room(gated("Never."))
    room.say("a")
    await room.until("_")
    await room.crash()
    return room


async def test_a_question_that_was_deleted_meanwhile_is_not_answered_and_nothing_of_it_is_left() -> None:
    left = await dead()
    left.chat.taken_back.add("a")

    room = await left.successor(answer("Five days."))
    await room.settled()

    assert (room.asked, room.chat.texts()) == ([], [])
    assert room.ledger.states == {"a": "gone"}


async def test_what_was_posted_and_never_noted_goes_as_well() -> None:
    left = await dead()
    left.ledger.error = None
    await left.ledger.other("somebody").save(SCOPE, "question", "a", messages=[])
    left.chat.taken_back.add("a")

    room = await left.successor(answer("Five days."))
    await room.settled()

    assert (room.asked, room.chat.texts()) == ([], [])


async def test_a_question_that_names_the_bot_no_more_is_taken_back_and_can_come_again() -> None:
    left = await dead()
    left.chat.edited["a"] = Said(text="a, everybody?", mentioned=False)

    room = await left.successor(answer("Five days."))
    await room.settled()
    assert (room.asked, room.chat.texts()) == ([], [])

    room.edit("a", "a, bot?")
    await room.settled()
    assert (room.asked, room.chat.texts()) == (["a, bot?"], ["Five days."])


async def test_a_question_that_was_edited_meanwhile_is_answered_in_its_new_words() -> None:
    left = await dead()
    left.chat.edited["a"] = Said(text="a, exactly?", mentioned=True)

    room = await left.successor(answer("Five days."))
    await room.settled()
    assert (room.asked, room.chat.texts()) == (["a, exactly?"], ["Five days."])

    room.edit("a", "a, exactly?")  # the platform may tell of it as well
    await room.settled()
    assert room.asked == ["a, exactly?"]


async def test_a_follow_up_never_named_the_bot_and_is_answered() -> None:
    room = Room(answer("First."), gated("Never."))
    room.say("q")
    await room.settled()
    room.say("a", mentioned=False)
    await room.until("_")
    await room.crash()
    room.chat.edited["a"] = Said(text="a", mentioned=False)

    there = await room.successor(answer("Five days."))
    await there.settled()

    assert there.asked == ["a"]


@pytest.mark.parametrize(
    ("error", "looks"),
    [(Unreachable(), ATTEMPTS), (NotAllowed(), 1), (RateLimited(SHORT + 1), 1)],
    ids=["unreachable", "not allowed", "limited"],
)
async def test_where_the_platform_does_not_tell_the_question_is_answered_as_it_was(
    error: ChatError, looks: int
) -> None:
    left = await dead()
    left.chat.fail("reread", *[error] * looks)

    room = await left.successor(answer("Five days."))
    await room.settled()

    assert (room.asked, room.chat.texts()) == (["a"], ["Five days."])
    assert room.chat.count("reread") == looks


async def test_what_asks_to_wait_for_a_moment_is_waited_for() -> None:
    left = await dead()
    left.chat.fail("reread", RateLimited(SHORT))
    left.chat.edited["a"] = Said(text="a, exactly?", mentioned=True)

    room = await left.successor(answer("Five days."))
    await room.settled()

    assert room.asked == ["a, exactly?"]
