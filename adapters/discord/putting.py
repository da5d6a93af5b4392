"""Files that somebody gave to a command, put into the channel once.

Discord knows no nonce for what follows an answer. So whenever nobody knows whether a file arrived, it is
looked for before it is sent again, and discord.py, which would send it again by itself, is kept from it.
"""

from __future__ import annotations

import io
from functools import partial
from typing import TYPE_CHECKING

import discord

from adapters.discord.markdown import rendered
from bot.chat import NotAllowed, Unreachable
from bot.citations import literal
from bot.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.discord.calls import Calls
    from adapters.discord.spots import Interaction

_MOST = 100
"""Messages among which it is looked for: the first that came after the command."""


class Put:
    """One file on its way into the channel in which somebody used the command."""

    def __init__(
        self,
        interaction: Interaction,
        file: discord.Attachment,
        content: bytes,
        *,
        calls: Calls,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._interaction = interaction
        self._file = file
        self._content = content
        self._calls = calls
        self._sleep = sleep
        self._doubtful = False

    async def __call__(self) -> discord.Message:
        """Return the message that carries the file. Raises `ChatError` if there is none, or nobody knows."""
        try:
            return await patiently(self._put, self._sleep)
        except Unreachable:
            if (standing := await patiently(self._standing, self._sleep)) is not None:
                return standing
            raise

    async def _put(self) -> discord.Message:
        if self._doubtful and (standing := await self._standing()) is not None:
            return standing
        try:
            return await self._calls.call(self._send)
        except Unreachable:
            self._doubtful = True
            raise

    async def _send(self) -> discord.Message:
        name = literal(self._interaction.user.display_name, 80)
        return await self._interaction.followup.send(
            rendered(f"**{name}** adds a file:"),
            file=_SentOnce(
                io.BytesIO(self._content), self._file.filename, description=self._file.description
            ),
            ephemeral=False,
            allowed_mentions=discord.AllowedMentions.none(),
            suppress_embeds=True,
            wait=True,
        )

    async def _standing(self) -> discord.Message | None:
        """Return the message, if it stands in the channel; where that cannot be read, it does not."""
        channel = self._interaction.client.get_partial_messageable(self._interaction.channel_id or 0)
        since = discord.Object(self._interaction.id)
        try:
            page = await self._calls.call(partial(_first_since, channel, since))
        except NotAllowed:
            return None
        return next((one for one in page if self._is_it(one)), None)

    def _is_it(self, message: discord.Message) -> bool:
        use = message.interaction_metadata
        ours = message.author == self._interaction.client.user
        this = use is None or use.id == self._interaction.id
        return ours and this and [one.size for one in message.attachments] == [len(self._content)]


class _SentOnce(discord.File):
    """A file that discord.py sends once; before it does so again by itself, it asks for this."""

    def reset(self, *, seek: int | bool = True) -> None:
        if seek:
            raise ConnectionError("nobody knows yet whether the file arrived")


async def _first_since(channel: discord.PartialMessageable, since: discord.Object) -> list[discord.Message]:
    return [one async for one in channel.history(limit=_MOST, after=since, oldest_first=True)]
