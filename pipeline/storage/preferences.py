"""What the people of each channel chose: how the bot behaves there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select, update

from pipeline.storage.schema import preferences

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.domain import Scope
    from pipeline.storage.sql import Database


class ChannelChoices:
    """Choices by channel and name, as JSON can hold them; what they mean is not known here."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def find(self, scope: Scope) -> Mapping[str, Any]:
        """Return what a channel chose; empty where nobody changed anything."""
        query = select(preferences.c["values"]).where(preferences.c.scope_key == scope.key)
        rows = await self._database.rows(query)
        return dict(rows[0][0]) if rows else {}

    async def save(self, scope: Scope, chosen: Mapping[str, Any]) -> None:
        """Keep *chosen* in place of earlier choices of the same names; those of other names stay."""
        opened = (
            self._database.insert(preferences)
            .values({"scope_key": scope.key, "scope": str(scope), "values": {}})
            .on_conflict_do_nothing()
        )
        ours = preferences.c.scope_key == scope.key
        query = select(preferences.c["values"]).where(ours).with_for_update()
        async with self._database.write() as connection:
            await connection.execute(opened)
            earlier = (await connection.execute(query)).scalar_one()
            together = {"values": {**earlier, **chosen}}
            await connection.execute(update(preferences).where(ours).values(together))

    async def forget_scope(self, scope: Scope) -> None:
        """Remove what a channel chose."""
        async with self._database.write() as connection:
            await connection.execute(delete(preferences).where(preferences.c.scope_key == scope.key))
