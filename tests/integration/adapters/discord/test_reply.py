"""Whole answers over the real adapter: whatever fails on the way, no character is lost or doubled."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from bot.chat import Body
from bot.controls import while_writing
from bot.courier import courier_for
from bot.pacing import Limiters
from bot.reply import Halt, Reply
from bot.screens import CURSOR, Spot
from tests.fakes.discord import (
    GENERAL,
    NO_THREADS,
    SECOND,
    THIRD,
    held,
    http,
    rate_limited,
    refused,
    reset_after,
    reset_before,
)
from tests.fakes.pipeline import answer
from tests.fakes.replies import given, slow, stream_of
from tests.fakes.waiting import until
from tests.integration.adapters.discord.speaking import Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.chat import Thread
    from bot.reply import Outcome
    from tests.fakes.discord import Fault, Message
    from tests.fakes.pipeline import Script


def prose(characters: int) -> str:
    """Return paragraphs of exactly so many characters, no two of them alike."""
    text, number = "", 0
    while len(text) < characters:
        number += 1
        text += f"Paragraph {number} says that **refunds** take {number} days. " + "More of it. " * 9 + "\n\n"
    return text[: characters - 1].rstrip() + "." * (characters - len(text[: characters - 1].rstrip()))


SHORT = "Refunds take five days [1]. Write to the team if yours is late, and name the invoice."
CODE = (
    "Run this:\n\n```py\n"
    + "\n".join(f"refund(invoice={n}, days={n}, reason='late {n}')" for n in range(300))
    + "\n```\n\nDone."
)
TEXTS = {"short": SHORT, "2001": prose(2_001), "5000": prose(5_000), "12000": prose(12_000), "code": CODE}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What goes wrong with one route while an answer is written."""

    route: str
    fault: Fault
    times: int = 1
    skip: int = 0


TROUBLES = {
    "nothing": [],
    "thread's answer lost": [Trouble(route="thread", fault=reset_after())],
    "thread never opened": [Trouble(route="thread", fault=http(503), times=3)],
    "thread refused": [Trouble(route="thread", fault=refused(160006), times=9)],
    "thread limited": [Trouble(route="thread", fault=rate_limited(20, via=False))],
    "post never arrives": [Trouble(route="send", fault=reset_before(), times=2)],
    "post's answer lost": [Trouble(route="send", fault=reset_after())],
    "post's answer lost twice": [Trouble(route="send", fault=http(503, done=True), times=2)],
    "later post's answer lost": [Trouble(route="send", fault=reset_after(), skip=1)],
    "post limited": [Trouble(route="send", fault=rate_limited(9, via=False))],
    "edit never arrives": [Trouble(route="edit", fault=reset_before(), skip=1)],
    "edit's answer lost": [Trouble(route="edit", fault=reset_after(), skip=1)],
    "edits fail": [Trouble(route="edit", fault=http(503), times=5)],
    "every third edit fails": [Trouble(route="edit", fault=http(503), skip=2) for _ in range(5)],
    "edits limited": [Trouble(route="edit", fault=rate_limited(6, via=False), times=4)],
    "edits limited, and discord.py waits": [Trouble(route="edit", fault=rate_limited(0.02), times=4)],
    "edits of something old": [Trouble(route="edit", fault=refused(30046), times=3)],
    "too long for Discord": [
        Trouble(route=route, fault=refused(40005), times=2) for route in ("edit", "send")
    ],
    "storm": [
        Trouble(route="thread", fault=reset_after()),
        Trouble(route="send", fault=reset_after()),
        Trouble(route="edit", fault=rate_limited(4, via=False), times=5),
        Trouble(route="edit", fault=reset_after(), times=2, skip=1),
    ],
}


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


def reply_in(
    room: Speaking, thread: Thread, *, limiters: Limiters | None = None, resumed: bool = False
) -> Reply:
    spot = Spot(thread=thread, key=f"q{thread.key[-6:]}", writing=while_writing(thread.key), resumed=resumed)
    courier = courier_for(room.adapter, thread, limiters or Limiters(), room.clock)
    return Reply(courier, spot, room.clock, question=thread.key)


