"""When may the next edit go out, so that the last one always can."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Protocol
from weakref import WeakValueDictionary

from bot.chat import Share

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from bot.chat import Capabilities, Thread

WIDEN = 2.0
"""Factor on the interval each time the platform asks to slow down."""
NARROW = 0.9
"""Factor on the interval each time it takes a call, until the interval is what it was."""
WIDEST = 16.0
"""The interval never grows beyond this many times its base."""


class Clock(Protocol):
    """Time that runs forward only, in seconds, and a way to let it pass."""

    def monotonic(self) -> float:
        """Seconds since some fixed moment."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after *seconds*."""
        ...


class Limiter:
    """One budget of edits, shared by every answer that uses it up.

    Intermediate edits keep an interval from each other. A final one waits for nothing but a wait that the
    platform asked for, and while one is pending no intermediate edit may take its place.
    """

    def __init__(self, interval: float) -> None:
        self._base = interval
        self._interval = interval
        self._free = 0.0
        self._blocked = 0.0
        self._finals = 0

    @property
    def interval(self) -> float:
        """Seconds between two edits as things stand."""
        return self._interval

    def delay(self, now: float, *, final: bool = False) -> float:
        """Return how many seconds to wait before asking again; 0: go, and `take` the slot."""
        if final:
            return max(0.0, self._blocked - now)
        pending = max(self._interval, self._base) if self._finals else 0.0
        return max(0.0, pending, self._blocked - now, self._free - now)

    def take(self, now: float) -> None:
        """Note that a call goes out."""
        self._free = max(self._free, now) + self._interval

    def landed(self) -> None:
        """Note that the platform took a call."""
        self._interval = max(self._base, self._interval * NARROW)

    def limited(self, now: float, retry_after: float) -> None:
        """Note that the platform asked to wait *retry_after* seconds."""
        self._blocked = max(self._blocked, now + max(0.0, retry_after))
        self._interval = min(max(self._interval, 0.1) * WIDEN, max(self._base, 0.1) * WIDEST)

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """Hold back every intermediate edit while a final one is pending."""
        self._finals += 1
        try:
            yield
        finally:
            self._finals -= 1


class Limiters:
    """The limiters of one process; one that nobody uses is forgotten."""

    def __init__(self) -> None:
        self._limiters: WeakValueDictionary[str, Limiter] = WeakValueDictionary()

    def of(self, thread: Thread, capabilities: Capabilities) -> Limiter:
        """Return the limiter of the budget that an edit in *thread* uses up."""
        if capabilities.edit_share is Share.THREAD:
            key = str(thread)
        else:
            key = f"{thread.scope.platform}:{thread.scope.workspace}"
        limiter = self._limiters.get(key)
        if limiter is None:
            limiter = self._limiters[key] = Limiter(capabilities.edit_interval or 0.0)
        return limiter


async def first_of(*awaitables: Awaitable[object]) -> None:
    """Wait until one of *awaitables* is done and cancel the others; whatever they return is dropped."""
    tasks = [asyncio.ensure_future(awaitable) for awaitable in awaitables]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
