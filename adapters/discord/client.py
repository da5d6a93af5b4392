"""discord.py's client as this program uses it: what it asks Discord for, how much it keeps, when it ends."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import yarl
from discord.gateway import DiscordWebSocket, KeepAliveHandler
from discord.http import Route

from adapters.discord.calls import FAILURES
from adapters.discord.sessions import Restless, Sessions

if TYPE_CHECKING:
    from discord.abc import GuildChannel

    from adapters.discord.listeners import Listeners

    Deleted = discord.RawMessageDeleteEvent | discord.RawBulkMessageDeleteEvent

logger = logging.getLogger(__name__)

KEPT_MESSAGES = 500
"""Messages that are remembered as they were, to see what an edit changes."""
GUILDS_S = 2.0
"""How long no further server must come until all of them count as there."""
CLOSE_S = 3.0
BEAT_S = 1.0
"""How long a heartbeat that has begun may take."""
ASK_S = 5.0
"""How long the gateway waits to be told how many sessions are left."""
BEARABLE_S = 30.0
"""How long a connection that is open may wait for its session; after a minute it is given up."""


class Client(discord.Client):
    """One connection to the gateway, and the REST API.

    Every handler hands over before it first waits: discord.py starts them in the order of the events, and
    only so is that order kept.
    """

    def __init__(self, *, content: bool) -> None:
        """*content*: ask for what people write in messages that have nothing to do with the bot."""
        self.listeners: Listeners | None = None
        """Whoever is told what happens; None: nobody, any more."""
        self._asked = discord.Intents(
            guilds=True,
            guild_messages=True,
            guild_reactions=True,
            dm_messages=True,
            dm_reactions=True,
            message_content=content,
        )
        self._gateway: asyncio.Task[Any] | None = None
        self._sessions = Sessions()
        super().__init__(
            intents=self._asked,
            allowed_mentions=discord.AllowedMentions.none(),
            max_messages=KEPT_MESSAGES,
            # no max_ratelimit_timeout: with one, the second call of a limit that lasts longer is refused
            # although there is room; `Calls` ends what takes too long
            guild_ready_timeout=GUILDS_S,
        )

    @property
    def me(self) -> int:
        """The bot's own id; 0 before it has logged in."""
        return self.user.id if self.user is not None else 0

    @property
    def reads_everything(self) -> bool:
        """Whether Discord shows the bot what is said in messages that do not name it."""
        return self._asked.message_content

    def read_less(self) -> None:
        """Do without that from the next connection on."""
        self._asked.message_content = False  # discord.py asks for what is in this very object

    @property
    def breakable(self) -> bool:
        """Whether a call may be broken off.

        When Discord lets nobody call anything for a while, discord.py lets all calls wait for the one that
        was told so, and lets them go when that one goes on; if it is broken off, nothing ever goes on.
        """
        return self.http._global_over.is_set()  # noqa: SLF001 - discord.py has no other word for it

    @property
    def opened(self) -> int:
        """How many connections are open."""
        socket: DiscordWebSocket | None = self.ws
        return int(socket is not None and socket.open)

    @property
    def connected(self) -> bool:
        """Whether all connections are open."""
        return self.opened == (self.shard_count or 1)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Let sessions that end at once begin ever more rarely. Raises `Restless` for a long pause."""
        await super().before_identify_hook(shard_id, initial=initial)
        pause = self._sessions.pause(shard_id)
        if pause > BEARABLE_S:
            raise Restless(pause)
        await asyncio.sleep(pause)
        self._sessions.begin(shard_id)

    async def sessions_left(self) -> tuple[int, float] | None:
        """Return how many sessions may begin, and until when in seconds; None: Discord does not say now."""
        asking = asyncio.ensure_future(self.http.get_bot_gateway())
        asking.add_done_callback(_heard)
        done, _ = await asyncio.wait([asking], timeout=ASK_S)  # broken off, it might take all others with it
        try:
            limit = asking.result()[2] if done else None
            return None if limit is None else (limit["remaining"], limit["reset_after"] / 1000)
        except FAILURES:
            return None

    async def renew(self) -> None:
        """Forget what is left of an earlier connection, so that `connect` may be called once more."""
        await self.hang_up()
        await self._async_setup_hook()

    async def connect(self, *, reconnect: bool = True) -> None:
        self._gateway = asyncio.current_task()
        await super().connect(reconnect=reconnect)

    async def hang_up(self) -> None:
        """Take no more events; the REST API stays open."""
        socket: DiscordWebSocket | None = self.ws
        if socket is not None and socket.open:
            await quietly(socket.close(code=1000))

    async def close(self) -> None:
        """End everything.

        discord.py does so by itself when its gateway fails for good. Then answers that are being written
        would lose the REST API in the midst of them, so it is left to whoever opened this.
        """
        if asyncio.current_task() is not self._gateway:
            await super().close()
            await self._end_heartbeats()

    async def _end_heartbeats(self) -> None:
        """See the threads end that keep connections alive: one in the midst of a beat outlives them."""
        for thread in threading.enumerate():
            if isinstance(thread, KeepAliveHandler) and _connection_of(thread) is self._connection:
                thread.stop()
                await asyncio.to_thread(thread.join, BEAT_S)

    async def on_connect(self) -> None:
        if self.listeners is not None:
            self.listeners.catchup.begin()

    async def on_ready(self) -> None:
        if self.listeners is not None:
            self.listeners.surroundings.ready()

    async def on_message(self, message: discord.Message) -> None:
        if self.listeners is not None:
            self.listeners.messages.said(message)

    async def on_raw_message_edit(self, edit: discord.RawMessageUpdateEvent) -> None:
        if self.listeners is not None:
            self.listeners.messages.edited(edit)

    async def on_raw_message_delete(self, deleted: discord.RawMessageDeleteEvent) -> None:
        if self.listeners is not None:
            self.listeners.messages.deleted(deleted)

    async def on_raw_bulk_message_delete(self, deleted: discord.RawBulkMessageDeleteEvent) -> None:
        if self.listeners is not None:
            self.listeners.messages.deleted(deleted)

    async def on_raw_reaction_add(self, reaction: discord.RawReactionActionEvent) -> None:
        if self.listeners is not None:
            self.listeners.reacted(reaction)

    async def on_thread_create(self, thread: discord.Thread) -> None:
        if self.listeners is not None:
            self.listeners.surroundings.channel_began(thread)

    async def on_guild_channel_create(self, channel: GuildChannel) -> None:
        if self.listeners is not None:
            self.listeners.surroundings.channel_began(channel)

    async def on_raw_thread_delete(self, thread: discord.RawThreadDeleteEvent) -> None:
        if self.listeners is not None:
            self.listeners.surroundings.thread_deleted(thread)

    async def on_guild_channel_delete(self, channel: GuildChannel) -> None:
        if self.listeners is not None:
            self.listeners.surroundings.channel_deleted(channel)

    async def on_guild_remove(self, server: discord.Guild) -> None:
        if self.listeners is not None:
            self.listeners.surroundings.server_left(server)

    async def on_guild_join(self, server: discord.Guild) -> None:
        if self.listeners is not None:
            self.listeners.surroundings.server_there(server)

    async def on_guild_available(self, server: discord.Guild) -> None:
        if self.listeners is not None:
            self.listeners.surroundings.server_there(server)

    async def on_error(self, event_method: str, /, *_: Any, **__: Any) -> None:
        error = sys.exc_info()[1]
        # its text may quote people
        logger.warning("an event could not be read: %s in %s", type(error).__name__, event_method)
        logger.debug("an event could not be read", exc_info=error)


class ShardedClient(Client, discord.AutoShardedClient):
    """As many connections as Discord recommends; from 2,500 servers on it demands several."""

    @property
    def opened(self) -> int:
        return sum(not shard.is_closed() for shard in self.shards.values())

    async def on_connect(self) -> None:
        """Do nothing: it is told once more for each shard, with its number."""

    async def on_shard_connect(self, shard: int) -> None:
        if self.listeners is not None:
            self.listeners.catchup.begin(partial(self._serves, shard))

    def _serves(self, shard: int, server: str) -> bool:
        """Tell whether a shard hears what happens in a server; what is said directly, the first one hears."""
        number = int(server) if server.isdigit() else 0
        return (number >> 22) % (self.shard_count or 1) == shard

    async def hang_up(self) -> None:
        await asyncio.gather(*(quietly(shard.disconnect()) for shard in self.shards.values()))


def direct_at(api: str | None, gateway: str | None) -> None:
    """Let discord.py speak to another Discord than the real one; None: leave it as it is.

    It reads both from its classes, whenever it needs them.
    """
    if api is not None:
        Route.BASE = api.rstrip("/")
    if gateway is not None:
        DiscordWebSocket.DEFAULT_GATEWAY = yarl.URL(gateway)


def hush() -> None:
    """Keep what people write, and tokens of interactions, out of the log: below INFO discord.py quotes it.

    At INFO it tells of sessions, and then it warns of libraries for talking; neither is of use here.
    """
    logging.getLogger("discord").setLevel(logging.WARNING)
    discord.VoiceClient.warn_nacl = discord.VoiceClient.warn_dave = False


def _heard(asking: asyncio.Future[Any]) -> None:
    """Take note of what nobody waits for any more."""
    if not asking.cancelled():
        asking.exception()


async def quietly(work: Any) -> None:
    """Let a connection end, whatever state it is in."""
    with suppress(TimeoutError, OSError, RuntimeError, aiohttp.ClientError, discord.DiscordException):
        async with asyncio.timeout(CLOSE_S):
            await work


def _connection_of(thread: KeepAliveHandler) -> Any:
    return thread.ws._connection  # noqa: SLF001 - nothing else tells whose connection it keeps
