"""What leaves Discord is taken back: files of messages, threads, channels and servers that are gone.

Discord names what was deleted, and nothing of what it held. So whatever was taken in from there is looked up.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from adapters.discord.events import place_of_message
from adapters.discord.places import DIRECT, PLATFORM
from bot.chat import ChatError, MessageGone
from bot.incoming import ChannelLost, FileRemoved
from pipeline.addresses import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import discord

    from adapters.discord.places import Places
    from bot.incoming import Removal
    from pipeline.domain import Scope

logger = logging.getLogger(__name__)


class Holdings(Protocol):
    """What was taken in. Everything raises `PipelineError`."""

    async def holders(self, platform: str, workspace: str, source: str) -> Sequence[Scope]:
        """Return the channels that may have files from places which begin like *source*."""

    async def workspaces(self, platform: str) -> Sequence[str]:
        """Return the workspaces in which anything was indexed."""

    async def channels(self, platform: str, workspace: str) -> Sequence[Scope]:
        """Return the channels in which anything was indexed."""

    async def sources_in(self, scope: Scope) -> Sequence[str]:
        """Return where each file of a channel stays."""


class Departures:
    """Finds what was taken in from places that are gone, and lets it be removed."""

    def __init__(self, holdings: Holdings, places: Places, remove: Callable[[Removal], object]) -> None:
        self._holdings = holdings
        self._places = places
        self._remove = remove

    async def of_messages(self, server: int | None, channel: int, messages: Collection[int]) -> None:
        """Take back the files of messages that were deleted."""
        starts = tuple(place_of_message(server, channel, message) for message in messages)
        common = starts[0] if len(starts) == 1 else place_of_message(server, channel)
        await self._of(server, common, lambda place: place.startswith(starts))

    async def of_message(self, server: int | None, channel: int, message: int, left: Collection[int]) -> None:
        """Take back the files of a message that are not among those that are *left*."""
        start = place_of_message(server, channel, message)
        kept = {f"{start}{attachment}" for attachment in left}
        await self._of(server, start, lambda place: place not in kept)

    async def of_thread(self, server: int, thread: int) -> None:
        """Take back the files of a thread that was deleted."""
        await self._of(server, place_of_message(server, thread), lambda _: True)

    async def of_channels(self, server: discord.Guild) -> None:
        """Let go of the channels and private threads of a server that are there no longer."""
        for scope in await self._holdings.channels(PLATFORM, str(server.id)):
            if not scope.channel.isdigit() or server.get_channel_or_thread(int(scope.channel)) is not None:
                continue
            if await self._is_gone(int(scope.channel)):
                self._remove(ChannelLost(event_id=f"{scope.channel}/lost", scope=scope))

    async def servers(self, present: Collection[int]) -> list[int]:
        """Return the servers in which something was indexed and that the bot is not present in."""
        known = set(await self._holdings.workspaces(PLATFORM))
        return sorted(map(int, known - {DIRECT, *map(str, present)}))

    async def _of(self, server: int | None, start: str, is_gone: Callable[[str], bool]) -> None:
        for scope in dict.fromkeys(await self._holdings.holders(PLATFORM, str(server or DIRECT), start)):
            for source in await self._holdings.sources_in(scope):
                place = place_of(source)
                if place.startswith(start) and is_gone(place):
                    self._remove(FileRemoved(event_id=f"{place}/gone", scope=scope, source=source))

    async def _is_gone(self, channel: int) -> bool:
        """Ask whether a channel is gone; one that the bot may not see is not."""
        try:
            await self._places.channel(channel)
        except MessageGone:
            return True
        except ChatError as error:
            logger.info("whether a channel is still there is unknown: %s", type(error).__name__)
        return False
