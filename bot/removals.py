"""What leaves the chat platform leaves the index."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol, assert_never

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential

from bot.errands import Errands
from bot.incoming import ChannelLost, FileDeleted, FileRemoved, WorkspaceLost
from bot.pacing import first_of
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Awaitable

    from bot.incoming import Removal
    from bot.pacing import Clock
    from pipeline.domain import Scope

logger = logging.getLogger(__name__)

ATTEMPTS = 8
AT_ONCE = 1000
"""A channel that is lost must not wait behind files whose store is away."""
LONGEST = 60.0
"""Seconds between two attempts; they begin with one and double."""
GRACE = 5.0
"""Seconds that removals have when the program ends."""


class Shelves(Protocol):
    """What is kept of the platform's channels. All of it raises `PipelineError`, and may be done twice."""

    async def withdraw(self, scope: Scope, source: str) -> None:
        """Take back every document of the channel that came from *source*."""

    async def withdraw_everywhere(self, platform: str, workspace: str, source: str) -> None:
        """Take it back in every channel of the workspace."""

    async def drop(self, scope: Scope) -> None:
        """Remove everything that is kept of a channel."""

    async def drop_workspace(self, platform: str, workspace: str) -> None:
        """Remove everything that is kept of a workspace's channels."""


class Removals:
    """Everything that is taken away on one platform; done in the background, and again while it fails."""

    def __init__(self, shelves: Shelves, *, clock: Clock) -> None:
        self._shelves = shelves
        self._clock = clock
        self._errands = Errands(at_once=AT_ONCE)

    def receive(self, removal: Removal) -> Awaitable[object]:
        """Take *removal* in and return at once; must be called on a running loop.

        What is returned is done when it is removed, or given up.
        """
        return self._errands.start(self._see_to(removal), name="removal")

    async def settled(self) -> None:
        """Return when everything so far is removed, or given up."""
        await self._errands.settled()

    async def stop(self) -> None:
        """Let what is under way end, for a moment; what is queued by then is done by whoever works next."""
        await first_of(self.settled(), self._clock.sleep(GRACE))
        if left := await self._errands.stop():
            logger.warning("%d removals were broken off", left)

    async def _see_to(self, removal: Removal) -> None:
        retrying = AsyncRetrying(
            sleep=self._clock.sleep,
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_exponential(max=LONGEST),
            retry=retry_if_exception_type(PipelineError),
            reraise=True,
        )
        try:
            await retrying(self._remove, removal)
        except Exception as error:
            logger.error("a removal failed, so something is kept: %s", type(error).__name__)  # noqa: TRY400
            logger.debug("a removal failed", exc_info=error)

    async def _remove(self, removal: Removal) -> None:
        match removal:
            case FileRemoved():
                await self._shelves.withdraw(removal.scope, removal.source)
            case FileDeleted():
                await self._shelves.withdraw_everywhere(removal.platform, removal.workspace, removal.source)
            case ChannelLost():
                await self._shelves.drop(removal.scope)
            case WorkspaceLost():
                await self._shelves.drop_workspace(removal.platform, removal.workspace)
            case _:
                assert_never(removal)
