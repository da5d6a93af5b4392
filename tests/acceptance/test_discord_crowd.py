"""Thirty threads at once over three channels, within all that Discord allows, and with no piece held up."""

from __future__ import annotations

import asyncio
import statistics
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

import pytest

from tests.acceptance.discord import running
from tests.acceptance.model import FIVE, pieces
from tests.acceptance.program import words
from tests.fakes.discord import ANNA, BEN, GENERAL, SECOND, THIRD, held
from tests.fakes.ollama import Answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from tests.acceptance.discord import Bot
    from tests.fakes.discord import Message

CHANNELS = (GENERAL, SECOND, THIRD)
THREADS = 30
PIECE_S = 0.2
"""Between two pieces of an answer: about as fast as a model that many ask at once."""
SAYING = ("send", "edit")


class Pace(asyncio.Semaphore):
    """Lets a model take its time for each piece, and notes when it sent it."""

    def __init__(self) -> None:
        super().__init__(0)
        self.sent: list[float] = []

    async def acquire(self) -> Literal[True]:
        await asyncio.sleep(PIECE_S)
        self.sent.append(asyncio.get_running_loop().time())
        return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question of the crowd."""

    message: Message
    text: str
    """The model's answer."""
    at: float
    pace: Pace = field(default_factory=Pace)

    def calls(self, bot: Bot) -> list[float]:
        """Return when something was shown in its thread, or more of it."""
        return [call.at for call in bot.discord.called(*SAYING) if self._is_mine(call.path, call.status)]

    def texts(self, bot: Bot) -> list[float]:
        """Return when text of the answer was shown, or more of it."""
        start = self.text[:10]
        return [
            call.at
            for call in bot.discord.called(*SAYING)
            if self._is_mine(call.path, call.status)
            and any(text.startswith(start) for text in words(call.payload))
        ]

    def signed(self, bot: Bot) -> float:
        """Return when it was shown that the question is being worked on."""
        threads = [call.at for call in bot.discord.called("thread") if str(self.message.id) in call.path]
        return min([*threads, *self.calls(bot)])

    def stands(self, bot: Bot) -> bool:
        """Tell whether the answer is finished, whole and alone."""
        replies = bot.replies(self.message)
        return len(replies) == 1 and "Sources" in replies[0].buttons

    def _is_mine(self, path: str, status: int) -> bool:
        return f"/channels/{self.message.id}/" in path and status == 200


@pytest.mark.timeout(240)
async def test_thirty_threads_at_once_get_one_whole_answer_each(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    async with running(tmp_path) as bot:
        for channel in CHANNELS:
            await bot.upload(channel=channel)
        lone = ask(bot, THREADS)
        await bot.discord.until(lambda: lone.stands(bot))
        bot.discord.rates.enforced = True
        crowd = [ask(bot, number) for number in range(THREADS)]
        await bot.discord.until(lambda: all(one.stands(bot) for one in crowd), 150)
        await bot.discord.settled()

        figures = measured(bot, lone, crowd)
        for name, value in figures.items():
            record_property(name, value)
        lost = [one.text for one in crowd if not bot.shown(one.message)[0].startswith(f"{one.text}\n\n[1] ")]
        assert not lost, figures
        assert {len(bot.replies(one.message)) for one in crowd} == {1}, figures
        assert {len(bot.model.asked(question(number))) for number in range(THREADS)} == {1}, figures
        assert bot.discord.rates.over() == {}, figures
        assert bot.discord.rates.refusals == 0, figures
        assert not [call.route for call in bot.discord.calls if call.status == 429], figures


async def test_a_model_is_read_as_fast_as_it_writes_whatever_discord_does(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        await bot.upload()
        gate = asyncio.Event()
        bot.discord.fail("send", held(gate), times=None)
        # more than any buffer on the way holds: the model could not end if nobody read what it writes
        bot.model.script(question(0), Answer(thinking=["so " * 50_000] * 80, pieces=pieces(FIVE)))
        message = bot.ask(question(0))
        await bot.discord.until(lambda: bot.model.asked(question(0)) and not bot.model.running)
        assert not bot.replies(message)

        bot.discord.heal("send")
        gate.set()
        await bot.answered(message)


def question(number: int) -> str:
    """Return what nobody else asks."""
    return f"How long does a refund for a monthly plan take for customer {number}?"


def ask(bot: Bot, number: int) -> Asked:
    """Ask it, and have the answer ready."""
    text = " ".join(
        f"Customer {number} gets the money of invoice {100 * number + line} back in five working days [1]."
        for line in range(5 + number % 10)
    )
    pace = Pace()
    bot.model.script(question(number), Answer(pieces=pieces(text, 20), step=pace))
    at = bot.discord.clock()
    message = bot.ask(question(number), CHANNELS[number % len(CHANNELS)], (ANNA, BEN)[number % 2])
    return Asked(message=message, text=text, at=at, pace=pace)


def measured(bot: Bot, lone: Asked, crowd: Sequence[Asked]) -> dict[str, float]:
    """Return how soon people see something, and in how many steps answers grow."""
    signs = [one.signed(bot) - one.at for one in crowd]
    texts = [min(one.texts(bot)) - one.at for one in crowd]
    ends = [max(one.calls(bot)) - one.at for one in crowd]
    gaps = [
        later - sooner
        for one in crowd
        for sooner, later in zip(one.pace.sent, one.pace.sent[1:], strict=False)
    ]
    behind = [max(one.calls(bot)) - one.pace.sent[-1] for one in crowd]
    return {
        "lone first sign, s": round(lone.signed(bot) - lone.at, 2),
        "lone first text, s": round(min(lone.texts(bot)) - lone.at, 2),
        **_figures("crowd first sign", signs),
        **_figures("crowd first text", texts),
        **_figures("crowd finished", ends),
        **_figures("crowd shown whole after the model's last piece", behind),
        **_figures("between two pieces", gaps),
        "crowd steps per answer, mean": round(statistics.mean(len(one.texts(bot)) for one in crowd), 2),
        "crowd steps per answer, least": min(len(one.texts(bot)) for one in crowd),
        **{
            f"{name}, most in a window": bot.discord.rates.worst(name)
            for name in ("messages", "threads", "global")
        },
    }


def _figures(name: str, seconds: Iterable[float]) -> dict[str, float]:
    known = list(seconds)
    return {f"{name}, median s": round(statistics.median(known), 2), f"{name}, worst s": round(max(known), 2)}
