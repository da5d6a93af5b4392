from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import aiohttp
import pytest

from adapters.discord import program
from adapters.discord.cursors import Cursors
from adapters.discord.gateway import REDUCED
from adapters.discord.reduced import NOTE
from bot.chat import NotAllowed, Unreachable
from pipeline.domain import Scope
from tests.fakes.discord import ANNA, BEN, BOT, GENERAL, GUILD, NO_THREADS, SECOND, THIRD, http
from tests.fakes.models import Reply, ScriptedReader
from tests.fakes.waiting import eventually
from tests.integration.adapters.discord.serving import Serving

if TYPE_CHECKING:
    from pathlib import Path

    from adapters.discord.desk import Desk
    from bot.bootstrap import Service
    from tests.fakes.discord import Channel, DiscordServer, Message

REFUNDS = "# Refunds\n\nA refund for a monthly plan takes five working days.\n"
QUESTION = "How long does a refund for a monthly plan take?"
ANSWER = "It takes five working days [1]."
SCOPE = Scope("discord", str(GUILD), str(GENERAL))


@pytest.fixture
def discord(server: DiscordServer) -> DiscordServer:
    return server


def mention(text: str = QUESTION) -> str:
    return f"<@{BOT}> {text}"


def answers(discord: DiscordServer, question: Message) -> list[str]:
    """Return what the bot says in the thread of a question, or at it."""
    place: Channel | None = discord.find_channel(question.id)
    return [reply.shown for reply in discord.replies(place or question.channel)]


async def answered(discord: DiscordServer, question: Message, text: str = ANSWER) -> None:
    await discord.until(lambda: any(text in shown for shown in answers(discord, question)))


async def uploaded(discord: DiscordServer, channel: int = GENERAL) -> Message:
    """Let somebody upload the handbook, and wait until it is ready."""
    message = discord.say(channel, ANNA, files=[("refunds.md", REFUNDS)])
    await answered(discord, message, "is ready")
    return message


async def test_an_upload_and_a_question_end_in_one_answer_with_its_source_in_a_thread(
    discord: DiscordServer, tmp_path: Path
) -> None:
    async with Serving(discord, tmp_path).running():
        await uploaded(discord)
        question = discord.say(GENERAL, ANNA, mention())
        await answered(discord, question)

    (shown,) = answers(discord, question)
    assert "refunds.md" in shown
    assert discord.channel(question.id).name == QUESTION


async def test_it_says_where_it_is_connected_and_is_ready_only_then(
    discord: DiscordServer, tmp_path: Path
) -> None:
    discord.add_guild("Other")
    async with (
        Serving(discord, tmp_path).running() as serving,
        aiohttp.ClientSession() as session,
    ):
        address = f"http://127.0.0.1:{serving.port}/readyz"
        async with session.get(address) as response:
            assert response.status == 200
        discord.gateway.accepting = False
        discord.gateway.drop()

        async def unready() -> bool:
            async with session.get(address) as response:
                return response.status == 503 and "Discord is not connected" in await response.text()

        await eventually(unready)

    assert serving.said == ["Discord: connected as footnote to 2 servers."]


async def test_a_bot_that_is_in_no_server_says_how_to_let_it_in(
    discord: DiscordServer, tmp_path: Path
) -> None:
    discord.remove_bot()
    async with Serving(discord, tmp_path).running() as serving:
        (line,) = serving.said

    link = f"https://discord.com/oauth2/authorize?client_id={BOT}&scope=bot+applications.commands"
    assert line == (
        f"Discord: connected as footnote to no server yet; invite it: {link}&permissions=309237763136"
    )


async def test_without_the_message_content_intent_it_says_so_and_serves_what_it_can(
    discord: DiscordServer, tmp_path: Path
) -> None:
    discord.privileged = 0
    async with Serving(discord, tmp_path).running() as serving:
        question = discord.say(GENERAL, ANNA, mention())
        await discord.until(lambda: len(answers(discord, question)) == 2)
        again = discord.say(GENERAL, ANNA, mention())
        await discord.until(lambda: answers(discord, again))

    assert answers(discord, question)[1] == NOTE
    assert len(answers(discord, again)) == 1
    assert serving.said == [REDUCED, "Discord: connected as footnote to 1 server."]


