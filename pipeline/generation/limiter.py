"""Who may use a model server next: what is over in a moment, then answers, then background work."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


class Priority(IntEnum):
    """What goes first; the smaller number wins."""

    BRIEF = 0
    """The vector of a question, the sentences of an answer: somebody waits, and it is over in a moment."""
    ANSWER = 1
    """Somebody is waiting for it."""
    BACKGROUND = 2
    """Summaries and bulk embedding."""


BRIEF_BESIDE = 1
"""Brief calls that are let through beside a full house: a search would give up before an answer ends."""


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
    """Lets at most *max_concurrency* callers through at a time, and a brief one beside them.

    First come, first served within a priority; safe against cancellation at any point.
    """

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
        before = sum(other.priority <= priority for other in self._queue)
        if not before and self._has_room(priority):
            self._free -= 1
            return
        waiter = _Waiter(priority, waiting)
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
        self._free += 1
        # one that was cancelled in this turn of the loop still stands in the queue, and leaves it by itself
        following = next((waiter for waiter in self._queue if not waiter.granted.done()), None)
        if following is not None and self._has_room(following.priority):
            self._free -= 1
            self._queue.remove(following)
            following.granted.set_result(None)
            self._announce()

    def _has_room(self, priority: Priority) -> bool:
        return self._free > (-BRIEF_BESIDE if priority is Priority.BRIEF else 0)

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
