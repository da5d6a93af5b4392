"""How often a platform may be called: refused here, before it has to."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, TypeVar

from bot.chat import RateLimited

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Window:
    """At most *most* calls within *seconds*."""

    seconds: float
    most: int


SHARE = 0.8
"""The part of a budget that calls may use up which can as well be left out."""

Key = TypeVar("Key")
"""What shares a budget."""


class Windows(Generic[Key]):
    """The calls of the last *seconds*. Times are those of one monotonic clock."""

    def __init__(self, seconds: float) -> None:
        """Keep in mind what was counted for *seconds*, the length of the longest window."""
        self._seconds = seconds
        self._sent: dict[Key, deque[float]] = {}
        self._blocked: dict[Key, float] = {}
        self._swept = 0.0

    def count(
        self,
        budgets: Sequence[tuple[Key, tuple[Window, ...]]],
        now: float,
        *,
        intermediate: bool = False,
    ) -> None:
        """Count a call that goes out now. Raises `RateLimited`, with the seconds until all have room.

        An *intermediate* call, which may as well be left out, leaves part of the budgets to the others.
        """
        self._sweep(now)
        self.check(budgets, now, intermediate=intermediate)
        for key, _ in budgets:
            self._sent.setdefault(key, deque()).append(now)

    def check(
        self,
        budgets: Sequence[tuple[Key, tuple[Window, ...]]],
        now: float,
        *,
        intermediate: bool = False,
    ) -> None:
        """Raise `RateLimited` when there is no room for a call; nothing is counted."""
        share = SHARE if intermediate else 1.0
        wait = max(self._wait(key, windows, now, share) for key, windows in budgets)
        if wait > 0:
            raise RateLimited(wait)

    def room(self, key: Key, window: Window, now: float) -> int:
        """Return how many calls there is room for now."""
        if self._blocked.get(key, now) > now:
            return 0
        return window.most - sum(at > now - window.seconds for at in self._sent.get(key, ()))

    def block(self, key: Key, now: float, seconds: float) -> None:
        """Note that the platform takes nothing of this for so many seconds."""
        self._blocked[key] = max(self._blocked.get(key, now), now + seconds)

    def __len__(self) -> int:
        """How many budgets are kept in mind."""
        return len(self._sent.keys() | self._blocked.keys())

    def _wait(self, key: Key, windows: tuple[Window, ...], now: float, share: float) -> float:
        waits = [self._blocked.get(key, now) - now]
        sent = self._sent.get(key, deque())
        for window in windows:
            most = max(1, int(window.most * share))
            if len(sent) >= most:
                waits.append(sent[-most] + window.seconds - now)
        return max(waits)

    def _sweep(self, now: float) -> None:
        """From time to time, forget what counts no longer."""
        if now - self._swept < self._seconds:
            return
        self._swept = now
        self._blocked = {key: until for key, until in self._blocked.items() if until > now}
        for sent in self._sent.values():
            while sent and sent[0] <= now - self._seconds:
                sent.popleft()
        self._sent = {key: sent for key, sent in self._sent.items() if sent}
