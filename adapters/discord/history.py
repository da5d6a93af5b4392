"""What was said in a conversation so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

import discord

from adapters.discord.events import spoken_in
from bot.chat import MessageGone, NotAllowed, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from adapters.discord.calls import Calls
    from adapters.discord.places import Place, Places
    from bot.chat import Thread

PAGE = 100
"""Messages that Discord returns at once."""

_SAID = frozenset({
    discord.MessageType.default, discord.MessageType.reply, discord.MessageType.chat_input_command,
    discord.MessageType.context_menu_command, discord.MessageType.thread_starter_message,
})  # fmt: skip
"""All others tell that something happened, and quote names."""


class History:
    """Reads the end of conversations."""

    def __init__(self, client: discord.Client, calls: Calls, places: Places) -> None:
        self._client = client
        self._calls = calls
        self._places = places

    async def turns(self, thread: Thread, limit: int) -> Sequence[Turn]:
        """Return the last *limit* messages with a text, of the last hundred, oldest first."""
        if limit <= 0:
            return []
        place = await self._places.find(thread)
        messages = [one for one in await self._page(place) if one.type in _SAID]
        if place.answers is not None:
            messages = list(self._belonging(thread, messages))
        said = [await self._said(one, thread) for one in messages]
        turns = [self._turn(one) for one in said if one is not None and one.content.strip()]
        return turns[-limit:]

    async def _page(self, place: Place) -> list[discord.Message]:
        channel = self._client.get_partial_messageable(place.channel)

        async def read() -> list[discord.Message]:
            return [one async for one in channel.history(limit=PAGE)]

        return (await self._calls.call(read))[::-1]

    def _belonging(self, thread: Thread, messages: Sequence[discord.Message]) -> Iterator[discord.Message]:
        """Yield those of a channel's messages that are part of one conversation: it is a chain of replies."""
        chain = {int(thread.key)}
        for message in messages:
            answered = message.reference.message_id if message.reference is not None else None
            if message.id in chain or answered in chain or self._places.answered(message.id) == thread:
                chain.add(message.id)
                yield message

    async def _said(self, message: discord.Message, thread: Thread) -> discord.Message | None:
        """Return the message that a thread began with in place of the one that points at it."""
        if message.type is not discord.MessageType.thread_starter_message:
            return message
        if message.reference is not None and isinstance(message.reference.resolved, discord.Message):
            return message.reference.resolved
        parent = self._client.get_partial_messageable(int(thread.scope.channel))
        try:
            return await self._calls.call(lambda: parent.fetch_message(int(thread.key)))
        except (MessageGone, NotAllowed):
            return None

    def _turn(self, message: discord.Message) -> Turn:
        me = self._client.user.id if self._client.user is not None else 0
        own = message.author.id == me
        return Turn(author=str(message.author.id), text=spoken_in(message, me).text, own=own)
