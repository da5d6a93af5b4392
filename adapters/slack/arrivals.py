"""Files that come, change and go: looked up first, because events carry little more than their ids."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Protocol

from bot.errands import Errands

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from adapters.slack.happenings import FileShared, FileTouched
    from bot.incoming import IncomingFile, Removal

AT_ONCE = 4
"""Files that are looked up at the same time; Slack answers about a hundred such questions a minute."""
NOTED_AT_ONCE = 1000

Key = tuple[str, str | None, str, bool]


class Files(Protocol):
    """What Slack knows of its files."""

    async def incoming(self, shared: FileShared) -> Sequence[IncomingFile]:
        """Return what there is to index; what cannot be read comes too, for fetching it says why."""

    async def removed(self, touched: FileTouched) -> Sequence[Removal]:
        """Return what is there no longer. Raises `ChatError`."""


class Reports(Protocol):
    """What was reported, kept over restarts."""

    async def note(self, file: FileShared) -> bool:
        """Keep a report; False: somebody has it."""

    async def end(self, file: FileShared) -> None:
        """Note that it was looked up."""

    async def take_over(self, *, starting: bool) -> Sequence[FileShared]:
        """Return what dead processes have left."""


class Arrivals:
    """Looks up every file that an event is about, a few at a time, and hands it on.

    One upload is reported two or three times. While a file is being looked up, only the last report that came
    meanwhile is kept: it is looked at when it tells of a change, or when the first one led to nothing.
    """

    def __init__(
        self,
        files: Files,
        reports: Reports,
        *,
        come: Callable[[IncomingFile], None],
        go: Callable[[Removal], None],
    ) -> None:
        self._files = files
        self._reports = reports
        self._come = come
        self._go = go
        self._room = asyncio.Semaphore(AT_ONCE)
        self._errands = Errands(at_once=NOTED_AT_ONCE)
        self._later: dict[Key, FileShared | None] = {}
        """What is being looked up, and what was reported of it meanwhile."""

    def shared(self, file: FileShared) -> None:
        """Look a file up and hand it on; returns at once."""
        key = (file.team, file.channel, file.file_id, file.changed)
        if key in self._later:
            self._later[key] = file
        else:
            self._later[key] = None
            self._errands.start(self._look_up(key, file), name="look a file up")

    def touched(self, file: FileTouched) -> None:
        """Find out whether a file is still there, and tell if not; returns at once."""
        self._errands.start(self._look_after(file), name="look after a file")

    async def resume(self, *, starting: bool) -> None:
        """Look up what processes that died have left."""
        for file in await self._reports.take_over(starting=starting):
            self._errands.start(self._hand_on(file), name="look a file up")

    async def settled(self) -> None:
        """Return when every file so far was looked up."""
        await self._errands.settled()

    async def stop(self) -> None:
        """Break off; what was not looked up stays reported."""
        await self._errands.stop()

    async def _look_up(self, key: Key, file: FileShared | None) -> None:
        try:
            while file is not None:
                found = await self._reports.note(file) and await self._hand_on(file)
                later, self._later[key] = self._later[key], None
                file = later if later is not None and (later.changed or not found) else None
        finally:
            del self._later[key]

    async def _hand_on(self, file: FileShared) -> bool:
        """Look *file* up and hand it on; False: there was nothing to hand on."""
        async with self._room:
            found = await self._files.incoming(file)
        for one in found:
            self._come(one)
        await self._reports.end(file)
        return bool(found)

    async def _look_after(self, file: FileTouched) -> None:
        async with self._room:
            removals = await self._files.removed(file)
        for removal in removals:
            self._go(removal)
