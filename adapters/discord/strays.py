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
from bot.chat import MessageGone, MessageRef, NotAllowed
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

_BACK = 600.0
"""Seconds before a doubt that are looked at: Discord's clock and ours may differ by as much."""
_DAY = 86_400.0
"""Seconds that are looked at for what a process that died may have left."""
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
        self._doubts: Doubts[tuple[Thread, str]] = Doubts(wall)
        self._known: Recent[MessageRef, None] = Recent()

    def doubting(self, thread: Thread, nonce: str | None) -> AbstractContextManager[None]:
        """Note a doubt when what happens within leaves one."""
        return self._doubts.about(None if nonce is None else (thread, nonce))

    def know(self, ref: MessageRef) -> None:
        """Note that somebody here knows of a message."""
        self._known.note(ref, None)

    async def find(self, thread: Thread, body: Body, content: str) -> MessageRef | None:
        """Look for a post of *body*, which reads *content*, where there is a doubt; None: none is found.

        Raises `RateLimited` or `Unreachable` when it cannot be told now. Where the bot may not read what was
        said it never can, and a second message is better than none.
        """
        key = thread, body.nonce or ""
        since = self._doubts.since(key)
        if body.nonce is None or (since is None and not body.repeated):
            return None
        if since is not None and self._wall() - since < REMEMBERED:
            return None  # Discord tells when it is posted again
        try:
            found = await self._look(thread, body, content, since)
        except (NotAllowed, MessageGone):
            found = None
        self._doubts.settle(key)
        return found

    async def _look(self, thread: Thread, body: Body, content: str, since: float | None) -> MessageRef | None:
        start = self._wall() - _DAY if since is None else since - _BACK
        place = await self._places.find(thread)
        channel = self._client.get_partial_messageable(place.channel)
        after = datetime.fromtimestamp(start, UTC)
        page = await self._calls.call(lambda: _newest(channel, after))
        subjects = {button.value for button in body.buttons if button.value and button.action != FORGET}
        for message in page:
            ref = MessageRef(thread, str(message.id))
            if message.author != self._client.user or ref in self._known:
                continue
            # another process may have said the same of something else, so its words prove nothing
            reads_so = since is not None and message.content.strip() == content.strip()
            if reads_so or not subjects.isdisjoint(_subjects(message)):
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
