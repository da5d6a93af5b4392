"""How often a session may begin: Discord changes the token of a bot that begins a thousand within a day.

A session that Discord ends at once is followed by the next, and by the next. So the more began of late, the
longer is the pause before another one; what other processes began, Discord knows.
"""

from __future__ import annotations

import time
from collections import defaultdict, deque
from typing import TYPE_CHECKING

import discord

if TYPE_CHECKING:
    from collections.abc import Callable

FIRST_S = 5.0
"""Seconds between the second session of an hour and the third; each further pause is twice as long."""
LONGEST_S = 600.0
HOUR_S = 3600.0
UNHURRIED = 2
"""Sessions of an hour that wait for nothing: one ends, and another takes its place."""
RESERVE = 20
"""Sessions that are left to whoever mends things, before the last of a day begins."""


class Restless(discord.DiscordException):
    """Sessions end as soon as they begin, so the next one has to wait."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"the next session begins in {seconds:.0f} s")
        self.seconds = seconds


class Sessions:
    """The sessions that this process began, by the number of their shard."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._begun: defaultdict[int, deque[float]] = defaultdict(deque)

    def pause(self, shard: int | None) -> float:
        """Return the seconds until the next session may begin."""
        begun, now = self._begun[shard or 0], self._monotonic()
        while begun and now - begun[0] > HOUR_S:
            begun.popleft()
        if len(begun) < UNHURRIED:
            return 0.0
        gap = min(LONGEST_S, FIRST_S * 2.0 ** (len(begun) - UNHURRIED))
        return max(0.0, begun[-1] + gap - now)

    def begin(self, shard: int | None) -> None:
        """Note that one begins now."""
        self._begun[shard or 0].append(self._monotonic())
