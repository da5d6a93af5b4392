"""What a channel's people chose: how the bot behaves there."""

from __future__ import annotations

import logging
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pipeline.errors import PipelineError
from pipeline.verdicts import Mode

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.domain import Scope

logger = logging.getLogger(__name__)


Value = TypeVar("Value", bound=StrEnum)


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
    answers: Mode = Mode.STREAMING
    """Whether answers are shown while they are written, or once they are checked."""


class PreferenceStore(Protocol):
    """Keeps the settings of every channel."""

    default: Preferences
    """What counts where a channel chose nothing."""

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

    def __init__(self, choices: Choices, default: Preferences | None = None) -> None:
        self._choices = choices
        self.default = default or Preferences()

    async def read(self, scope: Scope) -> Preferences:
        chosen = await self._choices.find(scope)
        return Preferences(
            follow_ups=_value(FollowUps, chosen.get("follow_ups"), self.default.follow_ups),
            answers=_value(Mode, chosen.get("answers"), self.default.answers),
        )

    async def write(self, scope: Scope, preferences: Preferences) -> None:
        """Keep what changes; what stays as it is goes on following the default."""
        before = asdict(await self.read(scope))
        changed = {name: value for name, value in asdict(preferences).items() if value != before[name]}
        await self._choices.save(scope, changed)


def kept_preferences(choices: Choices, mode: str) -> KeptPreferences:
    """Return what the channels chose; *mode* is how answers are shown where nobody chose."""
    return KeptPreferences(choices, Preferences(answers=Mode(mode)))


async def known_preferences(store: PreferenceStore | None, scope: Scope) -> Preferences:
    """Return what a channel chose; the defaults while nobody can tell, for a question cannot wait for it."""
    if store is None:
        return Preferences()
    try:
        return await store.read(scope)
    except PipelineError as error:
        logger.warning("a channel's settings are unknown: %s", type(error).__name__)
        return store.default


def _value(values: type[Value], value: object, default: Value) -> Value:
    """Return the value of that name; the default for none, and for one that a newer program has kept."""
    try:
        return values(str(value)) if value is not None else default
    except ValueError:
        logger.warning("a channel's setting is unknown here, so the default is used")
        return default
