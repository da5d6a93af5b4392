"""What goes wrong with the next calls of a route."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from tests.fakes.discord.errors import ApiError

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

    from tests.fakes.discord.rest import Call

ANY = "*"
"""In place of a route: whatever is called."""
Scope = Literal["user", "shared", "global"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong with one call."""

    status: int = 200
    body: dict[str, Any] | None = None
    """JSON; without it, a status that is not 200 comes with an HTML page."""
    headers: dict[str, str] = field(default_factory=dict)
    reset: Literal["before", "after"] | None = None
    """The connection is reset before, or after, the call had its effect."""
    done: bool = False
    """It has its effect, and the answer says it had not."""
    delay: float = 0.0
    gate: asyncio.Event | None = None
    """Awaited before the call has its effect."""
    late: bool = False
    """Delay and gate come after the effect: the answer is slow, the effect is not."""


def rate_limited(seconds: float = 1.0, scope: Scope = "user", *, via: bool = True) -> Fault:
    """Too many requests. Without *via* it comes from the network in front of Discord."""
    headers = {"Retry-After": f"{seconds:g}", "X-RateLimit-Scope": scope}
    if scope == "global":
        headers["X-RateLimit-Global"] = "true"
    body = {
        "message": "You are being rate limited.",
        "retry_after": seconds,
        "global": scope == "global",
    }
    return Fault(status=429, body=body, headers=headers | ({"Via": "1.1 google"} if via else {}))


def banned() -> Fault:
    """Refuse the address for a while, as the network in front of Discord does: a page, not JSON."""
    return Fault(status=429, headers={"Retry-After": "3600"})


def refused(code: int, status: int | None = None) -> Fault:
    """Discord refuses with one of its own codes."""
    error = ApiError(code, status=status)
    return Fault(status=error.status, body=error.described())


def http(status: int, *, done: bool = False) -> Fault:
    """Fail with a status, before or (*done*) after the call had its effect."""
    return Fault(status=status, done=done)


def reset_before() -> Fault:
    return Fault(reset="before")


def reset_after() -> Fault:
    return Fault(reset="after")


def slow(seconds: float, *, late: bool = False) -> Fault:
    return Fault(delay=seconds, late=late)


def held(gate: asyncio.Event, *, late: bool = False) -> Fault:
    """Nothing happens until *gate* is set."""
    return Fault(gate=gate, late=late)


@dataclass(slots=True, kw_only=True)
class _Planned:
    fault: Fault
    left: int | None
    skip: int
    when: Callable[[Call], bool] | None


@dataclass(slots=True)
class Faults:
    """The faults to come, by route."""

    _planned: dict[str, list[_Planned]] = field(default_factory=dict)

    def plan(
        self,
        route: str,
        fault: Fault,
        *,
        times: int | None = 1,
        skip: int = 0,
        when: Callable[[Call], bool] | None = None,
    ) -> None:
        """Let *fault* happen to the next calls (*times* None: all) for which *when* holds, after *skip*."""
        planned = _Planned(fault=fault, left=times, skip=skip, when=when)
        self._planned.setdefault(route, []).append(planned)

    def clear(self, route: str | None = None) -> None:
        """Let nothing more go wrong with *route*, or at all."""
        if route is None:
            self._planned.clear()
        else:
            self._planned.pop(route, None)

    def next(self, call: Call) -> Fault | None:
        """Return what goes wrong with this call, if anything."""
        for route in (call.route, ANY):
            planned = self._planned.get(route, [])
            if (one := _due(planned, call)) is not None:
                if one.left is not None:
                    one.left -= 1
                if one.left == 0:
                    planned.remove(one)
                return one.fault
        return None


def _due(planned: list[_Planned], call: Call) -> _Planned | None:
    for one in planned:
        if one.when is not None and not one.when(call):
            continue
        if not one.skip:
            return one
        one.skip -= 1
    return None
