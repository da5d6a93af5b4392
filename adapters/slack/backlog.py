"""Files that were reported and not looked up yet, kept so that no restart loses one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from adapters.slack.addressing import PLATFORM
from adapters.slack.happenings import FileShared
from bot.ledger import Book
from pipeline.domain import Scope
from pipeline.entries import Entry

if TYPE_CHECKING:
    from bot.ledger import Ledger

ARRIVAL = "arrival"
EVERYWHERE = "-"
"""Stands for the channel of a file that is looked up wherever it is shared."""


class Backlog:
    """What one process of all has to look up; a report that comes again is looked up once."""

    def __init__(self, ledger: Ledger) -> None:
        self._book = Book(ledger, ARRIVAL)

    async def note(self, file: FileShared) -> bool:
        """Keep that *file* is to be looked up; False: somebody does so, or has done it."""
        return await self._book.open(
            Entry(
                kind=ARRIVAL,
                scope=_scope(file),
                id=_key(file),
                thread=file.thread_ts or "",
                author=file.user or "",
                payload={name: getattr(file, name) for name in FileShared.__slots__},
            )
        )

    async def end(self, file: FileShared) -> None:
        """Note that there is nothing left to do about *file*."""
        await self._book.save(_scope(file), _key(file), payload={}, state="done")

    async def take_over(self, *, starting: bool) -> list[FileShared]:
        """Return what processes that died have left, now ours."""
        entries = await self._book.take_over(PLATFORM, starting=starting)
        return [_file(entry.payload) for entry in entries]


def _scope(file: FileShared) -> Scope:
    return Scope(PLATFORM, file.team, file.channel or EVERYWHERE)


def _key(file: FileShared) -> str:
    """Name the report: a file that is shared once more later, changes again or is wanted is another one."""
    return f"{file.file_id}/{file.event_id if file.wanted else file.ts or file.event_id}"


def _file(payload: Any) -> FileShared:
    return FileShared(**{name: payload[name] for name in FileShared.__slots__ if name in payload})