async def shown(room: Speaking, script: Script, thread: Thread, **more: object) -> Outcome:
    reply = reply_in(room, thread, **more)  # type: ignore[arg-type]
    return await reply.show(given(stream_of(slow(script, room.clock, 0.4))))


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def standing(room: Speaking, thread: Thread) -> list[Message]:
    """Return the bot's messages of one conversation, wherever they stand."""
    key = int(thread.key)
    inside = room.discord.replies(key) if room.discord.find_channel(key) else []
    outside = room.discord.replies(int(thread.scope.channel))
    return inside + [one for one in outside if one.answered and one.answered.id == key]


def assert_exact(room: Speaking, text: str, thread: Thread) -> None:
    """Every character of *text* stands there once, in messages that are finished."""
    messages = standing(room, thread)
    said = "".join(message.shown for message in messages)
    assert letters(said.replace("```py", "")) == letters(text.replace("```py", ""))
    assert CURSOR not in said
    assert all(message.shown.count("```") % 2 == 0 for message in messages)
    assert [bool(message.buttons) for message in messages] == [False] * (len(messages) - 1) + [True]
    assert "Stop" not in messages[-1].buttons


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("trouble", TROUBLES)
async def test_no_character_is_lost_or_doubled(room: Speaking, trouble: str, text: str) -> None:
    for one in TROUBLES[trouble]:
        room.discord.fail(one.route, one.fault, times=one.times, skip=one.skip)
    thread = room.ask()

    outcome = await shown(room, answer(TEXTS[text], size=max(12, len(TEXTS[text]) // 30)), thread)

    assert outcome.delivered
    assert_exact(room, TEXTS[text], thread)
    assert [ref.id for ref in outcome.messages] == [str(one.id) for one in standing(room, thread)]
    assert room.discord.pings == []


@pytest.mark.parametrize("text", ["short", "code"])
async def test_a_final_text_that_differs_is_what_stands_in_the_end(room: Speaking, text: str) -> None:
    said, thread = TEXTS[text], room.ask()
    final = said.replace("five", "six").replace("late", "lost")

    await shown(room, answer(said, final=final, size=len(said) // 20), thread)

    assert_exact(room, final, thread)


@pytest.mark.parametrize("text", ["short", "code", "12000"])
async def test_somebody_deletes_the_answer_while_it_is_written(room: Speaking, text: str) -> None:
    script, thread = answer(TEXTS[text], size=max(8, len(TEXTS[text]) // 20)), room.ask()
    gate = asyncio.Event()
    room.discord.fail("edit", held(gate), skip=2)
    showing = asyncio.create_task(shown(room, script, thread))
    await room.discord.until(lambda: room.count("edit") == 3)
    room.discord.delete(standing(room, thread)[-1])
    gate.set()

    outcome = await showing

    assert outcome.delivered
    assert_exact(room, TEXTS[text], thread)


async def test_somebody_archives_the_thread_while_the_answer_is_written(room: Speaking) -> None:
    script, thread = answer(TEXTS["5000"], size=250), room.ask()
    showing = asyncio.create_task(shown(room, script, thread))
    await room.discord.until(lambda: standing(room, thread))
    room.discord.archive(room.room(thread))

    outcome = await showing

    assert outcome.delivered
    assert_exact(room, TEXTS["5000"], thread)


async def test_somebody_deletes_the_thread_while_the_answer_is_written_and_all_of_it_is_a_reply(
    room: Speaking,
) -> None:
    script, thread = answer(TEXTS["5000"], size=250), room.ask()
    showing = asyncio.create_task(shown(room, script, thread))
    await room.discord.until(lambda: standing(room, thread))
    room.discord.close_channel(room.room(thread))

    outcome = await showing

    assert outcome.delivered
    assert_exact(room, TEXTS["5000"], thread)
    assert {message.channel.id for message in standing(room, thread)} == {GENERAL}


async def test_an_answer_that_is_stopped_says_so_where_it_stands(room: Speaking) -> None:
    thread = room.ask()
    reply = reply_in(room, thread)
    script = slow(answer(TEXTS["12000"], size=200), room.clock)
    showing = asyncio.create_task(reply.show(given(stream_of(script))))
    await room.discord.until(lambda: standing(room, thread))
    reply.halt(Halt.STOPPED)

    await showing

    said = "".join(message.shown for message in standing(room, thread))
    assert "stopped" in said.lower()
    assert "Paragraph 80" not in said
    assert CURSOR not in said


async def test_a_withdrawn_answer_can_be_taken_back(room: Speaking) -> None:
    thread = room.ask()
    reply = reply_in(room, thread)
    script = slow(answer(TEXTS["5000"], size=200), room.clock)
    showing = asyncio.create_task(reply.show(given(stream_of(script))))
    await room.discord.until(lambda: standing(room, thread))
    reply.halt(Halt.WITHDRAWN)
    outcome = await showing

    for ref in outcome.messages:
        await room.adapter.delete(ref)

    assert standing(room, thread) == []


@pytest.mark.parametrize("minutes", [0, 20])
@pytest.mark.parametrize("channel", [GENERAL, NO_THREADS])
async def test_an_answer_that_a_dead_process_had_begun_is_finished_where_it_stands(
    room: Speaking, channel: int, minutes: int
) -> None:
    """It died before it could keep which message that is."""
    thread = room.ask(channel)
    key = f"q{thread.key[-6:]}-0"
    await room.adapter.post(thread, Body(text="_One moment…_", nonce=key, buttons=while_writing(thread.key)))
    room.clock.advance(60.0 * minutes)
    room.renew()

    await shown(room, answer(SHORT), thread, resumed=True)

    assert_exact(room, SHORT, thread)


async def test_the_reader_of_an_answer_never_waits_for_discord(room: Speaking) -> None:
    gate, thread = asyncio.Event(), room.ask()
    room.discord.fail("send", held(gate), times=None)
    room.discord.fail("edit", held(gate), times=None)
    stream = stream_of(answer(TEXTS["12000"], size=50))
    showing = asyncio.create_task(reply_in(room, thread).show(given(stream)))

    await until(lambda: stream.drained)
    assert standing(room, thread) == []
    gate.set()
    await showing

    assert_exact(room, TEXTS["12000"], thread)


async def test_three_answers_in_one_channel_share_its_budget(room: Speaking) -> None:
    room.discord.rates.enforced = True
    threads = [room.ask(NO_THREADS) for _ in range(3)]
    limiters = Limiters()
    texts = [f"Answer {n}. {TEXTS['5000']}" for n in range(3)]

    began = room.clock.monotonic()
    await asyncio.gather(
        *(
            shown(room, answer(text, size=100), thread, limiters=limiters)
            for thread, text in zip(threads, texts, strict=True)
        )
    )

    for thread, text in zip(threads, texts, strict=True):
        assert_exact(room, text, thread)
        assert min(len(message.history) for message in standing(room, thread)[:1]) > 2
    assert room.discord.rates.over() == {}
    assert room.discord.rates.refusals == 0
    assert room.clock.monotonic() - began < 60.0


async def test_thirty_answers_at_once_stay_within_every_limit(room: Speaking) -> None:
    room.discord.rates.enforced = True
    threads = [room.ask(channel) for channel in (GENERAL, SECOND, THIRD) for _ in range(10)]
    limiters, texts = Limiters(), [f"Answer {n}. {TEXTS['5000'][: 900 + 60 * n]}" for n in range(30)]

    await asyncio.gather(
        *(
            shown(room, answer(text, size=60), thread, limiters=limiters)
            for thread, text in zip(threads, texts, strict=True)
        )
    )

    for thread, text in zip(threads, texts, strict=True):
        assert_exact(room, text, thread)
    assert room.discord.rates.over() == {}
    assert not any(call.status == 429 for call in room.discord.calls)
