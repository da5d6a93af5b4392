"""Discord's files: what a message carries, and its bytes."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from discord.http import Route

from adapters.discord.calls import NO_HISTORY, Gone, Refused
from adapters.discord.events import room_at
from adapters.discord.permissions import GRANT
from adapters.discord.shares import NO_ACCESS, Shares, Stand, source_of
from adapters.downloads import TIMEOUT, Downloads, Site, Slow, Wanted, own_origin, too_large
from bot.chat import ChatError, NotAllowed, Thread
from bot.incoming import IncomingFile
from bot.patience import patiently
from pipeline.domain import IngestReason
from pipeline.errors import IngestError, SourceAway

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import aiohttp
    import discord

    from adapters.discord.calls import Calls
    from adapters.discord.client import Client
    from adapters.discord.events import Room

HOSTS = ("cdn.discordapp.com", "media.discordapp.net")
"""Where Discord keeps files."""
API_HOSTS = ("discord.com", "discordapp.com", "discordapp.net")

LOCKED = "Discord did not let me download it; upload it again."
GONE = "It was deleted in Discord."
HIDDEN = (
    "Discord does not show me what is in its message: the message content intent is off for me. "
    "Upload it again in a message that mentions me."
)
CLOSED = f"I may not look into its channel; I need View Channel and Read Message History there. {GRANT}"
NOT_ACCEPTED = "Discord does not accept my token; whoever runs me can run 'footnote doctor'."
BUSY = "Discord could not be reached, or asks to wait."

_NO_PERMISSION = 50013
_CLOSED = frozenset({NO_ACCESS, _NO_PERMISSION, NO_HISTORY})
_UNAUTHORISED = 401


class DiscordFiles:
    """The files of all servers and conversations that the bot is in."""

    def __init__(
        self,
        client: Client,
        calls: Calls,
        *,
        max_bytes: int,
        sleep: Callable[[float], Awaitable[None]],
        timeout: aiohttp.ClientTimeout = TIMEOUT,
    ) -> None:
        self.shares = Shares(client, calls)
        self._site = discord_at(Route.BASE)
        self._downloads = Downloads(self._site, max_bytes=max_bytes, timeout=timeout)
        self._max_bytes = max_bytes
        self._sleep = sleep

    def incoming(self, message: discord.Message) -> list[IncomingFile]:
        """Return what to index of *message*; nothing where nobody knows in which channel it stands."""
        room = room_at(message.channel)
        return [] if room is None else [_incoming(message, room, one) for one in message.attachments]

    async def fetch(self, source: str) -> bytes:
        """Return the bytes of a source that begins with ``discord:``. Raises `IngestError`."""
        stand = Stand.of(source)
        if stand is None:
            raise _unreadable("This is not the address of a file in Discord.")
        try:
            attachment = await self._look_up(stand)
            return await patiently(lambda: self.read(attachment), self._sleep)
        except ChatError as error:
            raise self._explained(error) from error

    async def read(self, attachment: discord.Attachment) -> bytes:
        """Return the bytes of a file of which Discord told right now: its address is good for a day.

        Raises `IngestError`, or what is worth another try: `RateLimited` or `Unreachable`.
        """
        if attachment.size > self._max_bytes:
            raise too_large(self._max_bytes)
        return await self._downloads.get(Wanted(address=attachment.url, size=attachment.size, whole=True))

    async def close(self) -> None:
        """End all connections."""
        await self._downloads.close()

    async def _look_up(self, stand: Stand) -> discord.Attachment:
        """Return a file as it is now. Raises `ChatError` or `IngestError`."""
        message = await patiently(lambda: self.shares.message(stand), self._sleep)
        attachment = stand.on(message)
        if attachment is None:
            raise _unreadable(HIDDEN if self.shares.hides(stand, message) else GONE)
        return attachment

    def _explained(self, error: ChatError) -> IngestError:
        """Return what people are told when Discord did not give the file."""
        match error:
            case Gone():
                return _unreadable(GONE)
            case Refused(code=code) if code in _CLOSED:
                return _unreadable(CLOSED)
            case Refused(code=code) if code != _UNAUTHORISED:
                return _unreadable(f"Discord does not let me see it ({code}); upload it again.")
            case NotAllowed():
                return _unreadable(NOT_ACCEPTED)
            case Slow():
                return IngestError(IngestReason.TIMED_OUT, self._site.slow)
            case _:
                return SourceAway(BUSY)


def discord_at(api_base_url: str) -> Site:
    """Return where Discord's files are, when its API is at this address."""
    own = own_origin(api_base_url, *API_HOSTS)
    return Site(name="Discord", hosts=HOSTS, own=own, locked=LOCKED, gone=GONE)


def name_of(attachment: discord.Attachment) -> str:
    """Return what people call a file; what Discord does not keep in its name, it keeps in a title."""
    kept, title = attachment.filename, (attachment.title or "").strip()
    ending = PurePath(kept).suffix
    if not title:
        return kept
    return title if title.casefold().endswith(ending.casefold()) else f"{title}{ending}"


def _incoming(message: discord.Message, room: Room, attachment: discord.Attachment) -> IncomingFile:
    return IncomingFile(
        event_id=str(attachment.id),
        file_id=str(attachment.id),
        thread=Thread(room.scope, str(message.id if room.flat else room.id)),
        author=str(message.author.id),
        name=name_of(attachment),
        source=source_of(message, attachment),
        size=attachment.size,
        message_id=str(message.id),
    )


def _unreadable(message: str) -> IngestError:
    return IngestError(IngestReason.UNREADABLE, message)
