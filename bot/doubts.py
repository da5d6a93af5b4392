"""Posts of which nobody knows whether they arrived, because the platform's answer was lost."""

from __future__ import annotations

import asyncio
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, TypeVar

from bot.chat import Unreachable
from bot.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Key = TypeVar("Key")


class Doubts(Generic[Key]):
    """Keeps in mind since when it has been in doubt whether something was posted."""

    def __init__(self, wall: Callable[[], float]) -> None:
        self._wall = wall
        self._since: Recent[Key, float] = Recent()

    @contextmanager
    def about(self, key: Key | None) -> Iterator[None]:
        """Note a doubt about *key* when what happens within leaves one; an earlier one stays."""
        try:
            yield
        except (Unreachable, asyncio.CancelledError):
            if key is not None and key not in self._since:
                self._since.note(key, self._wall())
            raise

    def since(self, key: Key) -> float | None:
        """Return when a doubt about *key* began, by the clock on the wall; None: there is none."""
        return self._since.get(key)

    def settle(self, key: Key) -> None:
        """Forget a doubt, because it is known now."""
        self._since.forget(key)
