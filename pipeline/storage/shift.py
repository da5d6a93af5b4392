"""What belongs to one stretch of a worker's work."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine


class Shift:
    """The jobs under way, and the two bells: something may be due, and all has to end."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self.ending = asyncio.Event()
        self.jobs: set[asyncio.Task[None]] = set()

    def start(self, job: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(job)
        self.jobs.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self.jobs.discard(task)
        self.wake.set()

    async def wait(self, seconds: float | None = None) -> None:
        if self.jobs:
            await asyncio.wait(self.jobs, timeout=seconds)

    async def end(self) -> None:
        """Have the jobs that are left put back; cancelling them could cut off their last write."""
        self.ending.set()
        await self.wait()
