"""The program dies or is restarted while it is at work in Slack: nothing is lost, nothing comes twice."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.acceptance.model import FIVE, REFUNDS, about, held, release
from tests.acceptance.slack import GENERAL, SECOND, THIRD, Bot, running
from tests.fakes.slack import ANNA, BEN, Serving, error

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.slack import Message

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

LIVE, EDITED = GENERAL, SECOND
"""Where Slack streams answers, and where it does not."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data")) as bot:
        no_stream = error("channel_type_not_supported")
        bot.slack.retries = 20  # Slack goes on for minutes
        bot.slack.fail("chat.startStream", no_stream, times=None, when=lambda call: call["channel"] == EDITED)
        await asyncio.gather(*(bot.upload(channel=channel) for channel in (LIVE, EDITED)))
        yield bot


async def interrupted(bot: Bot, place: str, channel: str, pieces: int) -> Message:
    """Ask, and return when so many pieces of the answer have come; after the restart all of it comes."""
    asked, answer = about(place), held(FIVE, pieces)
    bot.model.script(asked, answer, FIVE)
    question = bot.ask(asked, channel)
    await bot.slack.until(lambda: bot.model.asked(asked))
    if pieces:
        await bot.shows(question, FIVE[:16])
    return question


async def test_what_a_killed_program_was_at_is_finished_once_and_where_it_stood(bot: Bot) -> None:
    early = bot.ask(about("Aachen"))
    await bot.answered(early)
    await bot.slack.until(lambda: bot.model.running == 0)
    streamed = await interrupted(bot, "Basel", LIVE, 3)
    edited = await interrupted(bot, "Chur", EDITED, 3)
    silent = await interrupted(bot, "Davos", LIVE, 0)
    stood = {question: [one.ts for one in bot.replies(question)] for question in (streamed, edited)}
    serving = Serving(gate=asyncio.Event())
    file = bot.slack.upload(THIRD, BEN, "refunds.md", REFUNDS, serving=serving)
    upload = bot.slack.message(THIRD, file.shares[THIRD])
    await bot.slack.until(lambda: any(file.id in one.path for one in bot.slack.downloads))

    assert await bot.stop(signal.SIGKILL) == -signal.SIGKILL
    serving.gate = None
    meanwhile = bot.ask(about("Essen"))
    await bot.start()

    for question in (streamed, edited, silent, meanwhile):
        reply = await bot.answered(question)
        assert bot.replies(question) == [reply]
        assert stood.get(question, [reply.ts]) == [reply.ts]
    await bot.shows(upload, "is ready")
    assert len(bot.shown(upload)) == 1
    asked = "And how long was that again, for a monthly plan?"
    bot.slack.say(LIVE, ANNA, asked, early.ts)
    await bot.slack.until(lambda: len(bot.replies(early)) == 2)
    assert about("Aachen") in bot.model.asked(asked)[0]


async def test_a_program_that_is_told_to_stop_says_so_and_the_next_one_goes_on(bot: Bot) -> None:
    streamed = await interrupted(bot, "Fulda", LIVE, 3)
    edited = await interrupted(bot, "Genf", EDITED, 3)
    quick = held(FIVE, 3)
    bot.model.script(about("Hamburg"), quick)
    ending = bot.ask(about("Hamburg"))
    await bot.slack.until(lambda: bot.model.asked(about("Hamburg")))
    stopped = asyncio.create_task(bot.stop())
    await bot.slack.until(lambda: not bot.slack.sockets.connections)
    release(quick)

    assert await stopped == 0
    (done,) = bot.shown(ending)
    assert done.startswith(FIVE)  # what ends in time is finished
    for question in (streamed, edited):
        (left,) = bot.replies(question)
        assert left.shown.startswith(FIVE[:16])
        assert "I am being restarted" in left.shown
        assert not left.streaming

    await bot.start()
    for question in (streamed, edited):
        reply = await bot.answered(question)
        assert bot.replies(question) == [reply]
        assert "restarted" not in reply.shown
    assert bot.shown(ending) == [done]
