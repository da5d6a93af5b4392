"""Which of the platforms' events were seen before: platforms deliver some of them more than once."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Final

from sqlalchemy import delete, func, select

from pipeline.storage.schema import seen_events
from pipeline.storage.sql import now

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pipeline.storage.sql import Database

KEPT: Final = timedelta(days=30)
"""Platforms repeat an event within hours; what an adapter catches up on after a long outage is older."""


class SeenEvents:
    """A memory of event keys that all replicas share."""

    def __init__(self, database: Database, clock: Callable[[], datetime] = now) -> None:
        self._database = database
        self._clock = clock

    async def first_time(self, key: str) -> bool:
        """Note *key*; True for exactly one of all callers that ever name it."""
        noted = (
            self._database.insert(seen_events)
            .values(key=key, seen_at=self._clock())
            .on_conflict_do_nothing()
            .returning(seen_events.c.key)
        )
        async with self._database.write() as connection:
            return (await connection.execute(noted)).first() is not None

    async def named(self, prefix: str) -> list[str]:
        """Return the keys that begin with *prefix* and are not forgotten yet."""
        begins = func.substr(seen_events.c.key, 1, len(prefix)) == prefix
        return [row.key for row in await self._database.rows(select(seen_events.c.key).where(begins))]

    async def prune(self, older_than: timedelta = KEPT) -> int:
        """Forget keys first seen longer ago than *older_than*, and return how many."""
        old = delete(seen_events).where(seen_events.c.seen_at < self._clock() - older_than)
        async with self._database.write() as connection:
            return (await connection.execute(old)).rowcount
