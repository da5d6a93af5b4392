"""Keep what was read from a table for as long as the table does not change."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

T = TypeVar("T")


class Cached(Generic[T]):
    """A value read from a table, and read again when the table's version is another."""

    def __init__(self, version: Callable[[], Awaitable[int]], read: Callable[[], Awaitable[T]]) -> None:
        self._version = version
        self._read = read
        self._held: tuple[int, T] | None = None

    async def get(self) -> T:
        """Return the value; it is never older than the version at the time of the call."""
        version = await self._version()
        if self._held is None or self._held[0] != version:
            self._held = (version, await self._read())
        return self._held[1]
