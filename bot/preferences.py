"""What a channel's people chose: how the bot behaves there."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.domain import Scope

logger = logging.getLogger(__name__)


class FollowUps(StrEnum):
    """Which messages of a thread are questions although they do not mention the bot."""

    ASKER = "asker"
    """Those of people who asked in that thread before."""
    ALWAYS = "always"
    """All of them, once anybody asked in that thread."""
    MENTION = "mention"
    """None."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preferences:
    """The settings of one channel."""

    follow_ups: FollowUps = FollowUps.ASKER


class PreferenceStore(Protocol):
    """Keeps the settings of every channel."""

    async def read(self, scope: Scope) -> Preferences:
        """Return the channel's settings; the defaults where nobody changed any. Raises `PipelineError`."""

    async def write(self, scope: Scope, preferences: Preferences) -> None:
        """Replace the channel's settings. Raises `PipelineError`."""


class Choices(Protocol):
    """Values by channel and name, as JSON can hold them."""

    async def find(self, scope: Scope) -> Mapping[str, Any]: ...
    async def save(self, scope: Scope, chosen: Mapping[str, Any]) -> None: ...


class KeptPreferences:
    """A `PreferenceStore` that knows what the kept values mean."""

    def __init__(self, choices: Choices) -> None:
        self._choices = choices

    async def read(self, scope: Scope) -> Preferences:
        chosen = await self._choices.find(scope)
        return Preferences(follow_ups=_follow_ups(chosen.get("follow_ups")))

    async def write(self, scope: Scope, preferences: Preferences) -> None:
        await self._choices.save(scope, asdict(preferences))


def _follow_ups(value: object) -> FollowUps:
    """Return the value of that name; the default for none, and for one that a newer program has kept."""
    try:
        return FollowUps(str(value)) if value is not None else FollowUps.ASKER
    except ValueError:
        logger.warning("a channel's follow-ups setting is unknown here, so the default is used")
        return FollowUps.ASKER
