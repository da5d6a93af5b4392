"""The program dies or is restarted while it is at work in Discord: nothing is lost, nothing comes twice."""

from __future__ import annotations

import asyncio
import signal
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.acceptance.discord import DONE, Bot, assert_well_behaved, running
from tests.acceptance.model import ANNUAL, FIFTEEN, FIVE, Model, about, held, release
from tests.fakes.discord import ANNA, BEN, GENERAL, NO_THREADS, SECOND, THIRD, DiscordServer, Serving
from tests.fakes.postgres import running_postgres

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from tests.fakes.discord import Message

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(240)]

SOON = 60.0
"""Seconds for all that a start has to do first."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data")) as bot:
        await bot.upload()
        await bot.signed(bot.share(channel=NO_THREADS))
        yield bot


async def interrupted(bot: Bot, place: str, pieces: int, channel: int = GENERAL) -> Message:
    """Ask, and return when so many pieces of the answer have come; after the restart all of it comes."""
    asked, answer = about(place), held(FIVE, pieces)
    bot.model.script(asked, answer, FIVE)
    question = bot.ask(asked, channel)
    await bot.discord.until(lambda: bot.model.asked(asked))
    if pieces:
        await bot.shows(question, FIVE[:16])
    return question


async def test_what_a_killed_program_was_at_is_finished_once_and_where_it_stood(bot: Bot) -> None:
    early = bot.ask(about("Aachen"))
    first = await bot.answered(early)
    await bot.remembered(early)
    threaded = await interrupted(bot, "Basel", 3)
    replied = await interrupted(bot, "Chur", 3, NO_THREADS)
    silent = await interrupted(bot, "Davos", 0)
    stood = {one: bot.replies(one) for one in (threaded, replied)}
    serving = Serving(gate=asyncio.Event())
    upload = bot.share(channel=THIRD, user=BEN, serving=serving)
    file = str(upload.attachments[0].id)
    await bot.discord.until(lambda: any(file in one.path for one in bot.discord.downloads))

    assert await bot.stop(signal.SIGKILL) == -signal.SIGKILL
    serving.gate = None
    meanwhile = bot.ask(about("Essen"))
    asked = "And how long was that again, for a monthly plan?"
    bot.discord.say(early.thread or GENERAL, ANNA, asked)
    shared = bot.share("leave.md", "# Leave\n\nThere are 28 days of leave.", SECOND)
    taken_back = bot.ask(about("Erfurt"))
    bot.discord.delete(taken_back)
    await bot.start()

    for question in (threaded, replied, silent, meanwhile):
        reply = await bot.answered(question, seconds=SOON)
        assert bot.replies(question) == [reply]
        assert stood.get(question, [reply]) == [reply]
    await bot.discord.until(lambda: len(bot.replies(early)) == 2 and bot.model.asked(asked), SOON)
    assert about("Aachen") in bot.model.asked(asked)[0]
    assert bot.replies(early)[0] is first
    await bot.signed(upload, DONE)
    await bot.signed(shared, DONE)
    await bot.shows(upload, "is ready")
    assert len(bot.shown(upload)) == 1
    assert not bot.model.asked(about("Erfurt"))


async def test_buttons_of_an_earlier_life_work(bot: Bot) -> None:
    question = bot.ask(about("Fulda"))
    reply = await bot.answered(question)
    await bot.remembered(question)
    assert await bot.stop() == 0
    await bot.start()

    assert "takes five working days" in await bot.whispered(bot.discord.press(reply, "Sources", BEN))
    assert "refunds.md" in await bot.whispered(bot.discord.press(reply, "Why this answer", BEN))
    assert "Thank you" in await bot.whispered(bot.discord.press(reply, "👍", BEN))
    use = bot.discord.press(reply, "👎", ANNA)
    await bot.discord.until(lambda: use.modal)
    await bot.discord.until(
        lambda: bot.judgements(question) == {(str(BEN), "up", None), (str(ANNA), "down", None)}
    )
    assert len(bot.replies(question)) == 1


async def test_a_stop_button_of_an_earlier_life_stops_what_is_written_again(bot: Bot) -> None:
    asked = about("Genf")
    bot.model.script(asked, held(FIVE, 3), held(FIVE, 3))
    question = bot.ask(asked)
    await bot.shows(question, FIVE[:16])
    assert await bot.stop(signal.SIGKILL) == -signal.SIGKILL
    await bot.start()
    await bot.discord.until(lambda: len(bot.model.asked(asked)) == 2, SOON)

    (reply,) = bot.replies(question)
    bot.discord.press(reply, "Stop", BEN)
    await bot.discord.until(lambda: "Stopped." in reply.shown)
    assert bot.replies(question) == [reply]


async def test_a_program_that_is_told_to_stop_says_so_and_the_next_one_goes_on(bot: Bot) -> None:
    threaded = await interrupted(bot, "Halle", 3)
    replied = await interrupted(bot, "Hamm", 3, NO_THREADS)
    quick = held(FIVE, 3)
    bot.model.script(about("Hamburg"), quick)
    ending = bot.ask(about("Hamburg"))
    await bot.discord.until(lambda: bot.model.asked(about("Hamburg")))
    stopped = asyncio.create_task(bot.stop())
    await bot.discord.gateway.gone()
    release(quick)

    assert await stopped == 0
    (done,) = bot.shown(ending)
    assert done.startswith(FIVE)  # what ends in time is finished
    for question in (threaded, replied):
        (left,) = bot.replies(question)
        assert left.shown.startswith(FIVE[:16])
        assert "I am being restarted" in left.shown
        assert not left.buttons

    await bot.start()
    for question in (threaded, replied):
        reply = await bot.answered(question, seconds=SOON)
        assert bot.replies(question) == [reply]
        assert "restarted" not in reply.shown
    assert bot.shown(ending) == [done]


async def test_what_was_deleted_while_nobody_listened_is_forgotten(tmp_path: Path) -> None:
    async with running(tmp_path, FOOTNOTE_DISCORD__RECHECK_HOURS="0.0003") as bot:
        stays, goes = await bot.upload(), bot.share(channel=SECOND)
        room, guild = bot.discord.add_channel("room"), bot.discord.add_guild("Beta", invited=False)
        bot.discord.invite_bot(guild)
        (other,) = guild.channels.values()
        shares = [goes, bot.share(channel=room), bot.share(channel=other)]
        for upload in shares:
            await bot.signed(upload)
        assert await bot.stop() == 0
        bot.discord.delete(goes)
        bot.discord.delete_channel(room)
        bot.discord.remove_bot(guild)
        await bot.start()

        for one in shares:
            where = f"discord:{one.channel.guild.id if one.channel.guild else 0}:{one.channel.id}"
            while (await bot.command("docs", "--channel", where, "--json")).json["documents"]:
                pass
        await bot.answered(bot.ask(about("Aachen")))
        assert bot.signs(stays) == {DONE}


async def test_another_embedding_model_leaves_the_channel_answerable(tmp_path: Path) -> None:
    async with running(tmp_path) as bot:
        await bot.upload()
        assert await bot.stop() == 0
        bot.configure(FOOTNOTE_EMBEDDING__PROVIDER="ollama", FOOTNOTE_EMBEDDING__MODEL="nomic-embed-text")
        bot.model.embed_status = 503  # while it is away, the words of the question find the passage
        await bot.start()

        reply = await bot.answered(bot.ask(about("Aachen")), seconds=SOON)
        assert "another embedding model" in reply.shown
        bot.model.embed_status = 200
        # the first question after that has the channel read again, and a later one finds by meaning
        for number in range(100):
            reply = await bot.answered(bot.ask(about(f"Aachen, house {number}")), seconds=SOON)
            if "another embedding model" not in reply.shown:
                break
        assert "another embedding model" not in reply.shown


async def test_two_replicas_answer_each_question_and_index_each_file_once(tmp_path: Path) -> None:
    with running_postgres() as postgres:
        url = await postgres.find_or_create_database("replicas")
        shared = {"FOOTNOTE_DATABASE_URL": url, "FOOTNOTE_VECTOR_URI": str(tmp_path / "vectors")}
        async with DiscordServer() as discord, Model() as model:
            replicas = [Bot(discord, model, tmp_path / name, **shared) for name in ("one", "two")]
            one, two = replicas
            for replica in replicas:
                replica.data.mkdir()
            try:
                assert (await one.command("db", "upgrade")).status == 0
                await one.start()
                await two.start()
                upload = one.share()
                await one.signed(upload)
                asked = [about(f"Aachen, house {number}") for number in range(8)]
                questions = [one.ask(text) for text in asked]
                for question in questions:
                    await one.answered(question)
                await one.discord.settled()
                bystander = one.ask(ANNUAL)
                await one.answered(bystander, FIFTEEN)

                assert {len(model.asked(text)) for text in asked} == {1}
                assert {len(one.replies(question)) for question in questions} == {1}
                assert len(one.shown(upload)) == 1
                asked_last, answer = about("Basel"), held(FIVE, 3)
                model.script(asked_last, answer, FIVE)
                question = one.ask(asked_last)
                await one.shows(question, FIVE[:16])
                assert not any(await asyncio.gather(one.stop(), two.stop()))
                await two.start()
                reply = await two.answered(question, seconds=SOON)
                assert two.replies(question) == [reply]
                assert await two.stop() == 0
                assert one.err == two.err == []
            finally:
                for replica in replicas:
                    await replica.close()
        assert_well_behaved(discord)
