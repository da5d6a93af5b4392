"""The real client against the local Discord server, without its pauses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import pytest

from adapters.discord import client as clients
from adapters.discord import gateway as gateways
from adapters.discord import sessions
from tests.fakes.discord import DiscordServer
from tests.fakes.discord.listener import pointed_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


@pytest.fixture
async def server(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DiscordServer]:
    """Let clients of this process find the server, and lose no time with it."""

    async def at_once(*_: object, **__: object) -> None:
        """Do not wait five seconds before the second session."""

    monkeypatch.setattr(clients, "GUILDS_S", 0.05)
    monkeypatch.setattr(gateways, "CHECK_S", 0.02)
    monkeypatch.setattr(sessions, "FIRST_S", 0.0)
    monkeypatch.setattr(discord.Client, "before_identify_hook", at_once)
    async with DiscordServer() as server:
        server.rates.lift()
        with pointed_at(server):
            yield server