@pytest.mark.parametrize("token", ["a.wrong.token", None])
async def test_a_token_that_cannot_work_ends_the_program_at_once_with_its_name(
    discord: DiscordServer, tmp_path: Path, token: str | None
) -> None:
    with pytest.raises(NotAllowed, match="FOOTNOTE_DISCORD__TOKEN"):
        await Serving(discord, tmp_path, token=token).run()


async def test_a_discord_that_does_not_answer_ends_the_program_at_once(
    discord: DiscordServer, tmp_path: Path
) -> None:
    discord.fail("me", http(503), times=None)

    with pytest.raises(Unreachable, match="cannot be reached"):
        await Serving(discord, tmp_path).run()


async def test_commands_are_offered_unless_something_else_is(discord: DiscordServer, tmp_path: Path) -> None:
    async with Serving(discord, tmp_path, parts=None).running():
        assert {command["name"] for command in discord.commands[None]} >= {"ask", "docs", "help"}


async def test_parts_may_register_what_people_can_use_before_events_come(
    discord: DiscordServer, tmp_path: Path
) -> None:
    registered: list[Desk] = []

    async def register(desk: Desk) -> None:
        assert discord.gateway.identifies == []
        await desk.client.application_info()
        registered.append(desk)

    async with Serving(discord, tmp_path, parts=[register]).running():
        assert len(registered) == 1


async def test_questions_at_once_in_several_channels_are_answered_once_each(
    discord: DiscordServer, tmp_path: Path
) -> None:
    gate = asyncio.Event()
    reader = ScriptedReader(*[Reply(pieces=["It takes five ", "working days [1]."], gate=gate)] * 30)
    channels = [GENERAL, SECOND, THIRD]
    async with Serving(discord, tmp_path, reader=reader).running():
        for channel in channels:
            await uploaded(discord, channel)
        questions = [discord.say(channel, ANNA, mention()) for channel in channels * 10]
        await discord.until(lambda: len(reader.reads) == len(questions))
        gate.set()
        for question in questions:
            await answered(discord, question)

    assert {len(answers(discord, question)) for question in questions} == {1}


async def test_a_question_that_is_told_again_and_again_is_answered_once(
    discord: DiscordServer, tmp_path: Path
) -> None:
    async with Serving(discord, tmp_path).running():
        await uploaded(discord)
        discord.gateway.copies = 3
        question = discord.say(GENERAL, ANNA, mention())
        await answered(discord, question)
        discord.gateway.copies, discord.gateway.rewind = 1, 10
        discord.gateway.drop()
        await discord.gateway.ready(resumed=1)
        again = discord.say(GENERAL, ANNA, mention())
        await answered(discord, again)

    assert len(answers(discord, question)) == len(answers(discord, again)) == 1


