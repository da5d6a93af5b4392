"""Who asks for something, for which workspace it counts, and how they are answered."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from adapters.slack.addressing import PLATFORM
from adapters.slack.manifest import COMMAND
from adapters.slack.whispers import Whispers
from bot.chat import Body, ChatError, Thread
from bot.records import Caller, Customs
from pipeline.domain import Scope
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from adapters.slack.interactions import Spot
    from adapters.slack.listeners import Desk

logger = logging.getLogger(__name__)

LESSON = (
    "**How to use me**\n\n"
    "- **Ask:** mention me with a question, or write to me directly. I answer from the files of that "
    "channel only, and each [1] leads to a file and a place in it.\n"
    "- **Add files:** upload them to a channel where I am a member. For an older message choose "
    "“Index this” from its menu.\n"
    "- **Ask on:** write in the same thread; I remember what was said there.\n"
    "- **Judge:** 👍 and 👎 under an answer tell whoever runs me how good it was. “Sources” shows the "
    "passages at length, “Why this answer” how it came about.\n"
    "- **In a thread** there are no commands in Slack: mention me with `help`, `reset` or `stop` alone."
)
CUSTOMS = Customs(
    prefix=f"{COMMAND} ",
    managers="the channel's creator and the workspace's admins",
    lesson=f"{LESSON}\n\n**Commands**",
)
"""How commands are given in Slack, and what people should know about the bot there."""


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

    async def caller(self, team: str, spot: Spot) -> Caller:
        """Return who asks and what they may do. Slack is asked, so only where that matters."""
        people = self._desk.people
        outside = not await people.belongs(team, spot.user)
        manages = not outside and await people.manages(team, spot.channel, spot.user)
        return Caller(author=spot.user, manages=manages, outside=outside)

    async def say(self, team: str, spot: Spot, body: Body, *, directly: bool = False) -> None:
        """Show *body* to whoever is at *spot*, and to nobody else."""
        await self._whispers.say(team, spot, body, directly=directly)

    async def answer(
        self, team: str, spot: Spot, work: Awaitable[Body | None], *, directly: bool = False
    ) -> None:
        """Show what *work* comes to, or why it failed; None was shown already."""
        try:
            body = await work
        except PipelineError as error:
            body = Body(text=str(error))
        except Exception as error:  # whoever asks is answered
            # the text of an error may quote people
            logger.warning("a request failed: %s", type(error).__name__)
            logger.debug("a request failed", exc_info=True)
            body = Body(text="Something went wrong here; the log has it. Please try again in a minute.")
        if body is not None:
            await self.say(team, spot, body, directly=directly)


def thread_at(team: str, spot: Spot) -> Thread:
    """Return the thread that *spot* is in. Raises `InvalidScope`, and `ValueError` if it is in none."""
    return Thread(scope_at(team, spot), spot.thread or "")


def scope_at(team: str, spot: Spot) -> Scope:
    """Return the scope of the channel of *spot*. Raises `InvalidScope`."""
    return Scope(PLATFORM, team, spot.channel)
