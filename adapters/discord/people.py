"""Who may do what, by Discord's own permissions, and no wherever Discord does not say yes."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import discord

from adapters.discord import permissions
from adapters.discord.calls import FAILURES
from adapters.discord.places import DIRECT
from bot.chat import ChatError
from bot.recent import Fresh

if TYPE_CHECKING:
    from collections.abc import Callable

    from adapters.discord.calls import Calls
    from adapters.discord.client import Client
    from pipeline.domain import Scope

logger = logging.getLogger(__name__)

FRESH = 300.0
"""Seconds for which it counts which roles somebody had."""
KEPT = 2_000
"""People of whom that is remembered."""


class People:
    """The people of all servers that the bot is in.

    What comes with messages and interactions tells most; the rest is asked.
    """

    def __init__(
        self, client: Client, calls: Calls, monotonic: Callable[[], float], *, fresh: float = FRESH
    ) -> None:
        self._client = client
        self._calls = calls
        self._members: Fresh[tuple[int, int], discord.Member] = Fresh(monotonic, fresh, KEPT)

    async def manages(self, scope: Scope, user: int, *, known: object = None) -> bool:
        """Tell whether somebody manages a channel: it, or its server, is theirs to change.

        *known* is whoever wrote a message or used something, if that is who is asked about.
        """
        try:
            if scope.workspace == DIRECT:
                return await self._is_theirs(int(scope.channel), user)
            return await self._may(int(scope.workspace), int(scope.channel), user, known)
        except ChatError as error:
            logger.info("Discord does not tell what somebody may do: %s", type(error).__name__)
        except FAILURES as failure:
            logger.info("what somebody may do cannot be told: %s", type(failure).__name__)
        return False

    async def _is_theirs(self, channel: int, user: int) -> bool:
        """Tell whether it is their own conversation with the bot. Raises `ChatError`."""
        found = self._client.get_channel(channel)
        if found is None:
            found = await self._calls.call(lambda: self._client.fetch_channel(channel))
        return isinstance(found, discord.DMChannel) and any(one.id == user for one in found.recipients)

    async def _may(self, server: int, channel: int, user: int, known: object) -> bool:
        guild = await self._guild(server)
        if guild.owner_id == user:
            return True
        place = await self._channel(guild, channel)
        return permissions.manages(place.permissions_for(await self._member(guild, user, known)))

    async def _guild(self, server: int) -> discord.Guild:
        """Return a server with its roles."""
        guild = self._client.get_guild(server)
        if guild is None or guild.unavailable:
            return await self._calls.call(lambda: self._client.fetch_guild(server, with_counts=False))
        return guild

    async def _channel(self, guild: discord.Guild, channel: int) -> discord.abc.GuildChannel:
        """Return a channel, or the one that a thread belongs to: what counts in it, counts in the thread."""
        found = guild.get_channel_or_thread(channel)
        if found is None:
            found = await self._calls.call(lambda: guild.fetch_channel(channel))
        return await self._channel(guild, found.parent_id) if isinstance(found, discord.Thread) else found

    async def _member(self, guild: discord.Guild, user: int, known: object) -> discord.Member:
        """Return somebody with their roles."""
        if isinstance(known, discord.Member) and (known.guild.id, known.id) == (guild.id, user):
            return known
        if (member := guild.get_member(user)) is not None:
            return member
        return await self._members.get(
            (guild.id, user), lambda: self._calls.call(lambda: guild.fetch_member(user))
        )
