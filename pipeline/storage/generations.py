"""Which generation of each channel's index is the current one, and which are to be dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, exists, literal, or_, select, update

from pipeline.domain import Scope
from pipeline.errors import CatalogError
from pipeline.storage.refs import FIRST_ANALYZER, FIRST_READING, CatalogRef
from pipeline.storage.schema import catalogs, channels, jobs
from pipeline.storage.sql import now

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from sqlalchemy import ColumnElement, Row, Select
    from sqlalchemy.ext.asyncio import AsyncConnection

    from pipeline.storage.sql import Database

BUILDING: Final = "building"
CURRENT: Final = "current"
RETIRED: Final = "retired"


class Catalogs:
    """The register of indexes: at most one generation of a channel is current, and no number is used twice.

    A generation is *building* until it is activated and *retired* once another took its place or its
    channel was removed; it stays in the register until `discard` confirms that its store is gone, so a
    crash in between leaves nothing behind that `retired` would not name.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime] = now,
        *,
        analyzer: int = FIRST_ANALYZER,
        reading: int = FIRST_READING,
    ) -> None:
        self._database = database
        self._clock = clock
        self.analyzer = analyzer
        """Version of the analyzer that new generations are written with."""
        self.reading = reading
        """Version of what reads and cuts the files of new generations."""

    async def current(self, scope: Scope) -> CatalogRef | None:
        """Return the generation that questions are answered from; None: the channel has no index."""
        rows = await self._database.rows(_current_of(scope))
        return _ref(rows[0]) if rows else None

    async def create(self, scope: Scope, embedder: str, dimension: int) -> CatalogRef:
        """Give a channel without an index its first generation; one that has it keeps it as it is."""
        found = await self.current(scope)
        if found is not None:
            return found
        async with self._database.write() as connection:
            # counting also locks the channel, so the second look is the one that holds
            generation = await self._count_up(connection, scope)
            found = await _current(connection, scope)
            if found is not None:
                return found
            return await self._add(connection, scope, generation, embedder, dimension, CURRENT)

    async def begin(
        self, scope: Scope, embedder: str, dimension: int, *, reading: int | None = None
    ) -> CatalogRef:
        """Open the next generation beside the current one; unfinished ones before it are retired.

        *reading* is the version that its texts come from, by default the present one.
        """
        async with self._database.write() as connection:
            generation = await self._count_up(connection, scope)
            await _retire(connection, scope, BUILDING)
            return await self._add(
                connection, scope, generation, embedder, dimension, BUILDING, reading=reading
            )

    async def activate(self, ref: CatalogRef) -> CatalogRef | None:
        """Make a finished generation the current one and return the one it replaces, now retired.

        Its version of reading is kept as *ref* has it. Returns None if there was none, or if *ref* is current
        already. Raises `CatalogError` when the channel was removed, or a later generation begun, while this
        one was being built.
        """
        async with self._database.write() as connection:
            await _lock(connection, ref.scope)
            old = await _current(connection, ref.scope)
            if old is not None and old.generation == ref.generation:
                return None
            await _retire(connection, ref.scope, CURRENT)
            activated = await connection.execute(
                update(catalogs)
                .where(*_is(ref), catalogs.c.state == BUILDING)
                .values(state=CURRENT, reading=ref.reading)
                .returning(catalogs.c.generation)
            )
            if activated.first() is None:
                raise CatalogError("The channel was removed or indexed anew while this index was built.")
            return old

    async def scopes(self) -> list[Scope]:
        """Return every channel that has a current index, ordered by name."""
        query = (
            select(channels.c.scope)
            .join(catalogs, catalogs.c.scope_key == channels.c.scope_key)
            .where(catalogs.c.state == CURRENT)
            .order_by(channels.c.scope_key)
        )
        return [Scope.parse(row.scope) for row in await self._database.rows(query)]

    async def remove(self, scope: Scope) -> list[CatalogRef]:
        """Retire all generations of a channel and return them, for their stores to be dropped."""
        async with self._database.write() as connection:
            await _lock(connection, scope)
            await _retire(connection, scope, CURRENT, BUILDING)
            rows = await connection.execute(_refs().where(catalogs.c.scope_key == scope.key))
            return [_ref(row) for row in rows]

    async def outdated(self, scope: Scope) -> list[CatalogRef]:
        """Return a channel's generations beside the current one; only the channel's own job may drop them."""
        query = _refs().where(catalogs.c.scope_key == scope.key, catalogs.c.state != CURRENT)
        return [_ref(row) for row in await self._database.rows(query)]

    async def retired(self) -> list[CatalogRef]:
        """Return the generations whose stores are to be dropped, for clearing up after a crash.

        An unfinished one counts only when no job of its channel is running: else somebody is building it.
        """
        building_on = exists(
            select(literal(1)).where(jobs.c.scope_key == catalogs.c.scope_key, jobs.c.state == "running")
        )
        given_up = (catalogs.c.state == BUILDING) & ~building_on
        query = _refs().where(or_(catalogs.c.state == RETIRED, given_up))
        return [_ref(row) for row in await self._database.rows(query)]

    async def discard(self, ref: CatalogRef) -> None:
        """Strike a generation off the register once its store is gone; the current one stays."""
        async with self._database.write() as connection:
            await connection.execute(delete(catalogs).where(*_is(ref), catalogs.c.state != CURRENT))

    async def _count_up(self, connection: AsyncConnection, scope: Scope) -> int:
        counter = self._database.insert(channels).values(
            scope_key=scope.key, scope=str(scope), last_generation=1
        )
        counted = counter.on_conflict_do_update(
            index_elements=[channels.c.scope_key],
            set_={"last_generation": channels.c.last_generation + 1},
        ).returning(channels.c.last_generation)
        generation: int = (await connection.execute(counted)).scalar_one()
        return generation

    async def _add(
        self,
        connection: AsyncConnection,
        scope: Scope,
        generation: int,
        embedder: str,
        dimension: int,
        state: str,
        *,
        reading: int | None = None,
    ) -> CatalogRef:
        reading = self.reading if reading is None else reading
        await connection.execute(
            catalogs.insert().values(
                scope_key=scope.key,
                generation=generation,
                embedder=embedder,
                dimension=dimension,
                state=state,
                created_at=self._clock(),
                analyzer=self.analyzer,
                reading=reading,
            )
        )
        return CatalogRef(
            scope=scope,
            generation=generation,
            embedder=embedder,
            dimension=dimension,
            analyzer=self.analyzer,
            reading=reading,
        )


