"""Whole answers over the real adapter: whatever fails on the way, no character is lost or doubled."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from adapters.slack import blocks
from adapters.slack.adapter import SlackAdapter
from adapters.slack.budgets import Budgets
from adapters.slack.calls import Calls
from adapters.slack.stream import LONGEST
from adapters.slack.workspaces import OneWorkspace
from bot.chat import Body
from bot.controls import while_writing
from bot.courier import courier_for
from bot.pacing import Limiters
from bot.reply import Halt, Reply
from bot.screens import CURSOR, Spot
from tests.fakes.pipeline import answer
from tests.fakes.replies import given, slow, stream_of
from tests.fakes.slack import error, http, rate_limited, reset_after, reset_before
from tests.integration.adapters.slack.speaking import CHANNEL, Speaking

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.chat import Thread
    from bot.reply import Outcome
    from tests.fakes.pipeline import Script
    from tests.fakes.slack import Fault

SHORT = "Refunds take five days [1]. Write to the team if yours is late, and name the invoice."
LONG = "\n\n".join(
    f"Paragraph {n} says that **refunds** take {n} days. " + "More of it. " * 12 for n in range(160)
)
CODE = (
    "Run this:\n\n```py\n"
    + "\n".join(f"refund(invoice={n}, days={n})" for n in range(900))
    + "\n```\n\nDone."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """What goes wrong with one method while an answer is written."""

    method: str
    fault: Fault
    times: int = 1
    skip: int = 0


TROUBLES = {
    "nothing": [],
    "start refused": [Trouble(method="chat.startStream", fault=error("channel_type_not_supported"))],
    "start for nobody": [Trouble(method="chat.startStream", fault=error("missing_recipient_user_id"))],
    "start limited": [Trouble(method="chat.startStream", fault=rate_limited(30))],
    "start never arrives": [Trouble(method="chat.startStream", fault=reset_before())],
    "start's answer lost": [Trouble(method="chat.startStream", fault=reset_after())],
    "start fails": [Trouble(method="chat.startStream", fault=http(503))],
    "piece limited": [Trouble(method="chat.appendStream", fault=rate_limited(3), times=2, skip=1)],
    "every piece limited": [Trouble(method="chat.appendStream", fault=rate_limited(5), times=40)],
    "piece never arrives": [Trouble(method="chat.appendStream", fault=reset_before(), skip=1)],
    "piece's answer lost": [Trouble(method="chat.appendStream", fault=reset_after(), skip=1)],
    "stream dies": [
        Trouble(method="chat.appendStream", fault=error("message_not_in_streaming_state"), skip=1)
    ],
    "end limited": [Trouble(method="chat.stopStream", fault=rate_limited(20), times=2)],
    "end never arrives": [Trouble(method="chat.stopStream", fault=reset_before())],
    "end's answer lost": [Trouble(method="chat.stopStream", fault=reset_after())],
    "end fails again and again": [Trouble(method="chat.stopStream", fault=http(500), times=4)],
    "end of a dead stream": [
        Trouble(method="chat.stopStream", fault=error("message_not_in_streaming_state"))
    ],
    "storm after a dead stream": [
        Trouble(method="chat.appendStream", fault=reset_after(), skip=1),
        Trouble(method="chat.update", fault=rate_limited(4), times=5),
    ],
    "lost start, then a lost look": [
        Trouble(method="chat.startStream", fault=reset_after()),
        Trouble(method="conversations.replies", fault=http(502), times=3),
    ],
    "edits: post's answer lost": [
        Trouble(method="chat.startStream", fault=error("channel_type_not_supported")),
        Trouble(method="chat.postMessage", fault=reset_after()),
    ],
    "edits: post never arrives": [
        Trouble(method="chat.startStream", fault=error("channel_type_not_supported")),
        Trouble(method="chat.postMessage", fault=reset_before(), times=2),
    ],
    "edits: updates limited": [
        Trouble(method="chat.startStream", fault=error("channel_type_not_supported")),
        Trouble(method="chat.update", fault=rate_limited(6), times=4),
    ],
    "edits: updates fail": [
        Trouble(method="chat.startStream", fault=error("channel_type_not_supported")),
        Trouble(method="chat.update", fault=http(500), times=5),
    ],
    "edits: too long for Slack": [
        Trouble(method="chat.startStream", fault=error("channel_type_not_supported")),
        Trouble(method="chat.update", fault=error("msg_too_long"), times=2),
        Trouble(method="chat.postMessage", fault=error("msg_blocks_too_long")),
    ],
    "edits: blocks refused": [
        Trouble(method="chat.startStream", fault=error("channel_type_not_supported")),
        Trouble(method="chat.postMessage", fault=error("invalid_blocks")),
        Trouble(method="chat.update", fault=error("invalid_blocks"), times=1, skip=1),
    ],
}


@pytest.fixture
async def room() -> AsyncIterator[Speaking]:
    async with Speaking() as speaking:
        yield speaking


def reply_in(room: Speaking, thread: Thread | None = None, *, limiters: Limiters | None = None) -> Reply:
    place = thread or room.thread
    spot = Spot(thread=place, asker="U0ANNA", key=f"q{place.key[-6:]}", writing=while_writing(place.key))
    courier = courier_for(room.adapter, place, limiters or Limiters(), room.clock)
    return Reply(courier, spot, room.clock, question=place.key)


async def shown(room: Speaking, script: Script, thread: Thread | None = None) -> Outcome:
    return await reply_in(room, thread).show(given(stream_of(slow(script, room.clock, 0.4))))


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def assert_exact(room: Speaking, text: str, thread: Thread | None = None) -> None:
    """Every character of *text* stands there once, in messages that are finished."""
    place = thread or room.thread
    messages = room.slack.replies(place.scope.channel, place.key)
    said = "".join(message.shown for message in messages)
    assert letters(said.replace("```py", "")) == letters(text.replace("```py", ""))
    assert CURSOR not in said
    assert not any(message.streaming or message.broken for message in messages)
    assert all(message.shown.count("```") % 2 == 0 for message in messages)
    assert [bool(message.buttons) for message in messages] == [False] * (len(messages) - 1) + [True]


@pytest.mark.parametrize("text", [SHORT, LONG, CODE], ids=["short", "long", "code"])
@pytest.mark.parametrize("trouble", TROUBLES)
async def test_no_character_is_lost_or_doubled(room: Speaking, trouble: str, text: str) -> None:
    for one in TROUBLES[trouble]:
        room.slack.fail(one.method, one.fault, times=one.times, skip=one.skip)

    outcome = await shown(room, answer(text, size=max(12, len(text) // 30)))

    assert outcome.delivered
    assert_exact(room, text)
    assert [ref.id for ref in outcome.messages] == [
        one.ts for one in room.slack.replies(CHANNEL, room.thread.key)
    ]


@pytest.mark.parametrize("trouble", ["nothing", "start refused", "piece's answer lost"])
@pytest.mark.parametrize(
    "text", ["Tell <!channel> and @here of it. " * 900, "𝐓𝐞𝐥𝐥 𝐧𝐨𝐛𝐨𝐝𝐲 𝐨𝐟 𝐢𝐭. " * 900], ids=["hostile", "wide"]
)
async def test_a_text_that_is_longer_for_slack_than_for_us_is_split_smaller(
    room: Speaking, trouble: str, text: str
) -> None:
    room.slack.measure = blocks.units
    for one in TROUBLES[trouble]:
        room.slack.fail(one.method, one.fault, times=one.times, skip=one.skip)

    outcome = await shown(room, answer(text, size=600))

    assert outcome.delivered
    assert_exact(room, text)


@pytest.mark.parametrize("text", [SHORT, LONG], ids=["short", "long"])
async def test_a_final_text_that_differs_is_what_stands_in_the_end(room: Speaking, text: str) -> None:
    final = text.replace("five", "six").replace("days.", "weeks.")

    await shown(room, answer(text, final=final, size=len(text) // 20))

    assert_exact(room, final)


async def test_a_stream_that_grows_old_goes_on_as_an_edited_message(room: Speaking) -> None:
    script = answer(SHORT, size=4)
    script.pause = lambda: room.clock.sleep(LONGEST / 10)

    await reply_in(room).show(given(stream_of(script)))

    assert_exact(room, SHORT)
    assert room.count("chat.startStream") == 1
    assert room.count("chat.update") > 2


async def test_a_stream_that_slack_ends_while_nobody_writes_is_mended(room: Speaking) -> None:
    script = answer(SHORT, size=20)
    script.gate = asyncio.Event()
    script.gate.set()
    showing = asyncio.create_task(shown(room, script))
    await room.slack.until(room.shown)
    script.gate.clear()
    room.slack.expire_streams()
    script.gate.set()

    await showing

    assert_exact(room, SHORT)


async def test_somebody_deletes_the_answer_while_it_streams(room: Speaking) -> None:
    script = answer(SHORT, size=8)
    script.gate = asyncio.Event()
    script.gate.set()
    showing = asyncio.create_task(shown(room, script))
    await room.slack.until(room.shown)
    room.slack.replies(CHANNEL, room.thread.key)[0].deleted = True

    outcome = await showing

    assert outcome.delivered
    assert_exact(room, SHORT)


async def test_slacks_stop_button_ends_the_answer_where_it_is(room: Speaking) -> None:
    script = answer(LONG, size=200)
    reply = reply_in(room)
    room.adapter.on_stop = lambda _: reply.halt(Halt.STOPPED)
    showing = asyncio.create_task(reply.show(given(stream_of(slow(script, room.clock)))))
    await room.slack.until(room.shown)
    message = room.slack.replies(CHANNEL, room.thread.key)[0]
    message.streaming, message.stopped = False, True

    await showing

    (said,) = room.shown()
    assert "Paragraph 0" in said
    assert "Paragraph 100" not in said
    assert "stopped" in said.lower()


async def test_a_withdrawn_answer_can_be_deleted_although_it_streamed(room: Speaking) -> None:
    reply = reply_in(room)
    showing = asyncio.create_task(reply.show(given(stream_of(slow(answer(LONG, size=200), room.clock)))))
    await room.slack.until(room.shown)
    reply.halt(Halt.WITHDRAWN)
    outcome = await showing

    for ref in outcome.messages:
        await room.adapter.delete(ref)

    assert room.shown() == []


@pytest.mark.parametrize("where", ["start", "piece", "post"])
async def test_an_answer_that_a_dead_process_had_begun_is_finished_where_it_stands(
    room: Speaking, where: str
) -> None:
    """It died before it could keep which message that is."""
    spot = Spot(thread=room.thread, key="q1", resumed=True, writing=while_writing("q1"))
    async with Elder(room) as elder:
        if where == "post":
            await elder.post(room.thread, Body(text="_Searching…_", nonce="q1-0"))
        else:
            live = await elder.open_stream(room.thread, asker="U0ANNA")
            assert live is not None
            for piece in (SHORT[:20], SHORT[20:40])[: 1 if where == "start" else 2]:
                await live.append(piece)
    courier = courier_for(room.adapter, room.thread, Limiters(), room.clock)

    await Reply(courier, spot, room.clock, question="q1").show(given(stream_of(answer(SHORT))))

    assert_exact(room, SHORT)


async def test_many_answers_at_once_stay_within_every_budget_of_slacks(room: Speaking) -> None:
    room.slack.rates.enforced = True
    threads = [
        room.ask(channel) for channel in ("C0GENERAL", "C0SECOND", "C0THIRD", "C0PRIVATE") for _ in range(8)
    ]
    limiters, texts = Limiters(), [f"Answer {n}. {LONG[: 900 + 100 * n]}" for n in range(len(threads))]

    await asyncio.gather(
        *(
            reply_in(room, thread, limiters=limiters).show(
                given(stream_of(slow(answer(text, size=60), room.clock, 0.3)))
            )
            for thread, text in zip(threads, texts, strict=True)
        )
    )

    for thread, text in zip(threads, texts, strict=True):
        assert_exact(room, text, thread)
    assert room.slack.rates.over() == {}
    assert not any(call.status == 429 for call in room.slack.calls)


async def test_a_storm_of_limits_costs_time_and_no_text(room: Speaking) -> None:
    for method in ("chat.appendStream", "chat.stopStream", "chat.update", "chat.postMessage"):
        room.slack.fail(method, rate_limited(2), times=6, skip=1)

    outcome = await shown(room, answer(LONG, size=400))

    assert outcome.delivered
    assert_exact(room, LONG)


class Elder:
    """The adapter of a process that is about to die: it knows nothing of the one that comes after it."""

    def __init__(self, room: Speaking) -> None:
        self._room = room

    async def __aenter__(self) -> SlackAdapter:
        self._workspaces = OneWorkspace(self._room.slack.team.token, base_url=self._room.slack.base_url)
        calls = Calls(self._workspaces, Budgets(), self._room.clock.monotonic)
        return SlackAdapter(calls, monotonic=self._room.clock.monotonic)

    async def __aexit__(self, *_: object) -> None:
        await self._workspaces.close()
