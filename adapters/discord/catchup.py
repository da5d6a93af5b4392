"""What was said while nobody listened: read up in each channel from where it was left."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

import discord
from discord.utils import snowflake_time, utcnow

from adapters.discord.cursors import SKEW
from adapters.discord.events import room_at
from bot.chat import MessageGone, NotAllowed
from bot.patience import patiently

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from adapters.discord.calls import Calls
    from adapters.discord.cursors import Cursors, Positions
    from adapters.discord.events import Room


Readable: TypeAlias = discord.TextChannel | discord.VoiceChannel | discord.StageChannel | discord.Thread
Talk: TypeAlias = Readable | discord.DMChannel
"""What people write in."""

logger = logging.getLogger(__name__)

PAGE = 100
"""Messages that Discord returns at once."""
MOST = 500
"""Messages that are read up in one channel: the newest."""
HISTORY_S = 15.0
"""How long Discord may take for them."""
ARCHIVED = 50
"""Threads of one channel that are looked at although they are in the archive: those that got there last."""
SLEEP_S = SKEW * 2
"""Threads go to the archive after an hour without a word at the earliest."""


class Catchup:
    """Knows what was heard in the present session, and reads what was not."""

    def __init__(self, calls: Calls, cursors: Cursors, *, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._calls = calls
        self._cursors = cursors
        self._sleep = sleep
        self._heard: dict[int, str] = {}
        """The servers of the channels and threads in which nothing was missed, by their ids."""
        self._session = 0

    def begin(self, concerns: Callable[[str], bool] | None = None) -> None:
        """Note that a session begins: whatever happened since the one before it was told to nobody.

        It *concerns* some of the servers; None: all.
        """
        self._session += 1
        kept = {} if concerns is None else self._heard
        self._heard = {
            channel: server for channel, server in kept.items() if concerns and not concerns(server)
        }

    def is_heard(self, channel: int) -> bool:
        """Tell whether everything in *channel* was heard up to now."""
        return channel in self._heard

    def hear(self, room: Room) -> None:
        """Note that *room* came about while somebody listened."""
        self._heard[room.id] = room.scope.workspace
        self.note(room, room.id - 1)

    def doubt(self, channel: int) -> None:
        """Note that something in *channel* could not be taken, so that it is read up later."""
        self._heard.pop(channel, None)

    def note(self, room: Room, message: int) -> None:
        """Note that a message was taken; where something before it was not, that stays to be read."""
        positions = self._cursors.known(room.scope.workspace)
        if positions is not None and room.id in self._heard:
            positions.note(room.id, message, passing=room.passing)

    def leave(self, server: str) -> None:
        """Forget a server that the bot has left."""
        self._cursors.forget(server)

    def drop(self, server: int, channel: int) -> None:
        """Forget a channel that is gone."""
        self._heard.pop(channel, None)
        if (positions := self._cursors.known(str(server))) is not None:
            positions.drop(channel)

    async def missed(self, room: Room, channel: Talk, before: int | None = None) -> list[discord.Message]:
        """Return what was said in a channel unheard, *before* a message, and take it for heard.

        Raises `ChatError`; then it is still unheard.
        """
        session = self._session
        positions = await self._cursors.of(room.scope.workspace)
        start = positions.start(room.id, room.parent)
        found: list[discord.Message] = []
        if start is not None and _is_readable(channel):
            found = await self._read(channel, max(start, self._cursors.oldest), before)
        if session == self._session:
            self._heard[room.id] = room.scope.workspace
        return found

    async def due(self, server: discord.Guild) -> AsyncIterator[Readable]:
        """Yield the channels and threads of a server in which something may have been said unheard."""
        positions = await self._cursors.of(str(server.id))
        new = positions.until is None
        for channel in _rooms(server):
            if self._is_due(channel, positions) and not isinstance(channel, discord.ForumChannel):
                yield channel
        if new:  # nothing was due, so all of this came about without a pause in which something is heard
            await self._cursors.begin(str(server.id))
        async for thread in self._archived(server, positions):
            if self._is_due(thread, positions):
                yield thread

    async def conversations(self, server: str) -> list[int]:
        """Return the direct conversations in which something may have been said unheard."""
        positions = await self._cursors.of(server)
        return [channel for channel in positions.threads if channel not in self._heard]

    def _is_due(self, channel: Readable | discord.ForumChannel, positions: Positions) -> bool:
        room = room_at(channel)
        if room is None or room.id in self._heard:
            return False
        last = 0 if isinstance(channel, discord.ForumChannel) else channel.last_message_id or 0
        start = positions.start(room.id, room.parent)
        if start is not None and last > max(start, self._cursors.oldest):
            return True
        self._heard[room.id] = room.scope.workspace
        positions.note(room.id, last or room.id, passing=room.passing)
        return False

    async def _archived(self, server: discord.Guild, positions: Positions) -> AsyncIterator[discord.Thread]:
        """Yield threads that may have gone to the archive with something unheard in them."""
        until = positions.until
        if until is None or utcnow() - snowflake_time(until) < SLEEP_S:
            return
        for channel in _rooms(server):
            if isinstance(channel, discord.TextChannel | discord.ForumChannel):
                for thread in await self._asleep(channel):
                    if thread.archive_timestamp > snowflake_time(until):
                        yield thread

    async def _asleep(self, channel: discord.TextChannel | discord.ForumChannel) -> list[discord.Thread]:
        async def listed() -> list[discord.Thread]:
            return [thread async for thread in channel.archived_threads(limit=ARCHIVED)]

        try:
            return await patiently(partial(self._calls.call, listed, seconds=HISTORY_S), self._sleep)
        except (NotAllowed, MessageGone):
            return []

    async def _read(self, channel: Talk, after: int, before: int | None) -> list[discord.Message]:
        """Return the messages between the two, oldest first; the newest of them, if they are many."""
        found: list[discord.Message] = []
        while len(found) < MOST:
            page = await self._page(channel, before)
            fresh = [message for message in page if message.id > after]
            found += fresh
            if len(fresh) < PAGE:
                break
            before = fresh[-1].id
        return found[::-1]

    async def _page(self, channel: Talk, before: int | None) -> list[discord.Message]:
        end = None if before is None else discord.Object(before)

        async def read() -> list[discord.Message]:
            return [one async for one in channel.history(limit=PAGE, before=end, oldest_first=False)]

        try:
            return await patiently(partial(self._calls.call, read, seconds=HISTORY_S), self._sleep)
        except (NotAllowed, MessageGone):  # nobody lets the bot read it, so there is nothing to wait for
            return []


def _rooms(server: discord.Guild) -> Iterator[Readable | discord.ForumChannel]:
    """Yield the channels and threads in which the bot may read what was said."""
    for channel in (*server.channels, *server.threads):
        if not isinstance(channel, discord.CategoryChannel) and _is_readable(channel):
            yield channel


def _is_readable(channel: Talk | discord.ForumChannel) -> bool:
    if isinstance(channel, discord.DMChannel):
        return True
    me: discord.Member | None = channel.guild.me
    try:
        granted = discord.Permissions.none() if me is None else channel.permissions_for(me)
    except discord.ClientException:  # the thread of a channel that nobody knows
        return False
    return granted.view_channel and granted.read_message_history
