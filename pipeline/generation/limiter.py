"""Who may use a model server next: answers before background work, first come first served within each."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


class Priority(IntEnum):
    """What goes first; the smaller number wins."""

    ANSWER = 0
    """Somebody is waiting for it."""
    BACKGROUND = 1
    """Summaries and bulk embedding."""


class _Waiter:
    """One caller in the queue. It belongs to the loop that waits, never to the limiter."""

    def __init__(self, priority: Priority, tell: Callable[[int], None] | None) -> None:
        self.priority = priority
        self.granted: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._tell = tell
        self._place: int | None = None

    def stand(self, place: int) -> None:
        """Tell the caller its *place*, counted from 1, if it changed."""
        if place != self._place:
            self._place = place
            if self._tell is not None:
                self._tell(place)


class Limiter:
    """Lets at most *max_concurrency* callers through at a time; safe against cancellation at any point."""

    def __init__(self, max_concurrency: int = 1) -> None:
        if max_concurrency < 1:
            raise ValueError("max_concurrency must be at least 1")
        self._free = max_concurrency
        self._queue: list[_Waiter] = []

    @asynccontextmanager
    async def slot(
        self, priority: Priority, *, waiting: Callable[[int], None] | None = None
    ) -> AsyncIterator[None]:
        """Hold one of the slots; *waiting* is told the place in the queue whenever it changes."""
        await self._enter(priority, waiting)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, priority: Priority, waiting: Callable[[int], None] | None) -> None:
        if self._free and not self._queue:
            self._free -= 1
            return
        waiter = _Waiter(priority, waiting)
        before = sum(other.priority <= priority for other in self._queue)
        self._queue.insert(before, waiter)
        self._announce()
        try:
            await waiter.granted
        except asyncio.CancelledError:
            if waiter in self._queue:
                self._queue.remove(waiter)
                self._announce()
            else:
                # cancelled between the grant and its delivery: the slot is ours to pass on
                self._leave()
            raise

    def _leave(self) -> None:
        if self._queue:
            self._queue.pop(0).granted.set_result(None)
            self._announce()
        else:
            self._free += 1

    def _announce(self) -> None:
        for place, waiter in enumerate(self._queue, start=1):
            waiter.stand(place)


class Limiters:
    """One limiter per model server; whoever wires the program holds this."""

    def __init__(self, max_concurrency: int = 1) -> None:
        self._max_concurrency = max_concurrency
        self._by_server: dict[str, Limiter] = {}

    def of(self, server: str) -> Limiter:
        """Return the limiter of the server at this base URL."""
        return self._by_server.setdefault(server.rstrip("/"), Limiter(self._max_concurrency))
