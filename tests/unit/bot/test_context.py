from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.chat import Turn, Unreachable
from bot.context import condensed
from pipeline.errors import StorageError
from tests.fakes.chat import FakeChat
from tests.fakes.pipeline import answer
from tests.fakes.room import ONE, FakeContext, Room, gated
from tests.fakes.waiting import until

LIMIT = 800


def said(*texts: str) -> list[Turn]:
    return [
        Turn(author="u2", text=text.removeprefix("bot: "), own=text.startswith("bot: ")) for text in texts
    ]


async def handed_over(*texts: str, missing: bool = False) -> list[str]:
    """Return what is handed over when *texts* stand in the thread and the last of them is the question."""
    context, chat = FakeContext(missing=missing), FakeChat()
    chat.said = said(*texts)
    room = Room(chat=chat, context=context)
    room.say(texts[-1], midway=True)
    await room.settled()
    return [turn.text for _, turns in context.adopted for turn in turns]


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


async def test_a_fresh_thread_is_not_read() -> None:
    context = FakeContext()
    room = Room(context=context)

    room.say("a")
    await room.settled()

    assert context.adopted == []
    assert room.chat.count("history") == 0


async def test_of_a_known_thread_what_others_wrote_since_the_last_answer_is_handed_over() -> None:
    texts = ["Zephyr?", "bot: Five days.", "The secret word is Quagga.", "How long then?"]

    assert await handed_over(*texts) == ["The secret word is Quagga."]


async def test_where_nothing_was_written_since_nothing_is_handed_over() -> None:
    assert await handed_over("Zephyr?", "bot: Five days.", "How long then?") == []


async def test_what_stands_behind_the_question_is_not_handed_over() -> None:
    context, chat = FakeContext(missing=False), FakeChat()
    chat.said = said("bot: Five days.", "Between.", "How long?", "And why?")
    room = Room(chat=chat, context=context)

    room.say("How long?", midway=True)
    await room.settled()

    assert [turn.text for _, turns in context.adopted for turn in turns] == ["Between."]


async def test_a_follow_up_that_does_not_name_the_bot_reads_nothing() -> None:
    context = FakeContext(missing=False)
    room = Room(context=context)
    room.say("a")
    await room.settled()

    room.say("And why?", midway=True, mentioned=False)
    await room.settled()

    assert room.asked == ["a", "And why?"]
    assert room.chat.count("history") == 0


@pytest.mark.parametrize("change", ["edit", "delete"])
@pytest.mark.parametrize("done", [False, True])
async def test_a_question_that_was_changed_or_taken_back_is_remembered_no_more(
    change: str, done: bool
) -> None:
    context = FakeContext()
    room = Room(answer("Old.") if done else gated("Old."), answer("New."), context=context)
    room.say("a")
    await (room.settled() if done else room.until("_"))
    assert context.retracted == []

    if change == "edit":
        room.edit("a", "b")
    else:
        room.delete("a")
    await room.settled()

    assert context.retracted == [(ONE, "a")]
    assert room.chat.texts() == (["New."] if change == "edit" else [])


@pytest.mark.parametrize("change", ["edit", "delete"])
async def test_what_is_just_being_remembered_is_taken_out_afterwards(change: str) -> None:
    context, old = FakeContext(), answer("Old.")
    old.memory_gate = asyncio.Event()
    room = Room(old, answer("New."), context=context)
    room.say("a")
    await until(lambda: "remembering a" in room.pipeline.log)

    if change == "edit":
        room.edit("a", "b")
    else:
        room.delete("a")
    await until(lambda: room.chat.texts() != ["Old."])
    assert context.retracted == []
    old.memory_gate.set()
    await room.settled()

    assert context.retracted == [(ONE, "a")]


async def test_what_cannot_be_taken_out_is_answered_all_the_same() -> None:
    context = FakeContext()
    room = Room(answer("Old."), answer("New."), context=context)
    room.say("a")
    await room.settled()
    context.error = StorageError()

    room.edit("a", "b")
    await room.settled()

    assert room.chat.texts() == ["New."]


def test_a_short_talk_is_kept_whole() -> None:
    assert condensed(["", "The  Oslo office\nmoves.", "When?"], LIMIT) == "The Oslo office moves. When?"
    assert condensed([], LIMIT) == ""


def test_of_a_long_talk_the_root_and_the_end_are_kept() -> None:
    text = condensed(
        ["The Zephyr contract.", *("some longer discussion" for _ in range(99)), "So it is."], LIMIT
    )

    assert text.startswith("The Zephyr contract. … ")
    assert text.endswith("So it is.")


@given(st.lists(st.text("ab \n", max_size=1200), max_size=8))
def test_however_long_a_talk_is_its_summary_keeps_the_limit_and_both_ends(parts: list[str]) -> None:
    text, whole = condensed(parts, LIMIT), " ".join(" ".join(parts).split())

    assert len(text) <= LIMIT
    assert text[:1] == whole[:1]
    assert text[-1:] == whole[-1:]


async def test_a_thread_that_cannot_be_read_is_answered_all_the_same() -> None:
    room = Room(context=FakeContext())
    room.chat.fail("history", Unreachable())

    room.say("a", midway=True)
    await room.settled()

    assert room.chat.texts() == ["Five days."]
