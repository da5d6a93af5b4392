"""How often each method may be called, and how often it was."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MINUTE = 60.0
TIER = {
    "agents.sessions.setStatus": 100,
    "apps.connections.open": 50,
    "apps.manifest.export": 50,
    "assistant.threads.setStatus": 600,
    "assistant.threads.setSuggestedPrompts": 100,
    "assistant.threads.setTitle": 100,
    "auth.revoke": 50,
    "auth.test": 600,
    "chat.appendStream": 100,
    "chat.delete": 50,
    "chat.getPermalink": 600,
    "chat.postEphemeral": 100,
    "chat.startStream": 20,
    "chat.stopStream": 20,
    "chat.update": 50,
    "conversations.history": 50,
    "conversations.info": 50,
    "conversations.members": 100,
    "conversations.open": 50,
    "conversations.replies": 50,
    "files.info": 100,
    "oauth.v2.access": 100,
    "reactions.add": 50,
    "reactions.remove": 20,
    "users.conversations": 50,
    "users.info": 100,
    "views.open": 100,
    "views.publish": 100,
}
"""Calls per minute, method and workspace."""
POST = "chat.postMessage"
POST_WORKSPACE = 300
"""“Several hundred” a minute over all channels."""
POST_CHANNEL = ((MINUTE, 60), (1.0, 10))
"""One a second per channel, and short bursts."""


@dataclass(frozen=True, slots=True)
class Window:
    """At most *most* calls within *seconds*."""

    key: str
    seconds: float
    most: int


@dataclass(slots=True)
class Rates:
    """Keeps the times of all calls; refuses those over the limit when `enforced`."""

    clock: Callable[[], float]
    enforced: bool = False
    _sent: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    _passed: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    def take(self, method: str, workspace: str, channel: str = "") -> int | None:
        """Count one call. Returns the seconds to wait when it is refused."""
        now = self.clock()
        self._sent[method, f"{workspace}/{channel}" if method == POST else workspace].append(now)
        windows = _windows(method, workspace, channel)
        waits = [self._wait(window, now) for window in windows]
        if self.enforced and (wait := max(waits, default=0.0)) > 0:
            return max(1, math.ceil(wait))
        for key in {window.key for window in windows}:
            self._passed[key].append(now)
        return None

    def worst(self, method: str) -> int:
        """Return the most calls of *method* in any minute, in any one workspace (for posts: channel)."""
        places = [times for (name, _), times in self._sent.items() if name == method]
        return max((_most_in(times, MINUTE) for times in places), default=0)

    def over(self) -> dict[str, int]:
        """Return the methods that were called more often than allowed, and how often."""
        allowed = {**TIER, POST: POST_CHANNEL[0][1]}
        return {name: worst for name, most in allowed.items() if (worst := self.worst(name)) > most}

    def _wait(self, window: Window, now: float) -> float:
        times = self._passed[window.key]
        recent = [at for at in times if at > now - window.seconds]
        return recent[-window.most] + window.seconds - now if len(recent) >= window.most else 0.0


def _windows(method: str, workspace: str, channel: str) -> list[Window]:
    if method == POST:
        channels = [Window(f"{POST} {workspace} {channel}", *limit) for limit in POST_CHANNEL]
        return [*channels, Window(f"{POST} {workspace}", MINUTE, POST_WORKSPACE)]
    return [Window(f"{method} {workspace}", MINUTE, TIER[method])] if method in TIER else []


def _most_in(times: Sequence[float], seconds: float) -> int:
    most = start = 0
    for end, at in enumerate(times):
        while times[start] <= at - seconds:
            start += 1
        most = max(most, end - start + 1)
    return most
