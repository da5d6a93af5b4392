"""Which kinds of events have ever arrived: a subscription that is missing makes no other sound."""

from __future__ import annotations

import logging
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

logger = logging.getLogger(__name__)

INTERACTIVITY, SHORTCUT, COMMAND = "interactivity", "shortcut", "slash command"
_PREFIX = "slack:heard:"
_MESSAGES = {"channel": "message.channels", "group": "message.groups", "app_home": "message.im"}
_OTHERS = {"block_actions": INTERACTIVITY, "view_submission": INTERACTIVITY, "message_action": SHORTCUT}


class Memory(Protocol):
    """Keys that all replicas share and that are forgotten after a month or so."""

    async def first_time(self, key: str) -> bool:
        """Note *key*."""

    async def named(self, prefix: str) -> Sequence[str]:
        """Return the noted keys that begin with *prefix*."""


def _utc_now() -> datetime:
    return datetime.now(UTC)


class Heard:
    """A record of kinds of events, written once in a week, so that it lasts although the memory forgets."""

    def __init__(self, memory: Memory, clock: Callable[[], datetime] = _utc_now) -> None:
        self._memory = memory
        self._clock = clock
        self._noted: set[str] = set()

    async def note(self, kind: str) -> None:
        """Remember that an event of *kind* arrived; costs nothing when that was noted before. Never fails."""
        year, week, _ = self._clock().isocalendar()
        key = f"{_PREFIX}{kind}:{year}-{week:02}"
        if key in self._noted:
            return
        self._noted.add(key)
        try:
            await self._memory.first_time(key)
        except PipelineError as error:
            self._noted.discard(key)
            logger.debug("a kind of event is not noted: %s", type(error).__name__)

    async def kinds(self) -> frozenset[str]:
        """Return what arrived within the last weeks."""
        keys = await self._memory.named(_PREFIX)
        return frozenset(key.removeprefix(_PREFIX).rpartition(":")[0] for key in keys)


def kind_of(body: Mapping[str, Any]) -> str | None:
    """Return what to note for a body that Slack sent, as manifests call it; None: nothing."""
    event = body.get("event")
    if isinstance(event, dict):
        kind, channel = event.get("type"), event.get("channel_type")
        return _MESSAGES.get(channel, f"message.{channel}") if kind == "message" and channel else kind
    if "command" in body:
        return COMMAND
    return _OTHERS.get(str(body.get("type")))
