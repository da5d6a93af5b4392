"""Reactions that say how somebody's file stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.discord.calls import UNKNOWN_EMOJI, Refused
from bot.chat import Mark, NotAllowed
from bot.marks import Marks

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    import discord

    from adapters.discord.calls import Calls
    from adapters.discord.places import Places
    from bot.chat import Thread

SIGNS: Mapping[Mark, str] = {Mark.WORKING: "⏳", Mark.DONE: "✅", Mark.FAILED: "❌"}

_FINE = frozenset({UNKNOWN_EMOJI, 30010, 90001})
"""It does not stand there, there are too many, or its author has blocked the bot."""
_OFF = frozenset({50001, 50013})
"""What Discord answers where the bot may not react to anything."""


class Signs:
    """Puts one reaction at a message in place of an earlier one."""

    def __init__(
        self, client: discord.Client, calls: Calls, places: Places, monotonic: Callable[[], float]
    ) -> None:
        self._client = client
        self._calls = calls
        self._places = places
        self._marks = Marks(self._add, self._remove, forbids=_forbids, monotonic=monotonic)

    async def put(self, thread: Thread, message_id: str, mark: Mark) -> None:
        """Let *mark* stand at the message, if the bot may react there. Raises `ChatError`."""
        channel = await self._places.where(thread, message_id)
        await self._marks.put(thread, message_id, mark, within=channel)

    async def _add(self, thread: Thread, message_id: str, mark: Mark) -> None:
        add = self._client.http.add_reaction
        await self._react(thread, message_id, lambda channel: add(channel, message_id, SIGNS[mark]))

    async def _remove(self, thread: Thread, message_id: str, mark: Mark) -> None:
        remove = self._client.http.remove_own_reaction
        await self._react(thread, message_id, lambda channel: remove(channel, message_id, SIGNS[mark]))

    async def _react(self, thread: Thread, message_id: str, work: Callable[[int], Awaitable[object]]) -> None:
        channel = await self._places.where(thread, message_id)
        try:
            await self._calls.call(lambda: work(channel))
        except Refused as refused:
            if refused.code not in _FINE:
                raise


def _forbids(refusal: NotAllowed) -> str | None:
    return f"{refusal.code}" if isinstance(refusal, Refused) and refusal.code in _OFF else None
