"""Who manages channels of the local Discord server, connected to its gateway and not."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from adapters.discord.budgets import Budgets
from adapters.discord.calls import Calls
from adapters.discord.client import Client
from adapters.discord.gateway import Gateway, introduce
from adapters.discord.people import FRESH, People
from bot.library import SystemClock
from pipeline.domain import Scope
from tests.fakes.clock import FakeClock
from tests.fakes.discord import (
    ADAM,
    ANNA,
    BEN,
    GENERAL,
    GINA,
    GUILD,
    OLGA,
    SECOND,
    Permission,
    http,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import DiscordServer

EVERYBODY = (OLGA, ADAM, ANNA, BEN, GINA)


class Office:
    def __init__(self, server: DiscordServer, client: Client) -> None:
        self.server = server
        self.client = client
        self.clock = FakeClock()
        self.people = People(client, Calls(Budgets(), self.clock.monotonic), self.clock.monotonic)

    async def managers(self, channel: int = GENERAL) -> set[int]:
        return {user for user in EVERYBODY if await self.people.manages(scope(channel), user)}


@asynccontextmanager
async def opened(server: DiscordServer, *, connected: bool = False) -> AsyncIterator[Office]:
    async with Client(content=True) as client:
        await introduce(client, server.token)
        gateway = Gateway(client, clock=SystemClock())
        if connected:
            await gateway.connect(lambda _: None)
        try:
            yield Office(server, client)
        finally:
            await gateway.close()


def scope(channel: int) -> Scope:
    return Scope("discord", str(GUILD), str(channel))


@pytest.mark.parametrize("connected", [True, False])
async def test_owners_and_moderators_manage_channels(server: DiscordServer, connected: bool) -> None:
    async with opened(server, connected=connected) as office:
        assert await office.managers() == {OLGA, ADAM}


@pytest.mark.parametrize(
    "permission", [Permission.MANAGE_CHANNELS, Permission.MANAGE_GUILD, Permission.ADMINISTRATOR]
)
async def test_a_role_may_be_enough(server: DiscordServer, permission: Permission) -> None:
    guild = server.guilds[GUILD]
    role = server.add_role(guild, "Librarians", permission)
    server.give_role(guild, BEN, role.id)
    async with opened(server) as office:
        assert await office.managers() == {OLGA, ADAM, BEN}


@pytest.mark.parametrize("connected", [True, False])
async def test_a_channel_may_have_managers_of_its_own(server: DiscordServer, connected: bool) -> None:
    server.overwrite(SECOND, ANNA, allow=Permission.MANAGE_CHANNELS)
    async with opened(server, connected=connected) as office:
        assert await office.managers(SECOND) == {OLGA, ADAM, ANNA}
        assert await office.managers(GENERAL) == {OLGA, ADAM}


@pytest.mark.parametrize("connected", [True, False])
async def test_a_thread_is_managed_by_those_of_its_channel(server: DiscordServer, connected: bool) -> None:
    server.overwrite(SECOND, ANNA, allow=Permission.MANAGE_CHANNELS)
    thread = server.start_thread(SECOND, BEN, "a thread")
    async with opened(server, connected=connected) as office:
        assert await office.managers(thread.id) == {OLGA, ADAM, ANNA}


async def test_everybody_manages_their_own_conversation_with_the_bot(server: DiscordServer) -> None:
    own = Scope("discord", "direct", str(server.direct(ANNA).id))
    async with opened(server) as office:
        assert await office.people.manages(own, ANNA)
        assert not await office.people.manages(own, OLGA)


async def test_strangers_and_unknown_places_are_no(server: DiscordServer) -> None:
    async with opened(server) as office:
        assert not await office.people.manages(scope(GENERAL), 4711)
        assert not await office.people.manages(scope(4711), ADAM)
        assert not await office.people.manages(Scope("discord", "4711", str(GENERAL)), ADAM)
        assert not await office.people.manages(Scope("discord", "direct", str(GENERAL)), ADAM)
        assert not await office.people.manages(Scope("discord", "nonsense", "x"), ADAM)


async def test_where_discord_says_nothing_nobody_manages_anything(server: DiscordServer) -> None:
    async with opened(server) as office:
        server.fail("member", http(503))
        assert not await office.people.manages(scope(GENERAL), ADAM)
        assert await office.people.manages(scope(GENERAL), ADAM)


async def test_whoever_came_with_a_message_is_not_asked_about(server: DiscordServer) -> None:
    async with opened(server, connected=True) as office:
        guild = office.client.get_guild(GUILD)
        assert guild is not None
        adam, ben = await guild.fetch_member(ADAM), await guild.fetch_member(BEN)
        asked = len(server.called("member"))

        assert await office.people.manages(scope(GENERAL), ADAM, known=adam)
        assert not await office.people.manages(scope(GENERAL), BEN, known=ben)
        assert len(server.called("member")) == asked
        assert not await office.people.manages(scope(GENERAL), BEN, known=adam)


async def test_roles_are_remembered_for_some_minutes(server: DiscordServer) -> None:
    guild = server.guilds[GUILD]
    async with opened(server) as office:
        assert not await office.people.manages(scope(GENERAL), BEN)
        server.give_role(guild, BEN, server.add_role(guild, "Boss", Permission.ADMINISTRATOR).id)
        assert not await office.people.manages(scope(GENERAL), BEN)
        assert len(server.called("member")) == 1
        office.clock.advance(FRESH)

        assert await office.people.manages(scope(GENERAL), BEN)
