"""Files that come, change and go: looked up first, because events carry little more than their ids."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from adapters.slack.addressing import PLATFORM, channel_itself
from adapters.slack.facts import place
from bot.arriving import Arriving
from bot.chat import RateLimited, Thread, Unreachable
from bot.errands import Errands
from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from adapters.slack.happenings import FileShared, FileTouched
    from bot.arriving import Coming
    from bot.incoming import IncomingFile, Removal

logger = logging.getLogger(__name__)

AT_ONCE = 4
"""Files that are looked up at the same time; Slack answers about a hundred such questions a minute."""
NOTED_AT_ONCE = 1000
PAUSES = (15.0, 30.0, 60.0, 120.0, 240.0, *[300.0] * 10)
"""Seconds until a file is looked up again of which Slack said nothing, for about an hour."""

Key = tuple[str, str | None, str, bool]


class Files(Protocol):
    """What Slack knows of its files."""

    async def incoming(self, shared: FileShared) -> Sequence[IncomingFile]:
        """Return what there is to index; what cannot be read comes too, for fetching it says why.

        Raises `RateLimited` or `Unreachable` when it is to be looked up later.
        """

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


def _future() -> asyncio.Future[None]:
    return asyncio.get_running_loop().create_future()


@dataclass(slots=True, eq=False)
class _Work:
    """A file that is being looked up."""

    later: FileShared | None = None
    """What was reported of it meanwhile."""
    coming: list[Coming] = field(default_factory=list)
    noted: asyncio.Future[None] = field(default_factory=_future)
    """Done when the report is kept, or somebody has it."""


class Arrivals:
    """Looks up every file that an event is about, a few at a time, and hands it on.

    One upload is reported two or three times. While a file is being looked up, only the last report that came
    meanwhile is kept: it is looked at when it tells of something that the first one did not lead to.
    """

    def __init__(
        self,
        files: Files,
        reports: Reports,
        *,
        come: Callable[[IncomingFile], Awaitable[object]],
        go: Callable[[Removal], object],
        arriving: Arriving | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """*come* takes a file at once; what it returns is done when no restart can lose the file.

        *arriving* is told of every file while it is looked up.
        """
        self._files = files
        self._reports = reports
        self._come = come
        self._go = go
        self._arriving = arriving or Arriving()
        self._sleep = sleep
        self._room = asyncio.Semaphore(AT_ONCE)
        self._errands = Errands(at_once=NOTED_AT_ONCE)
        self._at_work: dict[Key, _Work] = {}

    def shared(self, file: FileShared) -> Awaitable[object]:
        """Look a file up and hand it on; returns at once.

        Whoever waits for what is returned knows that no restart loses the file.
        """
        key = (file.team, file.channel, file.file_id, file.changed)
        work = self._at_work.get(key)
        if work is not None:
            work.later = file
        else:
            work = self._at_work[key] = _Work()
            self._errands.start(self._look_up(key, file, work), name="look a file up")
        self._expect(file, work)
        return work.noted

    async def wanted(self, file: FileShared) -> bool:
        """Look up a file that somebody asks for, and hand it on; False: there is nothing left of it."""
        if not await self._reports.note(file):
            return True
        return bool(await self._hand_on_at_last(file))

    def touched(self, file: FileTouched) -> None:
        """Find out whether a file is still there, and tell if not; returns at once."""
        self._errands.start(self._look_after(file), name="look after a file")

    async def resume(self, *, starting: bool) -> None:
        """Look up what processes that died have left."""
        for file in await self._reports.take_over(starting=starting):
            self._errands.start(self._hand_on_at_last(file), name="look a file up")

    async def settled(self) -> None:
        """Return when every file so far was looked up."""
        await self._errands.settled()

    async def stop(self) -> None:
        """Break off; what was not looked up stays reported."""
        await self._errands.stop()

    def _expect(self, file: FileShared, work: _Work) -> None:
        """Let questions know of a new file; of another version they are answered from the one before."""
        if file.channel is None or file.changed:
            return
        scope = Scope(PLATFORM, file.team, file.channel)
        ts = file.thread_ts or file.ts
        thread = Thread(scope, ts) if ts else channel_itself(scope)
        work.coming.append(self._arriving.expect(thread, place(file.team, file.file_id)))

    async def _look_up(self, key: Key, file: FileShared | None, work: _Work) -> None:
        try:
            while file is not None:
                ours = await self._reports.note(file)
                _settle(work)
                found = await self._hand_on(file, work) if ours else ()
                later, work.later = work.later, None
                file = later if later is not None and _is_news(later, found) else None
        finally:
            del self._at_work[key]
            _settle(work)
            _end(work)

    async def _hand_on_at_last(self, file: FileShared) -> Sequence[IncomingFile]:
        """Hand on what nothing more is reported of."""
        work = _Work()
        self._expect(file, work)
        try:
            return await self._hand_on(file, work)
        finally:
            _end(work)

    async def _hand_on(self, file: FileShared, work: _Work) -> Sequence[IncomingFile]:
        """Look *file* up and hand it on; nothing: it is gone. While Slack is away the report stays open."""
        found = await self._found(file, work)
        for one in found:
            named = work.later is not None and work.later.addressed
            await self._come(replace(one, addressed=one.addressed or named))
        await self._reports.end(file)
        return found

    async def _found(self, file: FileShared, work: _Work) -> Sequence[IncomingFile]:
        for pause in PAUSES:
            try:
                async with self._room:
                    return await self._files.incoming(_placed(file, work.later))
            except (RateLimited, Unreachable):
                await self._sleep(pause)
        logger.warning("a file is given up, for Slack has said nothing about it for long")
        return ()

    async def _look_after(self, file: FileTouched) -> None:
        async with self._room:
            removals = await self._files.removed(file)
        for removal in removals:
            self._go(removal)


def _settle(work: _Work) -> None:
    if not work.noted.done():
        work.noted.set_result(None)


def _end(work: _Work) -> None:
    for coming in work.coming:
        coming.end()


def _placed(file: FileShared, later: FileShared | None) -> FileShared:
    """Return *file* with the message that carries it, if only a later report names it."""
    if file.ts or later is None or not later.ts:
        return file
    return replace(file, ts=later.ts, thread_ts=later.thread_ts, user=file.user or later.user)


def _is_news(later: FileShared, found: Sequence[IncomingFile]) -> bool:
    """Tell whether a report leads further than what another one has led to."""
    if later.changed or not found:
        return True
    return bool(later.ts) and later.ts not in {one.message_id for one in found}
