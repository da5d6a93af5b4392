"""Servers, channels and threads: they come, change and go, also while nobody listened."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import discord

from adapters.discord.events import room_at
from adapters.discord.places import DIRECT, PLATFORM
from bot.chat import ChatError
from bot.errands import Errands
from bot.incoming import ChannelLost, WorkspaceLost
from bot.patience import patiently
from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine
    from typing import Any

    from discord.abc import GuildChannel

    from adapters.discord.catchup import Catchup
    from adapters.discord.departures import Departures
    from adapters.discord.desk import Desk
    from adapters.discord.messages import Messages

PAUSE_S = 0.5
"""Between two channels that are read up: the budget is there for answers first of all."""


class Surroundings:
    """Lets go of what is gone, and reads up what was missed."""

    def __init__(
        self,
        desk: Desk,
        catchup: Catchup,
        departures: Departures,
        messages: Messages,
        *,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._desk = desk
        self._catchup = catchup
        self._departures = departures
        self._messages = messages
        self._sleep = sleep
        self._rounds = Errands(at_once=1)
        self._waiting: set[str] = set()
        """Rounds that have not begun; one that comes again meanwhile is made once."""

    def ready(self) -> None:
        """Look for what was said directly, and for servers that let the bot go, while nobody listened."""
        self._go("conversations", self._read_up_conversations)
        self._go("servers", self._look_for_servers)

    def server_there(self, server: discord.Guild) -> None:
        """Look for what happened in a server while nobody listened."""

        async def look_around() -> None:
            await self._look_around(server)

        self._go(f"server {server.id}", look_around)
        if self._desk.client.is_ready():
            self._go("servers", self._look_for_servers)

    def server_left(self, server: discord.Guild) -> None:
        """Let go of a server, if the bot was not let in again since: Discord may tell late, or twice."""
        self._desk.tasks.start(self._leave(server.id), name="leave a server")

    def channel_began(self, channel: GuildChannel | discord.Thread) -> None:
        """Note that nothing was missed in a channel or thread that is new."""
        if (room := room_at(channel)) is not None:
            self._catchup.hear(room)

    def channel_deleted(self, channel: GuildChannel) -> None:
        """Let go of a channel."""
        if isinstance(channel, discord.CategoryChannel):
            return
        self._lose(channel.guild.id, channel.id)
        # of its private threads, nobody tells but those that discord.py knows
        self._desk.tasks.start(self._departures.of_channels(channel.guild), name="look for lost threads")

    def thread_deleted(self, thread: discord.RawThreadDeleteEvent) -> None:
        """Let go of a thread."""
        if thread.thread_type is discord.ChannelType.private_thread:
            self._lose(thread.guild_id, thread.thread_id)
            return
        self._catchup.drop(thread.guild_id, thread.thread_id)
        gone = self._departures.of_thread(thread.guild_id, thread.thread_id)
        self._desk.tasks.start(gone, name="take back the files of a thread")

    async def stop(self) -> None:
        """Break off."""
        await self._rounds.stop()

    def _go(self, name: str, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        if name in self._waiting:
            return
        self._waiting.add(name)

        async def begin() -> None:
            self._waiting.discard(name)
            await work()

        self._rounds.start(begin(), name=f"look around: {name}")

    async def _leave(self, server: int) -> None:
        if await self._is_member(server):
            return
        self._catchup.leave(str(server))
        lost = WorkspaceLost(event_id=f"{server}/left", platform=PLATFORM, workspace=str(server))
        self._desk.platform.removals.receive(lost)

    async def _is_member(self, server: int) -> bool:
        desk = self._desk
        ask = partial(desk.calls.call, partial(desk.client.fetch_guild, server, with_counts=False))
        try:
            await patiently(ask, self._sleep)
        except ChatError:  # then what was told holds
            return False
        return True

    def _lose(self, server: int, channel: int) -> None:
        self._catchup.drop(server, channel)
        scope = Scope(PLATFORM, str(server), str(channel))
        self._desk.platform.removals.receive(ChannelLost(event_id=f"{channel}/lost", scope=scope))

    async def _look_around(self, server: discord.Guild) -> None:
        async for channel in self._catchup.due(server):
            await self._messages.read_up(channel)
            await self._sleep(PAUSE_S)
        await self._departures.of_channels(server)

    async def _read_up_conversations(self) -> None:
        for number in await self._catchup.conversations(DIRECT):
            try:
                channel = await self._desk.places.channel(number)
            except ChatError:
                continue
            if isinstance(channel, discord.DMChannel):
                await self._messages.read_up(channel)
            await self._sleep(PAUSE_S)

    async def _look_for_servers(self) -> None:
        """Let go of the servers that the bot has left; not during an outage, when some may be missing."""
        servers = self._desk.client.guilds
        if not any(server.unavailable for server in servers):
            for number in await self._departures.servers([server.id for server in servers]):
                await self._leave(number)
