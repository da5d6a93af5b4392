"""A bot that Discord does not let read everything, in a simulated Discord."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import pytest

from adapters.discord.clerk import INDEX
from adapters.discord.reduced import NOTE
from tests.integration.adapters.discord.simulated import Simulated
from tests.integration.adapters.discord.watching import whispered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

REFUNDS = ("refunds.md", b"Refunds take five working days.")


@pytest.fixture
async def sim() -> AsyncIterator[Simulated]:
    async with Simulated(content=False, approved=False).open() as sim:
        yield sim


async def test_a_client_that_is_refused_the_intent_does_without_it() -> None:
    sim = Simulated(approved=False)
    with pytest.raises(discord.PrivilegedIntentsRequired):
        async with sim.open():
            """Discord does not let it begin."""

    sim.client.read_less()
    async with sim.open():
        await sim.ask("how long?")
        await sim.anna.send(sim.thread(), "and how much?")

    assert sim.asked == ["how long?"]


async def test_the_first_answer_in_a_channel_says_what_the_bot_does_not_see(sim: Simulated) -> None:
    await sim.ask("how long?")
    await sim.ben.send(sim.general, f"{sim.bot} how much?")

    first, second = sim.general.threads
    assert [one.content for one in sim.said(first)] == ["Five working days.", NOTE]
    assert [one.content for one in sim.said(second)] == ["Five working days."]


async def test_follow_ups_that_mention_the_bot_or_reply_to_it_are_answered(sim: Simulated) -> None:
    shown = await sim.ask("how long?")

    await sim.anna.send(sim.thread(), "and what if I do not mention you?")
    await sim.anna.send(sim.thread(), f"{sim.bot} and how much?")
    await sim.anna.send(sim.thread(), "and when?", reply_to=shown)

    assert sim.asked == ["how long?", "and how much?", "and when?"]


async def test_what_is_said_directly_is_read_all_the_same(sim: Simulated) -> None:
    await sim.anna.send_dm("how long?")

    assert sim.asked == ["how long?"]
    assert [one.content for one in sim.said(sim.anna.user.dm_channel)] == ["Five working days."]


async def test_a_file_is_indexed_where_its_message_mentions_the_bot(sim: Simulated) -> None:
    await sim.upload(REFUNDS, text="for all of you")
    assert sim.names == []

    await sim.upload(REFUNDS, text=f"{sim.bot} for you")
    assert sim.names == ["refunds.md"]


async def test_a_file_that_the_bot_did_not_see_is_shown_to_it_by_the_menu_of_its_message(
    sim: Simulated,
) -> None:
    carrier = await sim.upload(REFUNDS)

    used = await sim.ben.context_menu(sim.general, INDEX, carrier)

    assert "I index refunds.md" in whispered(used)


async def test_a_deleted_message_takes_its_documents_along(sim: Simulated) -> None:
    carrier = await sim.upload(REFUNDS, text=f"{sim.bot} for you")

    await sim.anna.delete(carrier)

    assert sim.names == []
