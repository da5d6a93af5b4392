"""Look now and then whether files are still where they were: platforms remove some without a word."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from bot.chat import ChatError, RateLimited
from bot.incoming import FileRemoved
from bot.pacing import first_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import AsyncIterator, Awaitable, Callable

    from bot.incoming import Removal
    from bot.pacing import Clock
    from pipeline.domain import Scope

logger = logging.getLogger(__name__)

SETTLING = 300.0
"""Seconds from the start to the first look, if the interval is not shorter."""
PAUSE = 2.0
"""Seconds between two questions: the budget for them is there for people's uploads first of all."""
TROUBLES = 3
"""A workspace that says nothing so many times on end is left alone until the next look."""


class Sources(Protocol):
    """The files that were taken in."""

    def sources(self, platform: str) -> AsyncIterator[tuple[Scope, str]]:
        """Yield where each file stays. Raises `PipelineError`."""


class Remover(Protocol):
    """Whoever takes files back."""

    def receive(self, removal: Removal) -> object:
        """Take *removal* in."""


class Recheck:
    """Asks about one file after the other, all of them in each *interval*, and never in a hurry."""

    def __init__(
        self,
        sources: Sources,
        gone: Callable[[Scope, str], Awaitable[bool]],
        remover: Remover,
        clock: Clock,
        *,
        platform: str,
        interval: float,
    ) -> None:
        """*gone* tells whether a file has left a channel, and raises `ChatError` when nobody knows."""
        self._sources = sources
        self._gone = gone
        self._remover = remover
        self._clock = clock
        self._platform = platform
        self._interval = interval
        self._troubles: dict[str, int] = {}

    async def run(self, stop: asyncio.Event) -> None:
        """Look again and again until *stop* is set."""
        await self._rest(min(SETTLING, self._interval), stop)
        while not stop.is_set():
            try:
                await self._look(stop)
            except Exception as error:
                logger.warning("a look at the files broke off: %s", type(error).__name__)
                logger.debug("a look at the files broke off", exc_info=error)
            await self._rest(self._interval, stop)

    async def _look(self, stop: asyncio.Event) -> None:
        self._troubles.clear()
        asked = removed = 0
        async for scope, source in self._sources.sources(self._platform):
            if stop.is_set():
                return
            if self._troubles.get(scope.workspace, 0) >= TROUBLES:
                continue
            asked += 1
            removed += await self._check(scope, source, stop)
            await self._rest(PAUSE, stop)
        logger.info("looked whether %d files are still there: %d are not", asked, removed)

    async def _check(self, scope: Scope, source: str, stop: asyncio.Event) -> bool:
        """Ask about one file; True: it is gone, and is being removed."""
        try:
            gone = await self._gone(scope, source)
        except RateLimited as error:
            await self._rest(error.retry_after, stop)
            return False
        except ChatError as error:
            self._troubles[scope.workspace] = self._troubles.get(scope.workspace, 0) + 1
            logger.info("whether a file is still there is unknown: %s", type(error).__name__)
            return False
        self._troubles.pop(scope.workspace, None)
        if gone:
            self._remover.receive(FileRemoved(event_id=f"recheck:{source}", scope=scope, source=source))
        return gone

    async def _rest(self, seconds: float, stop: asyncio.Event) -> None:
        await first_of(self._clock.sleep(seconds), stop.wait())
