"""Discord's files: what a message carries, and its bytes."""

from __future__ import annotations

import time
from pathlib import PurePath
from typing import TYPE_CHECKING

from discord.http import Route

from adapters.discord.calls import NO_HISTORY, Gone, Refused
from adapters.discord.events import files_of, names_bot, room_at, thread_of
from adapters.discord.permissions import GRANT
from adapters.discord.shares import NO_ACCESS, Shares, Stand, source_of
from adapters.downloads import TIMEOUT, Downloads, Incomplete, Site, Slow, Wanted, own_origin, too_large
from bot.chat import ChatError, NotAllowed
from bot.incoming import IncomingFile
from bot.patience import patiently
from bot.recent import Fresh
from pipeline.addresses import place_of
from pipeline.domain import IngestReason
from pipeline.errors import IngestError, SourceAway

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import aiohttp
    import discord

    from adapters.discord.calls import Calls
    from adapters.discord.client import Client
    from adapters.discord.events import Room
    from bot.owners import Owners

HOSTS = ("cdn.discordapp.com", "media.discordapp.net")
"""Where Discord keeps files."""
API_HOSTS = ("discord.com", "discordapp.com", "discordapp.net")

LOCKED = "Discord did not let me download it; upload it again."
GONE = "It was deleted in Discord."
HIDDEN = (
    "Discord does not show me what is in its message: the message content intent is off for me. "
    "Upload it again in a message that mentions me, or choose “Index this file” at it."
)
CLOSED = f"I may not look into its channel; I need View Channel and Read Message History there. {GRANT}"
NOT_ACCEPTED = "Discord does not accept my token; whoever runs me can run 'footnote doctor'."
BUSY = "Discord could not be reached, or asks to wait."

SHOWN_S = 12 * 3600.0
"""How long the address of a file counts that somebody picked; Discord's own are good for a day."""
SHOWN = 1000

_NO_PERMISSION = 50013
_CLOSED = frozenset({NO_ACCESS, _NO_PERMISSION, NO_HISTORY})
_UNAUTHORISED = 401


class DiscordFiles:
    """The files of all servers and conversations that the bot is in."""

    def __init__(
        self,
        client: Client,
        calls: Calls,
        owners: Owners,
        *,
        max_bytes: int,
        sleep: Callable[[float], Awaitable[None]],
        timeout: aiohttp.ClientTimeout = TIMEOUT,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.shares = Shares(client, calls, owners)
        self._client = client
        self._site = discord_at(Route.BASE)
        self._downloads = Downloads(self._site, max_bytes=max_bytes, timeout=timeout)
        self._max_bytes = max_bytes
        self._sleep = sleep
        self._shown: Fresh[str, discord.Attachment] = Fresh(monotonic, SHOWN_S, SHOWN)
        """What people picked, by its place."""

    def note(self, message: discord.Message) -> None:
        """Keep the files of a message that somebody picked: when the bot looks, Discord may hide them."""
        for attachment in files_of(message):
            self._shown.note(place_of(source_of(message, attachment)), attachment)

    def incoming(self, message: discord.Message) -> list[IncomingFile]:
        """Return what to index of *message*; nothing where nobody knows in which channel it stands."""
        room = room_at(message.channel)
        if room is None:
            return []
        addressed = names_bot(message, room, self._client.me)
        return [_incoming(message, room, one, addressed=addressed) for one in files_of(message)]

    async def fetch(self, source: str) -> bytes:
        """Return the bytes of a source that begins with ``discord:``. Raises `IngestError`."""
        stand = Stand.of(source)
        if stand is None:
            raise _unreadable("This is not the address of a file in Discord.")
        try:
            attachment = await self._look_up(stand, place_of(source))
            return await patiently(lambda: self.read(attachment), self._sleep)
        except ChatError as error:
            raise self._explained(error) from error

    async def read(self, attachment: discord.Attachment) -> bytes:
        """Return the bytes of a file of which Discord told right now: its address is good for a day.

        Raises `IngestError`, or what is worth another try: `RateLimited` or `Unreachable`.
        """
        if attachment.size > self._max_bytes:
            raise too_large(self._max_bytes)
        return await self._downloads.get(Wanted(address=attachment.url, size=attachment.size, exact=True))

    async def close(self) -> None:
        """End all connections."""
        await self._downloads.close()

    async def _look_up(self, stand: Stand, place: str) -> discord.Attachment:
        """Return a file as it is now, or was when it was picked. Raises `ChatError` or `IngestError`."""
        message = await patiently(lambda: self.shares.message(stand), self._sleep)
        attachment = stand.on(message)
        if attachment is None:
            if not self.shares.hides(stand.server, message):
                raise _unreadable(GONE)
            attachment = self._shown.last(place)
            if attachment is None:
                raise _unreadable(HIDDEN)
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
            case Incomplete():
                return _unreadable(self._site.incomplete)
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


def _incoming(
    message: discord.Message, room: Room, attachment: discord.Attachment, *, addressed: bool
) -> IncomingFile:
    # a file that is forwarded keeps its number, and is taken for each message that it stands in
    number = f"{attachment.id}" if attachment in message.attachments else f"{message.id}/{attachment.id}"
    return IncomingFile(
        event_id=number,
        file_id=number,
        thread=thread_of(message, room),
        author=str(message.author.id),
        name=name_of(attachment),
        source=source_of(message, attachment),
        size=attachment.size,
        message_id=str(message.id),
        addressed=addressed,
    )


def _unreadable(message: str) -> IngestError:
    return IngestError(IngestReason.UNREADABLE, message)
