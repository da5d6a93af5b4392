"""How often each kind of call may be made in one place, and how often it was."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

GLOBAL = "global"
MESSAGES, EDITS, OLD_EDITS = "messages", "edits", "old edits"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """At most *most* calls in *seconds*, which begin with the first of them."""

    name: str
    most: int
    seconds: float


LIMITS = (
    Limit(name=MESSAGES, most=5, seconds=5),
    Limit(name=EDITS, most=5, seconds=5),
    Limit(name=OLD_EDITS, most=3, seconds=20),
    Limit(name="deletes", most=5, seconds=1),
    Limit(name="fresh deletes", most=3, seconds=1),
    Limit(name="old deletes", most=30, seconds=120),
    Limit(name="typing", most=5, seconds=5),
    Limit(name="reactions", most=1, seconds=0.25),
    Limit(name="threads", most=50, seconds=300),
    Limit(name="history", most=5, seconds=5),
    Limit(name="fetch", most=10, seconds=5),
    Limit(name="webhook", most=5, seconds=2),
    Limit(name="other", most=50, seconds=1),
    Limit(name=GLOBAL, most=50, seconds=1),
)
"""Discord documents none of them but the last; the first ones are what bots have observed for years."""


@dataclass(slots=True)
class _Window:
    begun: float
    passed: int = 0
    asked: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one call is told about its limit."""

    limit: Limit
    remaining: int
    reset_after: float
    refused: bool = False

    @property
    def everywhere(self) -> bool:
        return self.limit.name == GLOBAL

    def headers(self, wall: float) -> dict[str, str]:
        """Return what every answer says of the bucket that the call fell into."""
        return {
            "X-RateLimit-Limit": str(self.limit.most),
            "X-RateLimit-Remaining": str(self.remaining),
            "X-RateLimit-Reset": f"{wall + self.reset_after:.3f}",
            "X-RateLimit-Reset-After": f"{self.reset_after:.3f}",
            "X-RateLimit-Bucket": hashlib.sha256(self.limit.name.encode()).hexdigest()[:32],
        }


@dataclass(slots=True)
class Rates:
    """Counts all calls; refuses those over the limit when `enforced`."""

    clock: Callable[[], float]
    enforced: bool = False
    told: bool = True
    """Whether answers carry the headers."""
    together: bool = True
    """Whether sending and editing share one limit, which Discord does not say."""
    limits: dict[str, Limit] = field(default_factory=lambda: {limit.name: limit for limit in LIMITS})
    refusals: int = 0
    _windows: dict[tuple[str, str], _Window] = field(default_factory=dict)
    _worst: dict[str, int] = field(default_factory=dict)

    def change(self, name: str, most: int, seconds: float | None = None) -> None:
        """Make a limit another one."""
        limit = self.limits[name]
        self.limits[name] = replace(limit, most=most, seconds=limit.seconds if seconds is None else seconds)

    def lift(self) -> None:
        """Make every limit so high that nobody has to wait."""
        for name in self.limits:
            self.change(name, 1_000_000)

    def take(self, name: str, place: str, *, everywhere: bool = True) -> Verdict:
        """Count one call in *place*, and towards the limit for everything."""
        own = self._take(MESSAGES if self.together and name == EDITS else name, place)
        over_all = self._take(GLOBAL, "") if everywhere else None
        worse = over_all if over_all is not None and over_all.refused and not own.refused else own
        if worse.refused:
            self.refusals += 1
        return worse

    def worst(self, name: str) -> int:
        """Return the most calls of that kind in any one window of any one place, refused ones included."""
        return self._worst.get(name, 0)

    def over(self) -> dict[str, int]:
        """Return the kinds of calls that were made more often than allowed, and how often."""
        return {name: worst for name, worst in self._worst.items() if worst > self.limits[name].most}

    def _take(self, name: str, place: str) -> Verdict:
        limit, now = self.limits[name], self.clock()
        window = self._windows.get((name, place))
        if window is None or now >= window.begun + limit.seconds:
            window = self._windows[name, place] = _Window(now)
        window.asked += 1
        self._worst[name] = max(self.worst(name), window.asked)
        refused = self.enforced and window.passed >= limit.most
        if not refused:
            window.passed += 1
        return Verdict(
            limit=limit,
            remaining=max(0, limit.most - window.passed),
            reset_after=window.begun + limit.seconds - now,
            refused=refused,
        )
