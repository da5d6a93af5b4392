"""Who asks for something, for which workspace it counts, and how they are answered."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.addressing import PLATFORM
from adapters.slack.manifest import COMMAND
from adapters.slack.whispers import Whispers
from bot import wording
from bot.asides import Asker, answered
from bot.chat import ChatError, Thread
from bot.records import Caller, Customs
from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from adapters.slack.interactions import Spot
    from adapters.slack.listeners import Desk
    from bot.chat import Body

logger = logging.getLogger(__name__)

LESSON = (
    "**How to use me**\n\n"
    "- **Ask:** mention me with a question, or write to me directly. I answer from the files of that "
    "channel only, and each [1] leads to a file and a place in it.\n"
    "- **Add files:** upload them to a channel where I am a member. For an older message choose "
    "“Index this” from its menu.\n"
    f"{wording.LESSON}\n"
    "- **In a thread** there are no commands in Slack: mention me with `help`, `reset` or `stop` alone."
)
CUSTOMS = Customs(
    prefix=f"{COMMAND} ",
    in_threads=False,
    buttons=True,
    managers="the channel's creator and the workspace's admins",
    lesson=f"{LESSON}\n\n**Commands**",
)
"""How commands are given in Slack, and what people should know about the bot there."""

_INVITE = (
    "I am not a member of this channel. Invite me with `/invite`, and I answer "
    "from the files that are shared here."
)
_STRANGER = (
    "I show a channel's documents to its members only, and Slack tells me that you are none. "
    "Join the channel, and try again in a few minutes."
)
_UNKNOWN = (
    "I show a private channel's documents to its members only, and Slack does not tell me just now who they "
    "are. Please try again in a minute."
)


class Clerk:
    """Looks after one person's request at a time."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._whispers = Whispers(desk.adapter.calls)

    async def workspace(self, spot: Spot) -> str | None:
        """Return the workspace whose installation is meant; None: we are installed in none of them."""
        for team in spot.teams:
            try:
                identity = await self._desk.workspaces.identity(team)
            except ChatError:
                continue
            if spot.bot in {None, identity.user_id}:
                return team
        logger.info("something was done for a workspace where the app is not installed")
        return None

    def asker(self, team: str, spot: Spot) -> Asker:
        """Return whoever is at *spot*. Slack is asked about them, so only where that matters."""
        return Asker(
            author=spot.user,
            caller=lambda: self._caller(team, spot),
            refusal=lambda: self.refusal(team, spot),
        )

    async def refusal(self, team: str, spot: Spot) -> str | None:
        """Return why whoever is at *spot* is told nothing of the channel; None: they may know.

        Where Slack does not say who is a member, whoever can act in a public channel could read it anyway.
        """
        people = self._desk.people
        identity = await self._desk.workspaces.identity(team)
        if await people.is_member(team, spot.channel, identity.user_id) is False:
            return _INVITE
        is_member = await people.is_member(team, spot.channel, spot.user)
        if is_member is None:
            return _UNKNOWN if spot.closed else None
        return None if is_member else _STRANGER

    async def say(self, team: str, spot: Spot, body: Body, *, directly: bool = False) -> None:
        """Show *body* to whoever is at *spot*, and to nobody else."""
        await self._whispers.say(team, spot, body, directly=directly)

    async def answer(
        self, team: str, spot: Spot, work: Awaitable[Body | None], *, directly: bool = False
    ) -> None:
        """Show what *work* comes to, or why it failed; None was shown already."""
        body = await answered(work)
        if body is not None:
            await self.say(team, spot, body, directly=directly)

    async def _caller(self, team: str, spot: Spot) -> Caller:
        people = self._desk.people
        outside = not await people.belongs(team, spot.user)
        manages = not outside and await people.manages(team, spot.channel, spot.user)
        return Caller(author=spot.user, manages=manages, outside=outside)


def thread_at(team: str, spot: Spot) -> Thread:
    """Return the thread that *spot* is in. Raises `InvalidScope`, and `ValueError` if it is in none."""
    return Thread(scope_at(team, spot), spot.thread or "")


def scope_at(team: str, spot: Spot) -> Scope:
    """Return the scope of the channel of *spot*. Raises `InvalidScope`."""
    return Scope(PLATFORM, team, spot.channel)
