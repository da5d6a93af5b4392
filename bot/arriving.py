"""Which files are on their way into their channels: from first word of each until it is ready or refused."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from pipeline.addresses import place_of
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from bot.chat import Thread
    from pipeline.domain import Scope


class Coming:
    """One part of a file's way; whoever sees to it says when it is over."""

    def __init__(self, thread: Thread, place: str, forget: Callable[[Coming], None]) -> None:
        self.thread = thread
        self.place = place
        self.over = asyncio.Event()
        self._forget = forget

    def end(self) -> None:
        """Note that this part of the way is over; whatever comes next has begun before."""
        self._forget(self)
        self.over.set()


class Arriving:
    """The files on their way, as far as this process sees to them."""

    def __init__(self, searchable: Callable[[Scope], Awaitable[bool]] | None = None) -> None:
        """*searchable* tells whether a channel has files that questions are answered from already."""
        self._searchable = searchable
        self._coming: set[Coming] = set()

    def expect(self, thread: Thread, source: str) -> Coming:
        """Know that a file from *source*, shared in *thread*, is on its way into the channel."""
        coming = Coming(thread, place_of(source), self._coming.discard)
        self._coming.add(coming)
        return coming

    def count(self, scope: Scope) -> int:
        """Return how many files are on their way into a channel."""
        return len({coming.place for coming in self._coming if coming.thread.scope == scope})

    async def wanted(self, thread: Thread) -> frozenset[str]:
        """Return the places of the files that a question in *thread* may be about.

        Those that came in its thread, or all of a channel that has nothing to search yet.
        """
        coming = [one for one in self._coming if one.thread.scope == thread.scope]
        here = [one for one in coming if one.thread == thread]
        if not here and coming and await self._is_searchable(thread.scope):
            return frozenset()
        return frozenset(one.place for one in here or coming)

    async def ended(self, scope: Scope, places: Collection[str]) -> None:
        """Return when no file from *places* is on its way into a channel any more."""
        while coming := [one for one in self._coming if one.thread.scope == scope and one.place in places]:
            await coming[0].over.wait()

    async def _is_searchable(self, scope: Scope) -> bool:
        try:
            return self._searchable is None or await self._searchable(scope)
        except PipelineError:  # whoever searches says so
            return True
