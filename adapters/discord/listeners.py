"""Who hears what of all that happens in Discord."""

from __future__ import annotations

from typing import TYPE_CHECKING

from adapters.discord.catchup import Catchup
from adapters.discord.departures import Departures
from adapters.discord.messages import Messages
from adapters.discord.reactions import Reactions
from adapters.discord.surroundings import Surroundings

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import discord

    from adapters.discord.cursors import Cursors
    from adapters.discord.desk import Desk


class Listeners:
    """Hand everything to the desk, in the order in which it came."""

    def __init__(self, desk: Desk, cursors: Cursors, *, sleep: Callable[[float], Awaitable[None]]) -> None:
        self._desk = desk
        self.catchup = Catchup(desk.calls, cursors, sleep=sleep)
        departures = Departures(desk.library, desk.places, desk.platform.removals.receive)
        self.messages = Messages(desk, self.catchup, departures, sleep=sleep)
        self.surroundings = Surroundings(desk, self.catchup, departures, self.messages, sleep=sleep)
        self._reactions = Reactions(desk.platform, desk.places, desk.client)

    def reacted(self, reaction: discord.RawReactionActionEvent) -> None:
        """Take an emoji at a message."""
        self._desk.tasks.start(self._reactions.take(reaction), name="reaction")

    async def settled(self) -> None:
        """Return when everything so far was handed on."""
        await self.messages.settled()
        await self._desk.tasks.settled()

    async def stop(self) -> None:
        """Break off; what was not handed on is read up by the next start."""
        await self.surroundings.stop()
        await self.messages.stop()
        await self._desk.tasks.stop()
