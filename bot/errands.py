"""Work that goes on after a platform has its answer: kept, bounded, and never silently lost."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine

logger = logging.getLogger(__name__)

AT_ONCE = 16


class Errands:
    """Tasks of which *at_once* run at the same time; the others wait in the order in which they came."""

    def __init__(self, *, at_once: int = AT_ONCE) -> None:
        self._room = asyncio.Semaphore(at_once)
        self._tasks: set[asyncio.Task[None]] = set()

    def __len__(self) -> int:
        return len(self._tasks)

    def start(self, work: Coroutine[Any, Any, object], *, name: str) -> Awaitable[object]:
        """Begin *work* and return at once; must be called on a running loop. What it raises is logged.

        What is returned is done when the work is.
        """
        task = asyncio.create_task(self._run(work, name), name=name)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: work.close())  # of one that was cancelled before it began
        return task

    async def settled(self) -> None:
        """Return when all work so far is done."""
        while self._tasks:
            await asyncio.wait(self._tasks)

    async def stop(self) -> int:
        """Break off what is left, and return how much that was."""
        left = list(self._tasks)
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        return len(left)

    async def _run(self, work: Coroutine[Any, Any, object], name: str) -> None:
        try:
            async with self._room:
                await work
        except Exception as error:  # one that fails stops no other
            # its text may quote people
            logger.warning("'%s' failed: %s", name, type(error).__name__)
            logger.debug("'%s' failed", name, exc_info=error)
