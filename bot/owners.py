"""Which bot each workspace's files were taken in by: another one may not see them, but gone they are not.

People may start the program with the token of another application on the same data, by mistake or to move.
What that one is not shown says nothing about the files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bot.preferences import Choices

BOT = "bot"
EVERYWHERE = "-"
"""Stands for the channel of what is known of a whole workspace."""


class Owners:
    """The bots, by the ids that one platform knows them by. Everything raises `PipelineError`."""

    def __init__(self, choices: Choices, platform: str) -> None:
        self._choices = choices
        self._platform = platform
        self._known: dict[str, str] = {}

    async def note(self, workspace: str, bot: str, *, channel: str = EVERYWHERE) -> None:
        """Keep that *bot* is the one that is there."""
        scope = self._scope(workspace, channel)
        if await self._of(scope) != bot:
            await self._choices.save(scope, {BOT: bot})
            self._known[scope.key] = bot

    async def other(self, workspace: str, bot: str, *, channel: str = EVERYWHERE) -> str | None:
        """Return the bot that was there last, if it was another one; None: it was *bot*, or nobody knows."""
        last = await self.last(workspace, channel=channel)
        return None if last == bot else last

    async def last(self, workspace: str, *, channel: str = EVERYWHERE) -> str | None:
        """Return the bot that was there last; None: nobody knows."""
        return await self._of(self._scope(workspace, channel))

    async def others(self, workspaces: Iterable[str], bot: str) -> dict[str, str]:
        """Return those of the *workspaces* in which another bot was last, with its id."""
        found = {workspace: await self.other(workspace, bot) for workspace in workspaces}
        return {workspace: other for workspace, other in found.items() if other is not None}

    def forget(self, workspace: str) -> None:
        """Look it up anew; what is kept of it is removed with everything else of the workspace."""
        start = self._scope(workspace, EVERYWHERE).key.removesuffix(EVERYWHERE)
        self._known = {key: bot for key, bot in self._known.items() if not key.startswith(start)}

    async def _of(self, scope: Scope) -> str | None:
        known = self._known.get(scope.key)
        if known is None and (kept := (await self._choices.find(scope)).get(BOT)) is not None:
            known = self._known[scope.key] = str(kept)
        return known

    def _scope(self, workspace: str, channel: str) -> Scope:
        return Scope(self._platform, workspace, channel)
