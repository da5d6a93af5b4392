"""Whose a channel's files are: another app in the same workspace does not see them, but gone they are not."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from bot.chat import ChatError, NotAllowed
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable

    from adapters.slack.workspaces import Workspaces
    from bot.incoming import IncomingFile
    from bot.owners import Owners
    from pipeline.domain import Scope

logger = logging.getLogger(__name__)


class Owned:
    """Knows for each channel which app was the last to take a file in."""

    def __init__(self, owners: Owners, workspaces: Workspaces) -> None:
        self._owners = owners
        self._workspaces = workspaces

    async def take(self, file: IncomingFile, receive: Callable[[IncomingFile], Awaitable[object]]) -> object:
        """Hand a file on; whoever is shown one is shown all of its channel."""
        kept = receive(file)
        await self._note(file.thread.scope)
        return await kept

    async def adopt(self, scopes: Iterable[Scope]) -> None:
        """Note that channels are this app's of which nobody knows whose they are."""
        for scope in scopes:
            if await self._owners.last(scope.workspace, channel=scope.channel) is None:
                await self._note(scope)

    async def others(self, scopes: Iterable[Scope]) -> list[Scope]:
        """Return the channels that are another app's, or of a workspace that this one is not installed in.

        Raises `ChatError` or `PipelineError`.
        """
        found = []
        for scope in scopes:
            try:
                if await self._is_others(scope):
                    found.append(scope)
            except NotAllowed:
                found.append(scope)
        return found

    async def gone(self, scope: Scope, source: str, ask: Callable[[Scope, str], Awaitable[bool]]) -> bool:
        """Tell whether a file has left a channel, as far as this app can know. Raises `ChatError`."""
        return not await self._is_others(scope) and await ask(scope, source)

    async def _is_others(self, scope: Scope) -> bool:
        own = (await self._workspaces.identity(scope.workspace)).user_id
        return await self._owners.other(scope.workspace, own, channel=scope.channel) is not None

    async def _note(self, scope: Scope) -> None:
        try:
            own = (await self._workspaces.identity(scope.workspace)).user_id
            await self._owners.note(scope.workspace, own, channel=scope.channel)
        except (ChatError, PipelineError) as error:
            logger.warning("whose a channel is was not noted: %s", type(error).__name__)
