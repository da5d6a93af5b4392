"""What goes wrong with the next calls of a method."""

from __future__ import annotations

from dataclasses import dataclass

from tests.fakes.faults import Mishap


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Mishap):
    """One thing that goes wrong with one call of Slack's Web API."""

    error: str | None = None
    """Slack's code; with status 200 the body says ``ok: false``."""
    retry_after: float | None = None


reset_before, reset_after, slow, held = Fault.reset_before, Fault.reset_after, Fault.slow, Fault.held


def rate_limited(seconds: float = 1) -> Fault:
    return Fault(status=429, error="ratelimited", retry_after=seconds)


def error(code: str) -> Fault:
    """Status 200, and a body that says no."""
    return Fault(error=code)


def http(status: int) -> Fault:
    return Fault(status=status)
