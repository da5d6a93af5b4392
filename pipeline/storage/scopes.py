"""Which channels of a workspace anything is kept of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select, union

from pipeline.domain import Scope
from pipeline.storage.schema import channels, jobs, ledger, preferences, threads

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement

    from pipeline.storage.sql import Database


class Scopes:
    """The channels that the database knows, whatever it knows of them."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def of(self, platform: str, workspace: str) -> list[Scope]:
        """Return every channel of a workspace of which anything is kept, ordered by name.

        One of which only conversations are kept is named in lower case, which is the same channel.
        """
        written = (
            select(table.c.scope).where(_within(table.c.scope_key, platform, workspace))
            for table in (channels, jobs, ledger, preferences)
        )
        spoken = select(threads.c.scope_key).where(_within(threads.c.scope_key, platform, workspace))
        async with self._database.read() as connection:
            scopes = [Scope.parse(row.scope) for row in await connection.execute(union(*written))]
            keys = [row.scope_key for row in await connection.execute(spoken.distinct())]
        found = {key: Scope(*key.split(".")) for key in keys} | {scope.key: scope for scope in scopes}
        return [found[key] for key in sorted(found)]

    async def holding(self, platform: str, workspace: str, place: str) -> list[Scope]:
        """Return the channels of a workspace that took a file from *place*, or one that begins like it."""
        source = jobs.c.payload["source"].as_string()
        taken = source.startswith(place, autoescape=True)
        query = select(jobs.c.scope).where(_within(jobs.c.scope_key, platform, workspace), taken)
        return [Scope.parse(row.scope) for row in await self._database.rows(query.distinct())]


def _within(key: ColumnElement[str], platform: str, workspace: str) -> ColumnElement[bool]:
    return key.startswith(f"{platform}.{workspace}.".lower(), autoescape=True)
