"""Commands, buttons and forms with the whole service behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.domain import Scope
from tests.fakes.discord import ANNA, BEN, GENERAL, GUILD
from tests.fakes.models import Reply, ScriptedReader
from tests.fakes.waiting import eventually
from tests.integration.adapters.discord.serving import Serving

if TYPE_CHECKING:
    from pathlib import Path

    from tests.fakes.discord import DiscordServer, Interaction, Message

FILE = ("refunds.md", b"# Refunds\n\nA refund for a monthly plan takes five working days.\n")
QUESTION = "How long does a refund for a monthly plan take?"
ANSWER = "It takes five working days [1]."
SCOPE = Scope("discord", str(GUILD), str(GENERAL))


@pytest.fixture
def discord(server: DiscordServer) -> DiscordServer:
    return server


async def whispered(discord: DiscordServer, used: Interaction, words: str) -> str:
    """Wait until somebody alone reads *words*, and return all that they read."""
    await discord.until(lambda: any(words in one.shown for one in used.answers))
    assert {one.seen_by for one in used.answers} == {used.user}
    return "\n".join(one.shown for one in used.answers)


async def uploaded(discord: DiscordServer) -> Message:
    """Let somebody upload the handbook by command, and wait until it is ready."""
    used = discord.slash(ANNA, GENERAL, "upload", file=FILE)
    await discord.until(lambda: len(used.answers) == 2)
    shown = used.answers[1]
    await discord.until(lambda: any("is ready" in one.shown for one in notices(discord, shown)))
    return shown


def notices(discord: DiscordServer, about: Message) -> list[Message]:
    return discord.replies(discord.find_channel(about.id) or about.channel)


async def asked(discord: DiscordServer) -> Message:
    """Let somebody ask by command, and return the finished answer."""
    used = discord.slash(ANNA, GENERAL, "ask", question=QUESTION)
    await discord.until(lambda: used.answers)
    question = used.answers[0]
    await discord.until(lambda: discord.find_channel(question.id))
    thread = discord.channel(question.id)
    assert thread.name == QUESTION

    def finished() -> list[Message]:
        return [one for one in discord.replies(thread) if ANSWER in one.shown and "Sources" in one.buttons]

    await discord.until(finished)
    (answer,) = finished()
    return answer


async def remembered(serving: Serving, answer: Message) -> None:
    """Wait until the answer can be judged."""
    threads = serving.service.stores.threads

    async def known() -> bool:
        return await threads.turn_for(SCOPE, str(answer.channel.id)) is not None

    await eventually(known)


async def test_a_file_and_a_question_that_are_given_by_command_end_in_an_answer_that_can_be_judged(
    discord: DiscordServer, tmp_path: Path
) -> None:
    async with Serving(discord, tmp_path, parts=None).running() as serving:
        file = await uploaded(discord)
        answer = await asked(discord)
        assert file.link in answer.shown
        await remembered(serving, answer)

        sources = discord.press(answer, "Sources", BEN)
        assert "five working days" in await whispered(discord, sources, "passages")
        await whispered(discord, discord.press(answer, "Why this answer", BEN), "How this answer came about")
        await whispered(discord, discord.press(answer, "👍", BEN), "Thank you")
        judged = await discord.press(answer, "👎", ANNA).answered()
        sent = discord.submit(judged, {"text": "It is ten."})
        await whispered(discord, sent, "noted what was wrong")

        discord.delete(file)
        catalog = serving.service.stores.catalog

        async def forgotten() -> bool:
            return not await catalog.documents(SCOPE)

        await eventually(forgotten)
        await whispered(discord, discord.slash(BEN, GENERAL, "docs"), "no documents yet")


async def test_buttons_live_longer_than_the_process(discord: DiscordServer, tmp_path: Path) -> None:
    async with Serving(discord, tmp_path, parts=None).running() as serving:
        await uploaded(discord)
        answer = await asked(discord)
        await remembered(serving, answer)
        judged = await discord.press(answer, "👎", ANNA).answered()
    async with Serving(discord, tmp_path, parts=None).running():
        await whispered(discord, discord.press(answer, "Sources", BEN), "five working days")
        sent = discord.submit(judged, {"text": "It is ten."})
        await whispered(discord, sent, "noted what was wrong")

    assert len(discord.called("register commands")) == 1


async def test_an_answer_is_stopped_by_its_button(discord: DiscordServer, tmp_path: Path) -> None:
    reader = ScriptedReader(Reply(pieces=("It takes ", "a while"), hang_after=2))
    async with Serving(discord, tmp_path, parts=None, reader=reader).running():
        await uploaded(discord)
        used = discord.slash(ANNA, GENERAL, "ask", question=QUESTION)
        await discord.until(lambda: used.answers and discord.find_channel(used.answers[0].id))
        thread = discord.channel(used.answers[0].id)
        await discord.until(lambda: any("Stop" in one.buttons for one in discord.replies(thread)))
        (answer,) = (one for one in discord.replies(thread) if "Stop" in one.buttons)
        discord.press(answer, "Stop", BEN)
        await discord.until(lambda: "Stop" not in answer.buttons)

    assert "Stopped" in answer.shown
