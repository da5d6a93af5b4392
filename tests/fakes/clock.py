"""A clock for tests: time passes when everybody sleeps, and at once."""

from __future__ import annotations

import asyncio
import heapq
import time
from datetime import UTC, datetime, timedelta

ROUNDS = 50
"""Turns of the event loop in which others may act before time passes."""


class FakeClock:
    """Virtual time that all callers share.

    A sleeper is woken when nobody else has anything left to do before its time: so ten answers that wait one
    second each take one second together, and no test waits at all. `advance` moves time by hand.
    """

    def __init__(self, start: datetime = datetime(2026, 1, 1, tzinfo=UTC)) -> None:
        self._start = start
        self._seconds = 0.0
        self._sleepers: list[tuple[float, int, asyncio.Future[None]]] = []
        self._count = 0
        self._pump: asyncio.Task[None] | None = None
        self.slept: list[float] = []
        """Every sleep that was asked for, in order."""

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._seconds

    def now(self) -> datetime:
        """The wall clock, in UTC."""
        return self._start + timedelta(seconds=self._seconds)

    def advance(self, seconds: float) -> None:
        """Let time pass without waking anybody yet."""
        self._seconds += seconds

    async def sleep(self, seconds: float) -> None:
        """Return when *seconds* of virtual time are over."""
        self.slept.append(seconds)
        future = asyncio.get_running_loop().create_future()
        self._count += 1
        heapq.heappush(self._sleepers, (self._seconds + max(0.0, seconds), self._count, future))
        if self._pump is None or self._pump.done():
            self._pump = asyncio.create_task(self._run(), name="fake clock")
        await future

    async def _run(self) -> None:
        while self._sleepers:
            for _ in range(ROUNDS):
                await asyncio.sleep(0)
            while self._sleepers and self._sleepers[0][2].done():
                heapq.heappop(self._sleepers)  # its sleeper was cancelled
            if self._sleepers:
                due, _, future = heapq.heappop(self._sleepers)
                self._seconds = max(self._seconds, due)
                future.set_result(None)


class Wall:
    """A clock on the wall that somebody may turn by setting `now`, in seconds since 1970."""

    def __init__(self) -> None:
        self.now = time.time()

    def __call__(self) -> float:
        return self.now
