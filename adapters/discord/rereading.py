"""What people have made of a message, asked when nobody heard of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.discord.events import Room, is_by_person, read_edit
from adapters.discord.places import DIRECT
from adapters.discord.shares import sees_everything
from bot.chat import MessageGone, Said
from bot.incoming import MessageDeleted

if TYPE_CHECKING:
    import discord

    from adapters.discord.calls import Calls
    from adapters.discord.client import Client
    from adapters.discord.places import Places
    from bot.chat import Thread

LONGEST_S = 10.0
"""How long Discord may take for a message; somebody waits for an answer to it."""


class Rereading:
    """Looks at messages once more."""

    def __init__(self, client: Client, calls: Calls, places: Places) -> None:
        self._client = client
        self._calls = calls
        self._places = places

    async def of(self, thread: Thread, message_id: str) -> Said | None:
        """Return how a message reads that was edited; None: it was not, or Discord does not show it.

        Raises `ChatError`, `MessageGone` when it was deleted, or says nothing any more.
        """
        message = await self._message(thread, message_id)
        if not is_by_person(message):  # the bot shows what somebody asked by a command
            return None
        await self._locate(thread, message)
        room = _room(thread, message.channel.id)
        whole = room.direct or sees_everything(self._client)
        edited = read_edit(message, room, self._client.me, whole=whole, thread=thread)
        if isinstance(edited, MessageDeleted):
            raise MessageGone
        return None if edited is None else Said(text=edited.text, mentioned=edited.mentioned)

    async def _message(self, thread: Thread, message_id: str) -> discord.Message:
        number = await self._places.where(thread, message_id)
        channel = self._client.get_partial_messageable(number)
        return await self._calls.call(lambda: channel.fetch_message(int(message_id)), seconds=LONGEST_S)

    async def _locate(self, thread: Thread, message: discord.Message) -> None:
        """Let *message* know its server, where it names roles: one of them may be the bot's own."""
        workspace = thread.scope.workspace
        if message.guild is not None or workspace == DIRECT or not message.raw_role_mentions:
            return
        known = self._client.get_guild(int(workspace))
        ask = self._client.fetch_guild
        message.guild = known or await self._calls.call(lambda: ask(int(workspace), with_counts=False))


def _room(thread: Thread, channel: int) -> Room:
    """Return the room of a message as far as it matters here: whether it stands in a thread."""
    parent = None if str(channel) == thread.scope.channel else int(thread.scope.channel)
    return Room(id=channel, scope=thread.scope, parent=parent)
