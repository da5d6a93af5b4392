"""A ledger in memory, for one process or for several that share it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from typing import Any

    from pipeline.domain import Scope
    from pipeline.entries import Entry, State

Key = tuple[str, str, str]


@dataclass(slots=True)
class Row:
    """An entry and who owns it."""

    entry: Entry
    owner: str | None


class FakeLedger:
    """A `Ledger`. `other` is the same one as another process sees it; `die` lets that process be dead."""

    def __init__(self, owner: str = "one") -> None:
        self._owner = owner
        self._rows: dict[Key, Row] = {}
        self._dead: set[str] = set()
        self.error: Exception | None = None
        """Raised by everything, if set."""
        self.arriving: Callable[[], Awaitable[object]] | None = None
        """Awaited before anything is done."""
        self.renewed = 0
        self.saves: list[dict[str, Any]] = []
        """What was saved, in order."""

    def other(self, owner: str) -> FakeLedger:
        ledger = FakeLedger(owner)
        ledger._rows, ledger._dead = self._rows, self._dead
        return ledger

    def die(self) -> None:
        self._dead.add(self._owner)

    @property
    def entries(self) -> list[Entry]:
        return [row.entry for row in self._rows.values()]

    @property
    def states(self) -> dict[str, State]:
        """How things stand, by id."""
        return {entry.id: entry.state for entry in self.entries}

    async def open(self, entry: Entry) -> bool:
        await self._begin()
        new = _key(entry.scope, entry.kind, entry.id) not in self._rows
        if new:
            self._rows[_key(entry.scope, entry.kind, entry.id)] = Row(entry, self._owner)
        return new

    async def reopen(self, scope: Scope, kind: str, key: str, *, payload: Mapping[str, Any]) -> Entry | None:
        await self._begin()
        row = self._rows.get(_key(scope, kind, key))
        if row is None or (row.entry.state == "gone" and not row.entry.payload):
            return None
        done = row.entry.state != "open"
        row.entry = replace(row.entry, payload=dict(payload))
        if not done:
            return None
        row.entry = replace(row.entry, state="open", attempt=row.entry.attempt + 1)
        row.owner = self._owner
        return row.entry

    async def save(
        self,
        scope: Scope,
        kind: str,
        key: str,
        *,
        messages: Sequence[str] | None = None,
        attempt: int | None = None,
        payload: Mapping[str, Any] | None = None,
        state: State | None = None,
    ) -> bool:
        await self._begin()
        given = {
            "messages": None if messages is None else tuple(messages),
            "attempt": attempt,
            "payload": None if payload is None else dict(payload),
            "state": state,
        }
        values = {name: value for name, value in given.items() if value is not None}
        self.saves.append(values)
        row = self._rows.get(_key(scope, kind, key))
        if row is None or row.entry.state == "gone":
            return False
        row.entry = replace(row.entry, **values)  # type: ignore[arg-type]  # named as the fields are
        return True

    async def close(
        self, scope: Scope, kind: str, key: str, *, expected: Mapping[str, Any], payload: Mapping[str, Any]
    ) -> Entry | None:
        await self._begin()
        row = self._rows.get(_key(scope, kind, key))
        if row is None:
            return None
        if row.entry.state != "gone" and expected.items() <= row.entry.payload.items():
            row.entry = replace(row.entry, state="done", payload=dict(payload))
        return row.entry

    async def find(self, scope: Scope, kind: str, key: str) -> Entry | None:
        await self._begin()
        row = self._rows.get(_key(scope, kind, key))
        return row.entry if row is not None else None

    async def leave(self, scope: Scope, kind: str, key: str) -> None:
        await self._begin()
        row = self._rows.get(_key(scope, kind, key))
        if row is not None and row.entry.state == "open":
            row.owner = None

    async def mark(self, scope: Scope, kind: str, thread: str, name: str) -> bool:
        await self._begin()
        found = [
            row
            for row in self._rows.values()
            if (row.entry.scope.key, row.entry.kind, row.entry.thread) == (scope.key, kind, thread)
            and row.entry.state == "open"
        ]
        for row in found:
            row.entry = replace(row.entry, payload={**row.entry.payload, name: True})
        return bool(found)

    async def asked(self, scope: Scope, thread: str, author: str | None) -> bool:
        await self._begin()
        return any(
            (entry.kind, entry.scope.key, entry.thread) == ("question", scope.key, thread)
            and entry.state != "gone"
            and author in (None, entry.author)
            for entry in self.entries
        )

    async def take_over(self, platform: str, kind: str, *, starting: bool) -> list[Entry]:
        await self._begin()
        left = [
            row
            for row in self._rows.values()
            if row.entry.state == "open"
            and (row.entry.scope.platform, row.entry.kind) == (platform, kind)
            and (row.owner is None or row.owner in self._dead - {self._owner})
        ]
        for row in left:
            row.owner = self._owner
        return [row.entry for row in left]

    async def renew(self) -> None:
        await self._begin()
        self.renewed += 1

    async def release(self, platform: str) -> None:
        await self._begin()
        for row in self._rows.values():
            if row.owner == self._owner and row.entry.scope.platform == platform:
                row.owner = None

    async def _begin(self) -> None:
        if self.arriving is not None:
            await self.arriving()
        if self.error is not None:
            raise self.error


def _key(scope: Scope, kind: str, key: str) -> Key:
    return scope.key, kind, key
