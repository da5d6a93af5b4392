"""What goes wrong with the next calls of a route."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from tests.fakes.discord.errors import ApiError
from tests.fakes.faults import Mishap

Scope = Literal["user", "shared", "global"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault(Mishap):
    """One thing that goes wrong with one call of Discord's REST API."""

    body: dict[str, Any] | None = None
    """JSON; without it, a status that is not 200 comes with an HTML page."""
    headers: dict[str, str] = field(default_factory=dict)
    done: bool = False
    """It has its effect, and the answer says it had not."""


reset_before, reset_after, slow, held = Fault.reset_before, Fault.reset_after, Fault.slow, Fault.held


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