async def _current(connection: AsyncConnection, scope: Scope) -> CatalogRef | None:
    row = (await connection.execute(_current_of(scope))).first()
    return None if row is None else _ref(row)


async def _lock(connection: AsyncConnection, scope: Scope) -> None:
    """Keep others off this channel's generations until the transaction ends (SQLite: it is alone anyway)."""
    await connection.execute(
        select(channels.c.scope_key).where(channels.c.scope_key == scope.key).with_for_update()
    )


async def _retire(connection: AsyncConnection, scope: Scope, *states: str) -> None:
    await connection.execute(
        update(catalogs)
        .where(catalogs.c.scope_key == scope.key, catalogs.c.state.in_(states))
        .values(state=RETIRED)
    )


def _is(ref: CatalogRef) -> tuple[ColumnElement[bool], ...]:
    return catalogs.c.scope_key == ref.scope.key, catalogs.c.generation == ref.generation


def _current_of(scope: Scope) -> Select[Any]:
    return _refs().where(catalogs.c.scope_key == scope.key, catalogs.c.state == CURRENT)


def _refs() -> Select[Any]:
    made_by = (catalogs.c.embedder, catalogs.c.dimension, catalogs.c.analyzer, catalogs.c.reading)
    return (
        select(channels.c.scope, catalogs.c.generation, *made_by)
        .join(channels, channels.c.scope_key == catalogs.c.scope_key)
        .order_by(catalogs.c.scope_key, catalogs.c.generation)
    )


def _ref(row: Row[Any]) -> CatalogRef:
    return CatalogRef(
        scope=Scope.parse(row.scope),
        generation=row.generation,
        embedder=row.embedder,
        dimension=row.dimension,
        analyzer=row.analyzer,
        reading=row.reading,
    )
