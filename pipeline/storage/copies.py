"""Files that hold the same bytes as a document that came from another place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, or_, select

from pipeline.storage.job import JobState
from pipeline.storage.schema import jobs
from pipeline.storage.sql import now

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from datetime import datetime

    from sqlalchemy import ColumnElement

    from pipeline.domain import Scope
    from pipeline.storage.sql import Database

COPY: Final = "copy"


class Copies:
    """The other places at which a document stands, for when the file that it came from is taken away.

    They are kept with the ended jobs, under their document's id: so whatever forgets a document, or a whole
    channel, strikes them off too.
    """

    def __init__(self, database: Database, clock: Callable[[], datetime] = now) -> None:
        self._database = database
        self._clock = clock

    async def add(self, scope: Scope, place: str, document_id: str, payload: Mapping[str, Any]) -> None:
        """Note that the bytes of a document stand at *place* too; *payload* is what its upload says."""
        async with self._database.write() as connection:
            await connection.execute(delete(jobs).where(*_at(scope, place)))
            await connection.execute(jobs.insert().values(self._row(scope, place, document_id, payload)))

    async def list_inside(
        self, scope: Scope, archive: str, found: Sequence[tuple[str, str, Mapping[str, Any]]]
    ) -> None:
        """Note what of an *archive*, an id, stands elsewhere too, in place of what was noted of it before.

        *found* holds place, document and payload of each, as for `add`.
        """
        rows = [self._row(scope, *each) for each in found]
        async with self._database.write() as connection:
            await connection.execute(delete(jobs).where(*_of(scope), _inside(archive)))
            if rows:
                await connection.execute(jobs.insert(), rows)

    def _row(self, scope: Scope, place: str, document_id: str, payload: Mapping[str, Any]) -> dict[str, Any]:
        moment = self._clock()
        return {
            "kind": COPY,
            "scope_key": scope.key,
            "scope": str(scope),
            "payload": {**payload, "place": place},
            "dedupe_key": document_id,
            "state": JobState.DONE,
            "attempts": 0,
            "round": 0,
            "run_at": moment,
            "created_at": moment,
            "finished_at": moment,
        }

    async def of(self, scope: Scope) -> dict[str, list[Mapping[str, Any]]]:
        """Return the payloads of a channel's copies by document id, the earliest first."""
        query = select(jobs.c.dedupe_key, jobs.c.payload).where(*_of(scope)).order_by(jobs.c.id)
        found: dict[str, list[Mapping[str, Any]]] = {}
        for row in await self._database.rows(query):
            found.setdefault(row.dedupe_key, []).append(row.payload)
        return found

    async def strike_inside(self, scope: Scope, archives: Collection[str]) -> None:
        """Note that nothing stands in *archives* any more, which are ids of documents."""
        inside = [_inside(archive) for archive in archives]
        if inside:
            async with self._database.write() as connection:
                await connection.execute(delete(jobs).where(*_of(scope), or_(*inside)))

    async def strike(self, scope: Scope, place: str) -> None:
        """Note that no copy stands at *place* itself any more."""
        async with self._database.write() as connection:
            await connection.execute(delete(jobs).where(*_at(scope, place)))

    async def strike_all(self, scope: Scope, place: str) -> None:
        """Note that nothing stands at *place* any more, nor in the archive that stood there."""
        async with self._database.write() as connection:
            await connection.execute(delete(jobs).where(*_at(scope, place)))
            inside = jobs.c.payload["place"].as_string().startswith(f"{place}!", autoescape=True)
            await connection.execute(delete(jobs).where(*_of(scope), inside))


def _of(scope: Scope) -> tuple[ColumnElement[bool], ...]:
    return jobs.c.scope_key == scope.key, jobs.c.kind == COPY


def _inside(archive: str) -> ColumnElement[bool]:
    place: ColumnElement[str] = jobs.c.payload["place"].as_string()
    return place.contains(f"!{archive}/", autoescape=True)


def _at(scope: Scope, place: str) -> tuple[ColumnElement[bool], ...]:
    return *_of(scope), jobs.c.payload["place"].as_string() == place
