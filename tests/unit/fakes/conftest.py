"""The local Discord server, with a bot that is logged in and does not listen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.fakes.clock import Wall
from tests.fakes.discord import GENERAL, GUILD, DiscordServer
from tests.fakes.discord.listener import Listener, pointed_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import discord


@pytest.fixture
def wall() -> Wall:
    return Wall()


@pytest.fixture
async def server(wall: Wall) -> AsyncIterator[DiscordServer]:
    async with DiscordServer(wall=wall) as server:
        server.rates.lift()
        yield server


@pytest.fixture
async def bot(server: DiscordServer) -> AsyncIterator[Listener]:
    with pointed_at(server):
        async with Listener() as client:
            await client.login(server.token)
            yield client


@pytest.fixture
def general(bot: Listener) -> discord.PartialMessageable:
    return bot.get_partial_messageable(GENERAL, guild_id=GUILD)
