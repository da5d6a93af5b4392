"""What is only worth knowing for a while."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

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
