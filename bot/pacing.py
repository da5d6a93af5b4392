"""When may the next edit go out, so that the last one always can."""

from __future__ import annotations

import asyncio
from collections import deque
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
CALM = 15.0
"""Seconds without a limit that halve a grown interval. Platforms count over a minute at most, after which the
widest is back to normal; where little is said, hardly any call lands that would narrow it."""
LEAST = 0.05
"""Seconds that are waited after a limit at least, also where the platform says "now": clocks differ."""

RECENT = 64
"""Budgets that are remembered although nobody uses them: between two questions they may still be used up."""

_NONE = 1e-6
"""Seconds that are no wait, but what is left of one when numbers are rounded."""


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

    It is a bucket that holds *burst* calls and gets one more every *interval*. A final edit waits for nothing
    but a wait that the platform asked for, and while one is pending no intermediate edit may take its place.
    What the platform once asked for makes it careful; calls that land and time make it less so.
    """

    def __init__(self, interval: float, burst: int = 1) -> None:
        self._base = interval
        self._interval = interval
        self._ahead = max(burst, 1) - 1
        """Calls that may go out before their time."""
        self._free = 0.0
        """When the bucket is full again."""
        self._blocked = 0.0
        self._finals = 0
        self._eased = 0.0
        """Until when time has made it less careful."""

    @property
    def interval(self) -> float:
        """Seconds between two edits as things stand."""
        return self._interval

    def delay(self, now: float, *, final: bool = False) -> float:
        """Return how many seconds to wait before asking again; 0: go, and `take` the slot."""
        if final:
            return max(0.0, self._blocked - now)
        self._ease(now)
        pending = max(self._interval, self._base) if self._finals else 0.0
        due = self._free - self._ahead * self._interval
        wait = max(pending, self._blocked - now, due - now)
        return wait if wait > _NONE else 0.0

    def take(self, now: float) -> None:
        """Note that a call goes out."""
        self._ease(now)
        self._free = max(self._free, now) + self._interval

    def landed(self) -> None:
        """Note that the platform took a call."""
        self._interval = max(self._base, self._interval * NARROW)

    def limited(self, now: float, retry_after: float) -> None:
        """Note that the platform asked to wait *retry_after* seconds: the bucket was empty."""
        self._ease(now)
        self._blocked = max(self._blocked, now + max(LEAST, retry_after))
        self._eased = self._blocked
        self._interval = min(max(self._interval, 0.1) * WIDEN, max(self._base, 0.1) * WIDEST)
        self._free = max(self._free, self._blocked + self._ahead * self._interval)

    def _ease(self, now: float) -> None:
        """Narrow a grown interval, and what is owed with it, by the time since the last limit was over."""
        if now <= self._eased:
            return
        grown = self._interval
        self._interval = max(self._base, grown * 0.5 ** ((now - self._eased) / CALM))
        self._eased = now
        if grown > 0:
            self._free = now + (self._free - now) * min(1.0, self._interval / grown)

    @contextmanager
    def finishing(self) -> Iterator[None]:
        """Hold back every intermediate edit while a final one is pending."""
        self._finals += 1
        try:
            yield
        finally:
            self._finals -= 1


class Limiters:
    """The limiters of one process; one that nobody has used for long is forgotten."""

    def __init__(self) -> None:
        self._limiters: WeakValueDictionary[str, Limiter] = WeakValueDictionary()
        self._recent: deque[Limiter] = deque(maxlen=RECENT)

    def of(self, thread: Thread, capabilities: Capabilities, *, streaming: bool = False) -> Limiter:
        """Return the limiter of the budget that an edit in *thread*, or a piece of a stream, uses up."""
        if capabilities.edit_share is Share.THREAD:
            key = str(thread)
        else:
            key = f"{thread.scope.platform}:{thread.scope.workspace}"
        interval = capabilities.edit_interval
        if streaming:
            key += " stream"
            interval = interval if capabilities.stream_interval is None else capabilities.stream_interval
        limiter = self._limiters.get(key)
        if limiter is None:
            limiter = self._limiters[key] = Limiter(interval or 0.0, capabilities.burst)
        self._recent.append(limiter)
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
