"""Questions and answers in a simulated Discord: who is answered, where, and with what."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import discord
import pytest

from tests.fakes.pipeline import answer, citation
from tests.fakes.waiting import until
from tests.integration.adapters.discord.simulated import Simulated
from tests.integration.adapters.discord.watching import labels

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from simcord import ChannelHandle

    from tests.fakes.pipeline import Script

UNDER_ANSWER = ["👍", "👎", "Sources", "Why this answer"]
SHORT = "Five working days."
QUOTED = "Refunds > Timing — “Refunds are paid within five days.”"


@pytest.fixture
async def sim() -> AsyncIterator[Simulated]:
    async with Simulated().open() as sim:
        yield sim


async def test_a_mention_is_answered_in_a_thread_that_is_named_after_the_question(sim: Simulated) -> None:
    shown = await sim.ask("how long does a refund take?")

    assert sim.asked == ["how long does a refund take?"]
    assert sim.thread().name == "how long does a refund take?"
    assert shown.content == SHORT
    assert labels(shown) == UNDER_ANSWER
    assert sim.said(sim.general) == []


async def test_a_citation_leads_to_the_message_that_carries_the_file() -> None:
    script = answer("Five working days [1].")
    async with Simulated(script).open() as sim:
        file = await sim.upload(("refunds.md", b"Refunds take five working days."))
        cited = citation("1", name="refunds.md", url=file.jump_url)
        rewrite(script, answer("Five working days [1].", citations=[cited]))
        await sim.anna.send(sim.general, f"{sim.bot} how long?")
        shown = sim.said(sim.general.threads[-1])[-1]

    assert "Five working days [1]." in shown.content
    assert f"[1] refunds.md, page 3, {QUOTED} ([open](<{file.jump_url}>))" in shown.content
    assert shown.flags.suppress_embeds


async def test_who_asked_in_a_thread_need_not_mention_the_bot_there_again(sim: Simulated) -> None:
    await sim.ask("how long does a refund take?")

    await sim.anna.send(sim.thread(), "and for a yearly plan?")

    assert sim.asked == ["how long does a refund take?", "and for a yearly plan?"]
    assert [one.content for one in sim.said(sim.thread())] == [SHORT, SHORT]


@pytest.mark.parametrize("text", ["thanks, that helps!", "👍"])
async def test_small_talk_in_a_thread_is_no_question(sim: Simulated, text: str) -> None:
    await sim.ask("how long does a refund take?")

    await sim.anna.send(sim.thread(), text)

    assert len(sim.asked) == 1


async def test_others_talk_in_a_thread_without_being_answered(sim: Simulated) -> None:
    await sim.ask("how long does a refund take?")

    await sim.ben.send(sim.thread(), "and for a yearly plan?")
    assert len(sim.asked) == 1

    await sim.ben.send(sim.thread(), f"{sim.bot} and for a yearly plan?")
    assert sim.asked[1:] == ["and for a yearly plan?"]


async def test_in_somebody_elses_thread_the_bot_answers_where_it_is_called(sim: Simulated) -> None:
    sim.env.backend.create_thread(sim.general.id, "Lunch", sim.ben.id)
    thread = sim.thread()
    await sim.ben.send(thread, "who comes?")

    await sim.anna.send(thread, f"{sim.bot} how long does a refund take?")

    assert [one.content for one in sim.said(thread)] == [SHORT]
    assert len(sim.general.threads) == 1


async def test_a_post_of_a_forum_is_answered_in_the_post(sim: Simulated) -> None:
    forum = sim.guild.create_forum_channel("help")
    sim.env.backend.create_thread(forum.id, "Refunds", sim.anna.id)

    await sim.anna.send(sim.thread(forum), f"{sim.bot} how long?")

    assert [one.content for one in sim.said(sim.thread(forum))] == [SHORT]


async def test_what_is_said_directly_to_the_bot_is_answered_there(sim: Simulated) -> None:
    await sim.anna.send_dm("how long does a refund take?")

    assert sim.asked == ["how long does a refund take?"]
    assert [one.content for one in sim.said(sim.anna.user.dm_channel)] == [SHORT]


async def test_programs_are_not_answered(sim: Simulated) -> None:
    robot = sim.guild.add_member(sim.env.create_user("robot", bot=True))
    await robot.send(sim.general, f"{sim.bot} how long?")
    await sim.guild.create_webhook(sim.general, "news").send(f"{sim.bot} how long?")

    assert sim.asked == []
    assert sim.said(sim.general) == []
    assert sim.general.threads == []


@pytest.mark.parametrize("text", ["@everyone how long does a refund take?", "@here how long?", "how long?"])
async def test_what_is_said_to_all_is_not_said_to_the_bot(sim: Simulated, text: str) -> None:
    await sim.mia.send(sim.general, text)

    assert sim.asked == []
    assert sim.general.threads == []


async def test_a_reply_with_a_ping_and_nothing_to_ask_stays_without_an_answer(sim: Simulated) -> None:
    shown = await sim.ask("how long does a refund take?")

    await sim.ben.send(sim.thread(), sim.bot, reply_to=shown)
    await sim.ben.send(sim.thread(), "", reply_to=shown, attachments=[("cat.txt", b"A cat.")])

    assert len(sim.asked) == 1


async def test_a_reply_that_asks_is_a_question(sim: Simulated) -> None:
    shown = await sim.ask("how long does a refund take?")

    await sim.ben.send(sim.thread(), "and how much is it?", reply_to=shown)

    assert sim.asked[1:] == ["and how much is it?"]


async def test_a_question_that_is_changed_is_answered_anew_in_the_same_message(sim: Simulated) -> None:
    asked = await sim.anna.send(sim.general, f"{sim.bot} how long?")
    (first,) = sim.said(sim.thread())

    await sim.env.advance_time(60)
    await sim.anna.edit(asked, f"{sim.bot} how much?")

    assert sim.asked == ["how long?", "how much?"]
    assert [one.id for one in sim.said(sim.thread())] == [first.id]


async def test_with_its_question_an_answer_goes(sim: Simulated) -> None:
    asked = await sim.anna.send(sim.general, f"{sim.bot} how long?")

    await sim.anna.delete(asked)

    assert sim.said(sim.thread()) == []


async def test_a_long_answer_goes_on_in_further_messages() -> None:
    lines = [
        f"{number}. Step {number} of the refund is done by the accounts team." for number in range(1, 91)
    ]
    async with Simulated(answer("\n".join(lines), size=200)).open() as sim:
        await sim.ask("how is a refund made?")
        shown = sim.said(sim.thread())

    assert len(shown) > 2
    assert [line for one in shown for line in one.content.splitlines() if "Step" in line] == lines
    assert [labels(one) for one in shown] == [[]] * (len(shown) - 1) + [UNDER_ANSWER]


async def test_nobody_is_pinged_by_what_an_answer_quotes() -> None:
    script = answer("")
    async with Simulated(script).open() as sim:
        rewrite(script, answer(f"@everyone, <@{sim.ben.id}>, <@&{sim.guild.default_role.id}>: five days."))
        shown = await sim.ask("how long?")

        stored = sim.env.backend.get_message(shown.channel.id, shown.id)

    assert "five days" in shown.content
    assert (stored.ping_user_ids, stored.ping_role_ids, stored.mention_everyone) == ([], [], False)
    assert shown.mentions == []


async def test_where_no_thread_may_be_opened_the_answer_is_a_reply_and_replies_to_it_go_on(
    sim: Simulated,
) -> None:
    channel = sim.channel("narrow", create_public_threads=False)
    asked = await sim.anna.send(channel, f"{sim.bot} how long?")

    shown = sim.said(channel)[0]
    assert (shown.content, labels(shown)) == (SHORT, UNDER_ANSWER)
    assert shown.reference is not None
    assert shown.reference.message_id == asked.id
    assert channel.threads == []

    await sim.anna.send(channel, "and for a yearly plan?", reply_to=shown)
    assert sim.asked == ["how long?", "and for a yearly plan?"]
    assert answers(sim, channel) == 2
    assert sim.watch.refused == ["POST 50013"]  # asked for once in a conversation


async def test_where_the_bot_may_open_threads_and_not_write_in_them_it_opens_none(sim: Simulated) -> None:
    channel = sim.channel("narrow", send_messages_in_threads=False)
    asked = await sim.anna.send(channel, f"{sim.bot} how long?")

    shown = sim.said(channel)[0]
    assert shown.content == SHORT
    assert shown.reference is not None
    assert shown.reference.message_id == asked.id
    assert channel.threads == []
    assert sim.watch.refused == []


@pytest.mark.parametrize(
    ("right", "name"),
    [
        ("create_public_threads", "Create Public Threads"),
        ("send_messages_in_threads", "Send Messages in Threads"),
    ],
)
async def test_what_the_bot_lacks_is_named_after_its_first_answer_in_a_channel(
    sim: Simulated, right: str, name: str
) -> None:
    channel = sim.channel("narrow", **{right: False})
    await sim.anna.send(channel, f"{sim.bot} how long?")
    await sim.ben.send(channel, f"{sim.bot} how much?")

    (note,) = [one.content for one in sim.said(channel) if one.content != SHORT]
    assert f"Here I am not permitted: **{name}**." in note
    assert answers(sim, channel) == 2


async def test_where_the_bot_may_write_in_threads_alone_it_answers_there(sim: Simulated) -> None:
    channel = sim.channel("quiet", send_messages=False)
    await sim.anna.send(channel, f"{sim.bot} how long?")

    assert [one.content for one in sim.said(sim.thread(channel))] == [SHORT]
    assert sim.said(channel) == []


async def test_an_answer_is_stopped_by_its_button() -> None:
    script = answer("It takes a while. " * 10)
    script.pause = hanging_after(6)
    async with Simulated(script, outside=True).open() as sim:
        await sim.anna.send(sim.general, f"{sim.bot} how long?")
        await until(lambda: any("It takes" in one.content for one in latest(sim)))
        (growing,) = latest(sim)
        assert labels(growing) == ["Stop"]

        await sim.ben.click(growing, label="Stop")
        await until(lambda: labels(latest(sim)[0]) != ["Stop"])

        assert "Stopped" in latest(sim)[0].content


async def test_two_conversations_of_one_channel_have_a_thread_each(sim: Simulated) -> None:
    await sim.anna.send(sim.general, f"{sim.bot} how long?")
    await sim.ben.send(sim.general, f"{sim.bot} how much?")

    assert [one.name for one in sim.general.threads] == ["how long?", "how much?"]
    assert all(discord.utils.get(sim.said(one), content=SHORT) for one in sim.general.threads)


def answers(sim: Simulated, channel: ChannelHandle) -> int:
    """Count the answers that stand in a channel itself."""
    return [one.content for one in sim.said(channel)].count(SHORT)


def rewrite(script: Script, other: Script) -> None:
    """Let the answer be another one, which is only known now."""
    script.events, script.response = other.events, other.response


def hanging_after(events: int) -> Callable[[], Awaitable[None]]:
    """Return the pause of a model that says nothing more after so many *events*."""
    left = iter(range(events))

    async def pause() -> None:
        if next(left, None) is None:
            await asyncio.Event().wait()

    return pause


def latest(sim: Simulated) -> list[discord.Message]:
    """Return what the bot said in the latest thread, if there is one."""
    return sim.said(sim.general.threads[-1]) if sim.general.threads else []
