from __future__ import annotations

import pytest

from bot.chat import Turn, Unreachable
from tests.fakes.chat import FakeChat
from tests.fakes.room import ONE, FakeContext, Room

TOO_MANY = "Too many questions are waiting here. Ask again when they are answered."


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
