"""What people are told once in each channel where the bot does not see, or may not do, everything."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.discord.permissions import note_key
from bot.chat import Body

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat import ChatAdapter, Thread
    from bot.conversation import Conversation

NOTE = (
    "A word on how I work here: Discord shows me only messages that mention me, replies to mine and direct "
    "messages, because the message content intent is off for this bot. So mention me in follow-ups, and in "
    "messages whose files I should index. Whoever runs me can turn it on; docs/discord.md shows how."
)


class Reminder:
    """Says so after the first answer in a channel to whoever mentioned the bot."""

    def __init__(
        self,
        adapter: ChatAdapter,
        conversation: Conversation,
        first_time: Callable[[str], Awaitable[bool]],
    ) -> None:
        """*first_time* tells whether a key is named for the first time, over replicas and restarts."""
        self._adapter = adapter
        self._conversation = conversation
        self._first_time = first_time

    async def remind(self, thread: Thread, *, blind: bool, lacks: str | None) -> None:
        """Say in *thread* that the bot is *blind*, and what it *lacks*, unless its channel was told.

        Raises `ChatError` or `PipelineError`.
        """
        notes = []
        if blind and await self._first_time(f"discord:reduced:{thread.scope.key}"):
            notes.append(NOTE)
        if lacks is not None and await self._first_time(note_key(thread.scope)):
            notes.append(lacks)
        if notes:
            await self._conversation.answered(thread)
            await self._adapter.post(thread, Body(text="\n\n".join(notes), nonce="reduced"))
