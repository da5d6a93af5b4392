"""Messages of ours that stand in Discord although its answer, which would have named them, was lost.

For some minutes Discord knows the nonce of each message: posting it again names the one that stands. Later
nobody can be asked which message had which nonce. Then one is taken for what was posted if nobody here knows
it and it reads the same, or has buttons about the same question.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import discord

from adapters.discord.components import parse_custom_id
from bot.chat import MessageRef
from bot.controls import FORGET
from bot.doubts import Doubts
from bot.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from adapters.discord.calls import Calls
    from adapters.discord.places import Places
    from bot.chat import Body, Thread

REMEMBERED = 60.0
"""Seconds for which Discord surely knows a nonce; it says "a few minutes"."""

_MOST = 100


class Strays:
    """Keeps in mind where a message may stand that nobody knows of, and finds it."""

    def __init__(
        self, client: discord.Client, calls: Calls, places: Places, wall: Callable[[], float]
    ) -> None:
        self._client = client
        self._calls = calls
        self._places = places
        self._wall = wall
        self._doubts = Doubts(wall)
        self._known: Recent[MessageRef, None] = Recent()

    def doubting(self, thread: Thread, nonce: str | None) -> AbstractContextManager[None]:
        """Note a doubt when what happens within leaves one."""
        return self._doubts.about(thread, nonce)

    def know(self, ref: MessageRef) -> None:
        """Note that somebody here knows of a message."""
        self._known.note(ref, None)

    async def find(self, thread: Thread, body: Body, content: str) -> MessageRef | None:
        """Look for a post of *body*, which reads *content*, where there is a doubt; None: none is found.

        Raises `RateLimited` or `Unreachable` when it cannot be told now.
        """
        if body.nonce is None:
            return None
        start = self._doubts.start(thread, [body.nonce], repeated=body.repeated)
        since = self._doubts.since(thread, body.nonce)
        if start is None or (since is not None and self._wall() - since < REMEMBERED):
            return None  # in the first minute, Discord tells when it is posted again
        words = None if since is None else content.strip()
        return await self._doubts.settled(
            thread, [body.nonce], lambda: self._look(thread, body, start, words)
        )

    async def _look(self, thread: Thread, body: Body, start: float, words: str | None) -> MessageRef | None:
        """Look for what has buttons about the same, or says the *words*.

        What another process may have said of something else has the same words; then they are None.
        """
        place = await self._places.find(thread)
        channel = self._client.get_partial_messageable(place.channel)
        after = datetime.fromtimestamp(start, UTC)
        page = await self._calls.call(lambda: _newest(channel, after))
        subjects = {button.value for button in body.buttons if button.value and button.action != FORGET}
        for message in page:
            ref = MessageRef(thread, str(message.id))
            if message.author != self._client.user or ref in self._known:
                continue
            if message.content.strip() == words or not subjects.isdisjoint(_subjects(message)):
                return ref
        return None


async def _newest(channel: discord.PartialMessageable, after: datetime) -> list[discord.Message]:
    return [one async for one in channel.history(limit=_MOST, after=after, oldest_first=False)]


def _subjects(message: discord.Message) -> Iterator[str]:
    """Yield what the buttons of a message are about."""
    for row in message.components:
        for button in getattr(row, "children", ()):
            if isinstance(button, discord.Button) and button.custom_id is not None:
                parsed = parse_custom_id(button.custom_id)
                if parsed is not None:
                    yield parsed[1]
