"""What is only worth knowing for a while."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PAUSE = 3600.0
"""Seconds until something is tried again that a platform did not allow; that may be changed meanwhile."""

Key = TypeVar("Key")
Value = TypeVar("Value")


class Recent(Generic[Key, Value]):
    """The last *most* things that were noted, by key; what was noted longest ago is forgotten first."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def note(self, key: Key, value: Value) -> None:
        """Keep *value*, in place of an earlier one."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > self._most:
            self._values.popitem(last=False)

    def get(self, key: Key) -> Value | None:
        """Return what was noted last; None: nothing, or it was forgotten."""
        return self._values.get(key)

    def forget(self, key: Key) -> None:
        """Drop what was noted, if anything was."""
        self._values.pop(key, None)

    def __contains__(self, key: object) -> bool:
        return key in self._values

    def __len__(self) -> int:
        return len(self._values)

    def items(self) -> list[tuple[Key, Value]]:
        """Return all that is kept, what was noted longest ago first."""
        return list(self._values.items())


class Pauses(Generic[Key]):
    """What is not tried again for a while."""

    def __init__(self, monotonic: Callable[[], float], seconds: float = PAUSE) -> None:
        self._monotonic = monotonic
        self._seconds = seconds
        self._ends: Recent[Key, float] = Recent()

    def begin(self, key: Key) -> None:
        """Leave *key* alone from now on."""
        self._ends.note(key, self._monotonic() + self._seconds)

    def __contains__(self, key: Key) -> bool:
        return (self._ends.get(key) or 0.0) > self._monotonic()


class Fresh(Generic[Key, Value]):
    """Answers that count for some *seconds*, the last *most* of them."""

    def __init__(self, monotonic: Callable[[], float], seconds: float, most: int) -> None:
        self._monotonic = monotonic
        self._seconds = seconds
        self._kept: Recent[Key, tuple[float, Value]] = Recent(most)

    async def get(self, key: Key, ask: Callable[[], Awaitable[Value]]) -> Value:
        """Return the answer about *key*, asking if need be.

        Raises what *ask* raises, and keeps nothing then.
        """
        kept = self._lately(key)
        if kept is None:
            kept = self._monotonic(), await ask()
            self._kept.note(key, kept)
        return kept[1]

    def note(self, key: Key, value: Value) -> None:
        """Keep an answer that was given right now."""
        self._kept.note(key, (self._monotonic(), value))

    def last(self, key: Key) -> Value | None:
        """Return the answer about *key* if it counts still; None: it does not, or there is none."""
        kept = self._lately(key)
        return None if kept is None else kept[1]

    def forget(self, key: Key) -> None:
        """Drop an answer, because it may be another one now."""
        self._kept.forget(key)

    def _lately(self, key: Key) -> tuple[float, Value] | None:
        kept = self._kept.get(key)
        return kept if kept is not None and self._monotonic() - kept[0] < self._seconds else None
