"""A wall clock that stands still until a test moves it, and sleep that follows it."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta


class FakeCalendar:
    """Call it for the time; `sleep` returns once the time was moved far enough."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
        self._sleepers: list[tuple[datetime, float, asyncio.Event]] = []
        self._changed = asyncio.Event()

    def __call__(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        """Move the time and wake everybody who is due."""
        self._now += timedelta(seconds=seconds)
        for due, _, bell in self._sleepers:
            if due <= self._now:
                bell.set()

    async def sleep(self, seconds: float) -> None:
        """Stand in for `asyncio.sleep`."""
        sleeper = (self._now + timedelta(seconds=seconds), seconds, asyncio.Event())
        self._sleepers.append(sleeper)
        self._changed.set()
        try:
            await sleeper[2].wait()
        finally:
            self._sleepers.remove(sleeper)

    async def skip(self, seconds: float) -> None:
        """Stand in for `asyncio.sleep` where nobody is to wait: the time jumps ahead."""
        self.advance(seconds)
        await asyncio.sleep(0)

    async def sleeping(self, seconds: float) -> None:
        """Wait until somebody sleeps for exactly *seconds* and has that time before them."""
        while not any(asked == seconds and not bell.is_set() for _, asked, bell in self._sleepers):
            self._changed.clear()
            await self._changed.wait()
