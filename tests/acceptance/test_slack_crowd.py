"""Fifty threads at once over three channels, within all that Slack allows in a minute."""

from __future__ import annotations

import asyncio
import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import pytest

from tests.acceptance.model import pieces
from tests.acceptance.program import words
from tests.acceptance.slack import GENERAL, SECOND, THIRD, running
from tests.fakes.ollama import Answer
from tests.fakes.slack import ANNA, BEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from tests.acceptance.slack import Bot
    from tests.fakes.slack import Message

CHANNELS = (GENERAL, SECOND, THIRD)
THREADS = 50
PIECE_S = 0.2
"""Between two pieces of an answer: about as fast as a model that many ask at once."""
WRITING = ("chat.startStream", "chat.appendStream", "chat.postMessage", "chat.update")


class Pace(asyncio.Semaphore):
    """Lets a model take its time for each piece."""

    async def acquire(self) -> Literal[True]:
        await asyncio.sleep(PIECE_S)
        return True


PACE = Pace()


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question of the crowd."""

    message: Message
    text: str
    """The model's answer."""
    at: float

    def calls(self, bot: Bot) -> list[float]:
        """Return when something of the answer was shown, or more of it."""
        start = self.text[:18]
        replies = {reply.ts for reply in bot.replies(self.message)}
        return [
            call.at
            for call in bot.slack.calls
            if call.method in WRITING
            and not call.error
            and (call.arguments.get("ts") in replies or any(start in text for text in words(call.arguments)))
        ]

    def signed(self, bot: Bot) -> float:
        """Return when it was shown that the question is being worked on."""
        return min(
            call.at
            for call in bot.slack.calls
            if call.arguments.get("thread_ts") == self.message.ts and not call.error
        )

    def stands(self, bot: Bot) -> bool:
        """Tell whether the answer is finished, whole and alone."""
        replies = bot.replies(self.message)
        return len(replies) == 1 and "Sources" in replies[0].buttons and not replies[0].streaming


@pytest.mark.timeout(240)
async def test_fifty_threads_at_once_get_one_whole_answer_each(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async with running(tmp_path) as bot:
        for channel in CHANNELS:
            await bot.upload(channel=channel)
        lone = ask(bot, THREADS, pace=None)
        await bot.slack.until(lambda: lone.stands(bot))
        bot.slack.rates.enforced = True
        crowd = [ask(bot, number) for number in range(THREADS)]
        await bot.slack.until(lambda: all(one.stands(bot) for one in crowd), 150)
        await bot.slack.settled()

        figures = measured(bot, lone, crowd)
        for name, value in figures.items():
            record_property(name, value)
        lost = [one.text for one in crowd if not bot.shown(one.message)[0].startswith(f"{one.text}\n\n[1] ")]
        assert not lost, figures
        assert {len(bot.replies(one.message)) for one in crowd} == {1}, figures
        assert bot.slack.rates.over() == {}, figures
        assert not [call.method for call in bot.slack.calls if call.status == 429], figures
        assert {one.attempts for one in bot.slack.deliveries} == {1}, figures
        assert bot.slack.slowest_ack < 3.0, figures  # after which Slack sends again


def ask(bot: Bot, number: int, pace: asyncio.Semaphore | None = PACE) -> Asked:
    """Ask what nobody else asks, and have the answer ready."""
    asked = f"How long does a refund for a monthly plan take for customer {number}?"
    text = " ".join(
        f"Customer {number} gets the money of invoice {100 * number + line} back in five working days [1]."
        for line in range(5 + number % 10)
    )
    bot.model.script(asked, Answer(pieces=pieces(text, 20), step=pace))
    at = bot.slack.clock()
    message = bot.ask(asked, CHANNELS[number % len(CHANNELS)], (ANNA, BEN)[number % 2])
    return Asked(message=message, text=text, at=at)


def measured(bot: Bot, lone: Asked, crowd: Sequence[Asked]) -> dict[str, float]:
    """Return how soon people see something, and in how many steps answers grow."""
    calls = {one.message.ts: one.calls(bot) for one in crowd}
    return {
        "lone first sign, s": round(lone.signed(bot) - lone.at, 2),
        "lone first text, s": round(min(lone.calls(bot)) - lone.at, 2),
        "crowd first sign, median s": _median(one.signed(bot) - one.at for one in crowd),
        "crowd first text, median s": _median(min(calls[one.message.ts]) - one.at for one in crowd),
        "crowd finished, median s": _median(max(calls[one.message.ts]) - one.at for one in crowd),
        "crowd steps per answer, mean": round(statistics.mean(map(len, calls.values())), 2),
        "slowest acknowledgement, s": round(bot.slack.slowest_ack, 3),
        **{f"{name}, most a minute": bot.slack.rates.worst(name) for name in (*WRITING, "chat.stopStream")},
    }


def _median(seconds: Iterable[float]) -> float:
    return round(statistics.median(seconds), 2)
