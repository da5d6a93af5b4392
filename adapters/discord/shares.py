"""Where files stand in Discord, and whether they still do."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from adapters.discord.calls import UNKNOWN_MESSAGE, Gone, Refused
from adapters.discord.events import files_of, place_of_message
from adapters.discord.places import DIRECT, PLATFORM

if TYPE_CHECKING:
    import discord

    from adapters.discord.calls import Calls
    from adapters.discord.client import Client
    from bot.owners import Owners
    from pipeline.domain import Scope

NO_ACCESS = 50001
"""What Discord answers about a channel that the bot may not look into."""

_PLACE = re.compile(rf"{PLATFORM}:({DIRECT}|[0-9]{{1,20}})/([0-9]{{1,20}})/([0-9]{{1,20}})/([0-9]{{1,20}})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stand:
    """Where a file stands: Discord knows it by its message alone."""

    server: int | None
    """None: it stands in somebody's conversation with the bot."""
    channel: int
    """The channel or thread that the message stands in."""
    message: int
    attachment: int

    @classmethod
    def of(cls, source: str) -> Stand | None:
        """Return where the file of *source* stands; None: not in Discord."""
        found = _PLACE.fullmatch(source.partition("#")[0])
        if found is None:
            return None
        server = None if found[1] == DIRECT else int(found[1])
        return cls(server=server, channel=int(found[2]), message=int(found[3]), attachment=int(found[4]))

    def on(self, message: discord.Message) -> discord.Attachment | None:
        """Return the file itself; None: the message has it no more, or does not show it."""
        return next((one for one in files_of(message) if one.id == self.attachment), None)


class Shares:
    """Looks files up. One that may be there still is never called gone."""

    def __init__(self, client: Client, calls: Calls, owners: Owners) -> None:
        self._client = client
        self._calls = calls
        self._owners = owners

    async def message(self, stand: Stand, *, intermediate: bool = False) -> discord.Message:
        """Return the message that carries a file, with an address that is good from now on.

        Raises `ChatError`.
        """
        channel = self._client.get_partial_messageable(stand.channel, guild_id=stand.server)
        return await self._calls.call(lambda: channel.fetch_message(stand.message), intermediate=intermediate)

    async def gone(self, scope: Scope, source: str) -> bool:
        """Tell whether a file is not in *scope* any more: it, its message, channel or server is gone.

        A channel that the bot may not look into for now is still there, and so is what another application
        took in. Raises `ChatError` when Discord does not say.
        """
        stand = Stand.of(source)
        if stand is None:
            return False
        try:
            message = await self.message(stand, intermediate=True)
        except Gone as gone:
            # somebody's conversation with another bot is there, although this one cannot see it
            return stand.server is not None or gone.code == UNKNOWN_MESSAGE
        except Refused as refused:
            if refused.code != NO_ACCESS:
                raise
            return stand.server is not None and await self._is_out(stand.server)
        return stand.on(message) is None and not self.hides(stand.server, message)

    def hides(self, server: int | None, message: discord.Message) -> bool:
        """Tell whether Discord may keep from the bot what is in *message*: then it looks empty.

        It does in servers, where the bot may not read everything.
        """
        shown = message.content or message.attachments or message.embeds or message.components
        if (
            shown
            or message.stickers
            or message.message_snapshots
            or server is None
            or message.author.id == self._client.me
        ):
            return False
        return not sees_everything(self._client)

    async def _is_out(self, server: int) -> bool:
        """Ask whether the bot is in a server no more. Raises `ChatError`."""
        if await self._owners.other(str(server), str(self._client.application_id)) is not None:
            return False
        try:
            await self._calls.call(
                lambda: self._client.fetch_guild(server, with_counts=False), intermediate=True
            )
        except Gone:
            return True
        except Refused as refused:
            if refused.code != NO_ACCESS:
                raise
            return True
        return False


def sees_everything(client: Client) -> bool:
    """Tell whether Discord shows the bot what it looks up in servers, whatever it is."""
    flags = client.application_flags
    granted = flags.gateway_message_content or flags.gateway_message_content_limited
    return granted and client.reads_everything


def source_of(message: discord.Message, attachment: discord.Attachment) -> str:
    """Return where a file of a message stays, in the form that `pipeline.addresses` explains."""
    server = message.guild.id if message.guild is not None else None
    return f"{place_of_message(server, message.channel.id, message.id)}{attachment.id}#{message.jump_url}"