async def test_to_be_told_to_stop_leaves_a_readable_message_that_the_next_run_completes(
    discord: DiscordServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.platform.DRAIN_S", 0.1)
    async with Serving(discord, tmp_path).running():
        await uploaded(discord)
    never = ScriptedReader(Reply(pieces=["It takes ", "five"], gate=asyncio.Event()))
    async with Serving(discord, tmp_path, reader=never).running():
        question = discord.say(GENERAL, ANNA, mention())
        await discord.until(lambda: never.reads)

    (left,) = answers(discord, question)
    assert "restart" in left.lower()
    assert discord.gateway.sessions == {}

    async with Serving(discord, tmp_path).running():
        await answered(discord, question)

    assert len(answers(discord, question)) == 1


async def test_what_was_said_while_nobody_ran_is_taken_by_the_next_run(
    discord: DiscordServer, tmp_path: Path
) -> None:
    async with Serving(discord, tmp_path).running():
        await uploaded(discord)
        old = discord.say(GENERAL, ANNA, mention())
        await answered(discord, old)
    question = discord.say(GENERAL, ANNA, mention())
    follow_up = discord.say(old.id, ANNA, "And for an annual plan?")
    file = discord.say(SECOND, BEN, files=[("refunds.md", REFUNDS)])
    async with Serving(discord, tmp_path).running():
        await answered(discord, question)
        await answered(discord, file, "is ready")
        await discord.until(lambda: len(answers(discord, old)) == 2)

    assert len(answers(discord, question)) == 1
    assert [reply.id > follow_up.id for reply in discord.replies(old.id)] == [False, True]


async def test_a_question_is_followed_up_edited_withdrawn_and_commanded(
    discord: DiscordServer, tmp_path: Path
) -> None:
    async with Serving(discord, tmp_path).running():
        await uploaded(discord)
        question = discord.say(GENERAL, ANNA, mention())
        await answered(discord, question)
        discord.say(question.id, ANNA, "And for an annual plan?")
        await discord.until(lambda: len(answers(discord, question)) == 2)
        discord.say(question.id, BEN, "I see.")
        discord.say(question.id, ANNA, mention("help"))
        await answered(discord, question, "How to use me")
        direct = discord.say(discord.direct(ANNA), ANNA, QUESTION)
        await discord.until(lambda: answers(discord, direct))
        discord.delete(direct)
        await discord.until(lambda: not answers(discord, direct))

    assert len(answers(discord, question)) == 3


async def test_where_it_may_open_no_thread_it_replies_and_is_followed_up_by_replies(
    discord: DiscordServer, tmp_path: Path
) -> None:
    async with Serving(discord, tmp_path).running():
        await uploaded(discord, NO_THREADS)
        question = discord.say(NO_THREADS, ANNA, mention())
        await answered(discord, question)
        first = next(reply for reply in discord.replies(NO_THREADS) if ANSWER in reply.shown)
        second = discord.say(NO_THREADS, ANNA, "And for an annual plan?", reply_to=first, ping=False)
        discord.say(NO_THREADS, BEN, "I see.", reply_to=first, ping=False)
        await discord.until(lambda: any(reply.answered is second for reply in discord.replies(NO_THREADS)))

    assert first.answered is question


async def test_what_leaves_discord_leaves_the_index(discord: DiscordServer, tmp_path: Path) -> None:
    async with Serving(discord, tmp_path).running() as serving:
        message = await uploaded(discord)
        assert len(await serving.service.stores.catalog.documents(SCOPE)) == 1
        discord.delete(message)
        await eventually(lambda: is_empty(serving.service, SCOPE))
        thread = discord.start_thread(GENERAL, ANNA, "a thread")
        await discord.until(lambda: discord.say(thread, ANNA, files=[("refunds.md", REFUNDS)]))
        await eventually(lambda: has_one(serving.service, SCOPE))
        discord.delete_channel(thread)
        await eventually(lambda: is_empty(serving.service, SCOPE))


async def test_a_lost_channel_and_a_lost_server_leave_the_index(
    discord: DiscordServer, tmp_path: Path
) -> None:
    second = Scope("discord", str(GUILD), str(SECOND))
    async with Serving(discord, tmp_path).running() as serving:
        await uploaded(discord)
        await uploaded(discord, SECOND)
        discord.delete_channel(GENERAL)
        await eventually(lambda: is_empty(serving.service, SCOPE))
        assert await has_one(serving.service, second)
    discord.remove_bot()
    async with Serving(discord, tmp_path).running() as serving:
        await eventually(lambda: is_empty(serving.service, second))


async def test_to_be_told_to_stop_ends_a_start_that_does_not_come_about(
    discord: DiscordServer, tmp_path: Path
) -> None:
    async def hang(desk: Desk) -> None:
        discord.gateway.accepting = False

    serving = Serving(discord, tmp_path, parts=[hang])
    running = asyncio.create_task(serving.run())
    await discord.until(lambda: not discord.gateway.accepting)
    serving.stop.set()
    await running

    assert serving.said == []


async def test_how_far_everything_was_heard_is_written_down_now_and_then(
    discord: DiscordServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(program, "FLUSH_S", 0.02)
    async with Serving(discord, tmp_path).running() as serving:
        message = discord.say(GENERAL, ANNA, "hello")

        async def written() -> bool:
            positions = await Cursors(serving.service.stores.ledger).of(str(GUILD))
            return positions.channels.get(GENERAL) == message.id

        await eventually(written)


async def is_empty(service: Service, scope: Scope) -> bool:
    return not await service.stores.catalog.documents(scope)


async def has_one(service: Service, scope: Scope) -> bool:
    return len(await service.stores.catalog.documents(scope)) == 1
