"""What goes wrong with the next calls of a method."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One thing that goes wrong with one call."""

    status: int = 200
    error: str | None = None
    """Slack's code; with status 200 the body says ``ok: false``."""
    retry_after: float | None = None
    reset: Literal["before", "after"] | None = None
    """The connection is reset before, or after, the call had its effect."""
    delay: float = 0.0
    gate: asyncio.Event | None = None
    """Awaited before the call has its effect."""
    late: bool = False
    """Delay and gate come after the effect: the answer is slow, the effect is not."""


def rate_limited(seconds: float = 1) -> Fault:
    return Fault(status=429, error="ratelimited", retry_after=seconds)


def error(code: str) -> Fault:
    """Status 200, and a body that says no."""
    return Fault(error=code)


def http(status: int) -> Fault:
    return Fault(status=status)


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
    when: Callable[[Mapping[str, Any]], bool] | None


@dataclass(slots=True)
class Faults:
    """The faults to come, by method."""

    _planned: dict[str, list[_Planned]] = field(default_factory=dict)

    def plan(
        self,
        method: str,
        fault: Fault,
        *,
        times: int | None = 1,
        skip: int = 0,
        when: Callable[[Mapping[str, Any]], bool] | None = None,
    ) -> None:
        """Let *fault* happen to the next calls (*times* None: all) for which *when* holds, after *skip*."""
        planned = _Planned(fault=fault, left=times, skip=skip, when=when)
        self._planned.setdefault(method, []).append(planned)

    def clear(self, method: str | None = None) -> None:
        """Let nothing more go wrong with *method*, or at all."""
        if method is None:
            self._planned.clear()
        else:
            self._planned.pop(method, None)

    def next(self, method: str, arguments: Mapping[str, Any]) -> Fault | None:
        """Return what goes wrong with this call, if anything."""
        planned = self._planned.get(method, [])
        for one in planned:
            if one.when is not None and not one.when(arguments):
                continue
            if one.skip:
                one.skip -= 1
                continue
            if one.left is not None:
                one.left -= 1
                if not one.left:
                    planned.remove(one)
            return one.fault
        return None
