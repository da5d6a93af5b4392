"""Servers, channels and threads: they come, change and go, also while nobody listened."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

import discord

from adapters.discord.calls import Gone, Refused
from adapters.discord.events import room_at
from adapters.discord.places import DIRECT, PLATFORM
from adapters.discord.shares import NO_ACCESS
from bot.chat import ChatError, MessageGone, NotAllowed
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

    Round = Callable[[], Coroutine[Any, Any, None]]

logger = logging.getLogger(__name__)

PAUSE_S = 0.5
"""Between two channels that are read up: the budget is there for answers first of all."""
AGAIN_S = 30.0
"""Until what Discord did not say is asked again; each further pause is twice as long."""
LONGEST_S = 3600.0
LATER = 10_000
"""Rounds that wait until they are made again: as many as there are servers."""


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
        self._later = Errands(at_once=LATER)
        self._waiting: set[str] = set()
        """Rounds that have not begun; one that comes again meanwhile is made once."""
        self._pauses: dict[str, float] = {}
        """Before rounds that Discord let nobody end are made again."""

    def ready(self) -> None:
        """Look for what was said directly, and for servers that let the bot go, while nobody listened."""
        self._go("conversations", self._read_up_conversations)
        self._go("servers", self._look_for_servers)

    def server_there(self, server: discord.Guild) -> None:
        """Look for what happened in a server while nobody listened."""
        desk = self._desk
        own = str(desk.client.application_id)
        desk.tasks.start(desk.owners.note(str(server.id), own), name="note whose server it is")

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
        await self._later.stop()
        await self._rounds.stop()

    def _go(self, name: str, work: Round) -> None:
        if name in self._waiting:
            return
        self._waiting.add(name)

        async def begin() -> None:
            self._waiting.discard(name)
            try:
                await work()
            except ChatError as error:
                logger.info("Discord did not tell all that was missed: %s", type(error).__name__)
                self._go_later(name, work)
            else:
                self._pauses.pop(name, None)

        self._rounds.start(begin(), name=f"look around: {name}")

    def _go_later(self, name: str, work: Round) -> None:
        """Make a round again after a pause, unless it is made before for another reason."""
        pause = self._pauses.get(name, AGAIN_S)
        self._pauses[name] = min(pause * 2, LONGEST_S)

        async def wait() -> None:
            await self._sleep(pause)
            if name in self._pauses:
                self._go(name, work)

        self._later.start(wait(), name=f"look around later: {name}")

    async def _leave(self, server: int) -> None:
        """Let go of a server that Discord told of; where it says nothing more, that holds."""
        try:
            member = await self._is_member(server)
        except ChatError:
            member = self._desk.client.get_guild(server) is not None
        if not member:
            self._let_go(server)

    def _let_go(self, server: int) -> None:
        self._catchup.leave(str(server))
        self._desk.owners.forget(str(server))
        lost = WorkspaceLost(event_id=f"{server}/left", platform=PLATFORM, workspace=str(server))
        self._desk.platform.removals.receive(lost)

    async def _is_member(self, server: int) -> bool:
        """Ask whether the bot is in a server. Raises `ChatError` when Discord does not say."""
        desk = self._desk
        ask = partial(desk.calls.call, partial(desk.client.fetch_guild, server, with_counts=False))
        try:
            await patiently(ask, self._sleep)
        except Gone:
            return False
        except Refused as refused:
            if refused.code != NO_ACCESS:
                raise
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
        trouble: ChatError | None = None
        for number in await self._catchup.conversations(DIRECT):
            try:
                channel = await self._desk.places.channel(number)
            except (NotAllowed, MessageGone):
                continue
            except ChatError as error:
                trouble = error
                continue
            if isinstance(channel, discord.DMChannel):
                await self._messages.read_up(channel)
            await self._sleep(PAUSE_S)
        if trouble is not None:
            raise trouble

    async def _look_for_servers(self) -> None:
        """Let go of the servers that the bot has left; not during an outage, when some may be missing.

        Only Discord's word counts: one that is missing from the list may be there all the same, and where
        another application was, this one has nothing to say.
        """
        desk, trouble = self._desk, None
        servers = desk.client.guilds
        if any(server.unavailable for server in servers):
            return
        for number in await self._departures.servers([server.id for server in servers]):
            if await desk.owners.other(str(number), str(desk.client.application_id)) is not None:
                continue
            try:
                if not await self._is_member(number):
                    self._let_go(number)
            except ChatError as error:
                trouble = error
        if trouble is not None:
            raise trouble
