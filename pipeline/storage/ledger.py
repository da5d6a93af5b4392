"""Who does what came from chat platforms: each thing is done by one process, or by another if that dies."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import Text, cast, delete, func, or_, select, update

from pipeline.domain import Scope
from pipeline.entries import Entry
from pipeline.storage.schema import ledger
from pipeline.storage.sql import now

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement, Row
    from sqlalchemy.ext.asyncio import AsyncConnection

    from pipeline.entries import State
    from pipeline.storage.sql import Database

__all__ = ["KEPT", "LEASE", "Entry", "Ledger"]

LEASE: Final = timedelta(seconds=15)
"""How long an owner that does not `renew` counts as alive; machines' clocks must agree to within less."""
KEPT: Final = timedelta(days=30)
"""How long an entry is known: so long a message can be edited, deleted or followed up."""
QUESTION: Final = "question"


class Ledger:
    """Everything that came from the chat platforms, as one process sees it.

    Whoever opens an entry owns it until it is done, on a lease. An owner that stops renewing has crashed, and
    its entries are taken over. *owner* must be unique among all processes that share the database.
    """

    def __init__(self, database: Database, owner: str, clock: Callable[[], datetime] = now) -> None:
        self._database = database
        self._owner = owner
        self._clock = clock

    async def open(self, entry: Entry) -> bool:
        """Note *entry* and own it; True for exactly one of all callers that ever name it."""
        added = (
            self._database.insert(ledger)
            .values(
                scope_key=entry.scope.key,
                kind=entry.kind,
                id=entry.id,
                scope=str(entry.scope),
                platform=entry.scope.platform,
                workspace=entry.scope.workspace,
                thread=entry.thread,
                author=entry.author,
                payload=dict(entry.payload),
                messages=list(entry.messages),
                attempt=entry.attempt,
                state=entry.state,
                at=self._clock(),
                **self._mine(),
            )
            .on_conflict_do_nothing()
            .returning(ledger.c.id)
        )
        async with self._database.write() as connection:
            return (await connection.execute(added)).first() is not None

    async def reopen(self, scope: Scope, kind: str, key: str, *, payload: Mapping[str, Any]) -> Entry | None:
        """Own an entry that is done for its next attempt, with another *payload*.

        None: somebody is at it, who finds the new payload there in the end; or it is unknown, or gone for
        good, with nothing in its payload.
        """
        values: dict[str, Any] = {"payload": dict(payload)}
        async with self._database.write() as connection:
            row = await _lock(connection, scope, kind, key)
            if row is None or (row.state == "gone" and not row.payload):
                return None
            if row.state != "open":
                values |= {"state": "open", "attempt": row.attempt + 1, **self._mine()}
            changed = update(ledger).where(*_is(scope, kind, key)).values(values)
            reopened = (await connection.execute(changed.returning(ledger))).one()
        return _entry(reopened) if row.state != "open" else None

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
        """Keep what is given of an entry; False: it is unknown, or gone, and then nothing is kept."""
        given = {
            "messages": None if messages is None else list(messages),
            "attempt": attempt,
            "payload": None if payload is None else dict(payload),
            "state": state,
        }
        values = {name: value for name, value in given.items() if value is not None}
        changed = update(ledger).where(*_is(scope, kind, key), ledger.c.state != "gone").values(values)
        async with self._database.write() as connection:
            return (await connection.execute(changed)).rowcount == 1

    async def close(
        self, scope: Scope, kind: str, key: str, *, expected: Mapping[str, Any], payload: Mapping[str, Any]
    ) -> Entry | None:
        """End an entry whose payload still holds what is *expected*, and keep *payload* of it.

        Returns the entry as it stands then: done, or as somebody else has changed it; None: it is unknown.
        """
        ended = {"state": "done", "payload": dict(payload)}
        async with self._database.write() as connection:
            row = await _lock(connection, scope, kind, key)
            if row is None or row.state == "gone" or not expected.items() <= row.payload.items():
                return None if row is None else _entry(row)
            closed = update(ledger).where(*_is(scope, kind, key)).values(ended).returning(ledger)
            return _entry((await connection.execute(closed)).one())

    async def find(self, scope: Scope, kind: str, key: str) -> Entry | None:
        """Return an entry as it stands now."""
        rows = await self._database.rows(select(ledger).where(*_is(scope, kind, key)))
        return _entry(rows[0]) if rows else None

    async def leave(self, scope: Scope, kind: str, key: str) -> None:
        """Let go of an entry that stays open, for whoever takes over next; that may be this process."""
        left = update(ledger).where(*_is(scope, kind, key), ledger.c.state == "open")
        async with self._database.write() as connection:
            await connection.execute(left.values(owner=None, lease_until=None))

    async def mark(self, scope: Scope, kind: str, thread: str, name: str) -> bool:
        """Put *name* into the payloads of a thread's open entries, for their owners; False: it has none."""
        of_thread = ledger.c.scope_key == scope.key, ledger.c.kind == kind, ledger.c.thread == thread
        query = select(ledger).where(*of_thread, ledger.c.state == "open").with_for_update()
        async with self._database.write() as connection:
            rows = (await connection.execute(query)).all()
            for row in rows:
                marked = update(ledger).where(*_is(scope, kind, row.id))
                await connection.execute(marked.values(payload={**row.payload, name: True}))
        return bool(rows)

    async def asked(self, scope: Scope, thread: str, author: str | None) -> bool:
        """Tell whether *author* (None: anybody) has asked a question in a thread that was not taken back."""
        query = select(ledger.c.id).where(*_asked(scope), ledger.c.thread == thread).limit(1)
        if author is not None:
            query = query.where(ledger.c.author == author)
        return bool(await self._database.rows(query))

    async def threads_of(self, scope: Scope, author: str) -> list[str]:
        """Return the threads of a channel in which *author* asked something, the latest first."""
        query = (
            select(ledger.c.thread)
            .where(*_asked(scope), ledger.c.author == author)
            .group_by(ledger.c.thread)
            .order_by(func.max(ledger.c.at).desc())
        )
        return [row.thread for row in await self._database.rows(query)]

    async def question_of(self, scope: Scope, message: str) -> Entry | None:
        """Return the question that a message of a channel is, or that it answers; None: it is neither."""
        answers = cast(ledger.c.messages, Text).contains(json.dumps(message), autoescape=True)
        query = select(ledger).where(*_asked(scope), or_(ledger.c.id == message, answers))
        found = [_entry(row) for row in await self._database.rows(query)]
        return next((entry for entry in found if message in (entry.id, *entry.messages)), None)

    async def take_over(self, platform: str, kind: str, *, starting: bool) -> list[Entry]:
        """Own what dead owners left open, and what was released, and return it in the order it came.

        Whoever is *starting* on an embedded database is alone with it, so there all owners but this are dead.
        """
        abandoned = ledger.c.owner != self._owner
        if not (starting and self._database.embedded):
            abandoned &= ledger.c.lease_until < self._clock()
        taken = (
            update(ledger)
            .where(ledger.c.state == "open", ledger.c.platform == platform, ledger.c.kind == kind)
            .where(or_(ledger.c.owner.is_(None), abandoned))
            .values(self._mine())
            .returning(ledger)
        )
        async with self._database.write() as connection:
            rows = sorted(await connection.execute(taken), key=lambda row: (row.at, row.id))
        return [_entry(row) for row in rows]

    async def renew(self) -> None:
        """Extend the leases of what this process is at."""
        await self._change_ours(lease_until=self._clock() + LEASE)

    async def release(self, platform: str) -> None:
        """Let go of what this process leaves open on a platform, for whoever comes next."""
        await self._change_ours(ledger.c.platform == platform, owner=None, lease_until=None)

    async def forget_scope(self, scope: Scope) -> None:
        """Remove everything that came from a channel."""
        async with self._database.write() as connection:
            await connection.execute(delete(ledger).where(ledger.c.scope_key == scope.key))

    async def prune(self, older_than: timedelta = KEPT) -> int:
        """Forget what came longer ago than *older_than*, and return how many entries that were."""
        old = delete(ledger).where(ledger.c.at < self._clock() - older_than)
        async with self._database.write() as connection:
            return (await connection.execute(old)).rowcount

    async def _change_ours(self, *which: ColumnElement[bool], **values: Any) -> None:
        ours = update(ledger).where(ledger.c.state == "open", ledger.c.owner == self._owner, *which)
        async with self._database.write() as connection:
            await connection.execute(ours.values(values))

    def _mine(self) -> dict[str, Any]:
        return {"owner": self._owner, "lease_until": self._clock() + LEASE}


async def _lock(connection: AsyncConnection, scope: Scope, kind: str, key: str) -> Row[Any] | None:
    """Return an entry's row, and keep others off it until the transaction ends."""
    query = select(ledger).where(*_is(scope, kind, key)).with_for_update()
    row: Row[Any] | None = (await connection.execute(query)).first()
    return row


def _is(scope: Scope, kind: str, key: str) -> tuple[ColumnElement[bool], ...]:
    return ledger.c.scope_key == scope.key, ledger.c.kind == kind, ledger.c.id == key


def _asked(scope: Scope) -> tuple[ColumnElement[bool], ...]:
    return ledger.c.scope_key == scope.key, ledger.c.kind == QUESTION, ledger.c.state != "gone"


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        kind=row.kind,
        scope=Scope.parse(row.scope),
        id=row.id,
        thread=row.thread,
        author=row.author,
        payload=row.payload,
        messages=tuple(row.messages),
        attempt=row.attempt,
        state=row.state,
    )
