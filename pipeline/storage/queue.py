"""The line of work that survives a crash: files to index, channels to rebuild, stores to tidy up."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from sqlalchemy import delete, func, or_, select, tuple_, update
from sqlalchemy.exc import IntegrityError

from pipeline.storage.claims import claim_statement, fenced, find_round, put_off, waits
from pipeline.storage.job import Job, JobState, NewJob, job_of
from pipeline.storage.schema import jobs
from pipeline.storage.sql import now

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Collection, Iterator
    from datetime import datetime

    from sqlalchemy import Row, Select
    from sqlalchemy.ext.asyncio import AsyncConnection

    from pipeline.domain import Scope
    from pipeline.storage.sql import Database

__all__ = ["LEASE", "MAX_ATTEMPTS", "Job", "JobState", "NewJob", "Queue"]

LEASE: Final = timedelta(seconds=30)
MAX_ATTEMPTS: Final = 4

logger = logging.getLogger(__name__)


_LOST: Final = (JobState.FAILED, JobState.DEAD)
_ENDED: Final = (JobState.DONE, *_LOST)


class Queue:
    """Jobs of all channels: fair between channels, one at a time within a channel.

    A claimed job is leased; an owner that stops extending its lease has crashed, and the job is handed
    out again, at most *max_attempts* times, and then once more only to be given up. Finished jobs stay as
    the ledger of what was done. The clocks of several machines must agree to within a few seconds.
    """

    def __init__(
        self,
        database: Database,
        clock: Callable[[], datetime] = now,
        *,
        lease: timedelta = LEASE,
        max_attempts: int = MAX_ATTEMPTS,
    ) -> None:
        self._database = database
        self._clock = clock
        self._lease = lease
        self.max_attempts = max_attempts
        self._listeners: set[asyncio.Event] = set()

    @contextmanager
    def announce(self, event: asyncio.Event) -> Iterator[None]:
        """Set *event* whenever this process adds a job or lets go of one."""
        self._listeners.add(event)
        try:
            yield
        finally:
            self._listeners.discard(event)

    async def enqueue(self, job: NewJob) -> Job:
        """Add a job; if one with its dedupe key is waiting or running, return that one instead.

        One that waits for something to come back is then tried again at once.
        """
        while True:
            async with self._database.write() as connection:
                row = await self._add(connection, job) or await self._hasten(connection, job)
            # a twin may have ended between the two looks
            if row is not None:
                self._wake()
                return job_of(row)

    async def claim(
        self, owner: str, *, kinds: Collection[str] | None = None, scope: Scope | None = None
    ) -> Job | None:
        """Take the next job for *owner*, of some *kinds* or one *scope* only; None: nothing is due.

        *owner* must be unique among all processes that share the database. A job with more attempts than
        `max_attempts` was left by a worker that crashed at its last one: it is to be ended, not done.
        """
        while True:
            moment = self._clock()
            statement = claim_statement(
                owner=owner,
                moment=moment,
                lease_until=moment + self._lease,
                max_claims=self.max_attempts + 1,
                kinds=kinds,
                scope=scope,
            )
            try:
                async with self._database.write() as connection:
                    row = (await connection.execute(statement)).first()
            except IntegrityError:
                continue  # on PostgreSQL another worker was first to this channel
            if row is None or row.state == JobState.RUNNING:
                return None if row is None else job_of(row)
            logger.error(
                "job dead: each of its workers crashed",
                extra={"action": "job_dead", "job": row.id, "kind": row.kind},
            )

    async def extend(self, job: Job) -> bool:
        """Renew the lease of a running job; False: it is no longer its owner's."""
        return await self._change(job, lease_until=self._clock() + self._lease)

    async def finish(self, job: Job) -> bool:
        """Mark a running job as done; in the ledger it replaces what came of its dedupe key before."""
        return await self._end(job, JobState.DONE, replacing=_ENDED)

    async def fail(
        self, job: Job, reason: str, message: str | None = None, *, retry_at: datetime | None = None
    ) -> bool:
        """End a running job as failed, or with *retry_at* put it back; after its last attempt it is dead."""
        if retry_at is None:
            return await self._end(job, JobState.FAILED, replacing=_LOST, reason=reason, message=message)
        if job.attempts >= self.max_attempts:
            return await self.give_up(job, reason, message)
        return await self._put_back(job, run_at=retry_at, reason=reason, message=message, waiting_since=None)

    async def give_up(self, job: Job, reason: str, message: str | None = None) -> bool:
        """End a running job as dead."""
        return await self._end(job, JobState.DEAD, replacing=_LOST, reason=reason, message=message)

    async def postpone(self, job: Job, reason: str, message: str, *, retry_at: datetime) -> bool:
        """Put a running job back until *retry_at*: what it needs is away, so that was no attempt at it."""
        since = job.waiting_since or self._clock()
        return await self._put_back(
            job,
            attempts=job.attempts - 1,
            run_at=retry_at,
            reason=reason,
            message=message,
            waiting_since=since,
        )

    async def release(self, job: Job) -> bool:
        """Put a running job back as if it had not been claimed: its worker has to stop, it did no wrong."""
        return await self._put_back(job, attempts=job.attempts - 1)

    async def recover(self) -> int:
        """Put every running job back at once, and return how many that were.

        Only for whoever knows that all owners are dead, see `presence`.
        """
        running = update(jobs).where(jobs.c.state == JobState.RUNNING)
        left = running.values(state=JobState.QUEUED, owner=None, lease_until=None)
        async with self._database.write() as connection:
            return (await connection.execute(left)).rowcount

    async def find(self, job_id: int) -> Job | None:
        """Return one job, as it stands now."""
        found = await self._find(select(jobs).where(jobs.c.id == job_id))
        return found[0] if found else None

    async def waiting(self, scope: Scope) -> list[Job]:
        """Return the channel's running and queued jobs, the next first."""
        query = _of(scope).where(waits(jobs)).order_by(jobs.c.state.desc(), jobs.c.round, jobs.c.id)
        return await self._find(query)

    async def failed(self, scope: Scope) -> list[Job]:
        """Return the channel's failed and dead jobs, the latest first."""
        query = _of(scope).where(jobs.c.state.in_(_LOST))
        return await self._find(query.order_by(jobs.c.finished_at.desc(), jobs.c.id.desc()))

    async def undone(self, scope: Scope, kind: str) -> list[Job]:
        """Return the channel's jobs of a kind that wait, run, failed or are dead, in the order they came."""
        query = _of(scope).where(jobs.c.kind == kind, jobs.c.state != JobState.DONE)
        return await self._find(query.order_by(jobs.c.id))

    async def done(self, scope: Scope, kind: str) -> list[Job]:
        """Return the ledger: the channel's finished jobs of a kind, in the order they were finished."""
        query = _of(scope).where(jobs.c.kind == kind, jobs.c.state == JobState.DONE)
        return await self._find(query.order_by(jobs.c.finished_at, jobs.c.id))

    async def unfinished(self, *, kinds: Collection[str] | None = None, scope: Scope | None = None) -> int:
        """Count the jobs that run, are due or will be retried; not those put off to a later moment."""
        retried = (jobs.c.attempts > 0) & jobs.c.waiting_since.is_(None)
        begun = (jobs.c.state == JobState.RUNNING) | retried | (jobs.c.run_at <= self._clock())
        query = select(func.count()).where(waits(jobs), begun)
        if kinds is not None:
            query = query.where(jobs.c.kind.in_(kinds))
        if scope is not None:
            query = query.where(jobs.c.scope_key == scope.key)
        [(count,)] = await self._database.rows(query)
        return int(count)

    async def position(self, job: Job) -> int:
        """Return a queued job's place in line over all channels, counted from 1; 0: it no longer waits.

        What is put off is in nobody's way.
        """
        mine = select(jobs.c.round, jobs.c.id).where(jobs.c.id == job.id, jobs.c.state == JobState.QUEUED)
        async with self._database.read() as connection:
            row = (await connection.execute(mine)).first()
            if row is None:
                return 0
            ahead = select(func.count()).where(
                waits(jobs),
                jobs.c.state == JobState.QUEUED,
                or_(jobs.c.run_at <= self._clock(), jobs.c.id == job.id),
                tuple_(jobs.c.round, jobs.c.id) <= tuple_(row.round, row.id),
            )
            place: int = (await connection.execute(ahead)).scalar_one()
            return place

    async def cancel(self, scope: Scope, dedupe_keys: Collection[str] | None = None) -> list[Job]:
        """Take queued jobs out of the line, of some keys or the whole channel, and return them."""
        return await self._remove(scope, dedupe_keys, (JobState.QUEUED,))

    async def forget(self, scope: Scope, dedupe_keys: Collection[str] | None = None) -> list[Job]:
        """Strike ended jobs from the ledger, of some keys or the whole channel, and return them."""
        return await self._remove(scope, dedupe_keys, _ENDED)

    async def _add(self, connection: AsyncConnection, job: NewJob) -> Row[Any] | None:
        moment = self._clock()
        added = (
            self._database.insert(jobs)
            .values(
                kind=job.kind,
                scope_key=job.scope.key,
                scope=str(job.scope),
                payload=dict(job.payload),
                dedupe_key=job.dedupe_key,
                state=JobState.QUEUED,
                attempts=0,
                round=await find_round(connection, job, moment),
                run_at=job.run_at or moment,
                created_at=moment,
            )
            .on_conflict_do_nothing()
            .returning(jobs)
        )
        row: Row[Any] | None = (await connection.execute(added)).first()
        return row

    async def _hasten(self, connection: AsyncConnection, job: NewJob) -> Row[Any] | None:
        same = jobs.c.kind == job.kind, jobs.c.dedupe_key == job.dedupe_key
        await connection.execute(put_off(job.scope).where(*same).values(run_at=self._clock()))
        row: Row[Any] | None = (await connection.execute(_of(job.scope).where(waits(jobs), *same))).first()
        return row

    async def _end(
        self, job: Job, state: JobState, *, replacing: Collection[JobState], **outcome: str | None
    ) -> bool:
        older = delete(jobs).where(
            jobs.c.scope_key == job.scope.key,
            jobs.c.kind == job.kind,
            jobs.c.dedupe_key == job.dedupe_key,
            jobs.c.state.in_(replacing),
            jobs.c.id != job.id,
        )
        values = {"state": state, "finished_at": self._clock(), "owner": None, "lease_until": None, **outcome}
        async with self._database.write() as connection:
            ended = (await connection.execute(fenced(job).values(values))).rowcount == 1
            if ended and job.dedupe_key is not None:
                await connection.execute(older)
            if ended and job.waiting_since is not None:  # what it waited for is back
                await connection.execute(put_off(job.scope).values(run_at=self._clock()))
        self._wake()
        return ended

    async def _put_back(self, job: Job, **values: Any) -> bool:
        put_back = await self._change(job, state=JobState.QUEUED, owner=None, lease_until=None, **values)
        self._wake()
        return put_back

    async def _change(self, job: Job, **values: Any) -> bool:
        async with self._database.write() as connection:
            return (await connection.execute(fenced(job).values(values))).rowcount == 1

    async def _remove(
        self, scope: Scope, dedupe_keys: Collection[str] | None, states: Collection[JobState]
    ) -> list[Job]:
        removed = delete(jobs).where(jobs.c.scope_key == scope.key, jobs.c.state.in_(states))
        if dedupe_keys is not None:
            removed = removed.where(jobs.c.dedupe_key.in_(dedupe_keys))
        async with self._database.write() as connection:
            return [job_of(row) for row in await connection.execute(removed.returning(jobs))]

    async def _find(self, query: Select[Any]) -> list[Job]:
        return [job_of(row) for row in await self._database.rows(query)]

    def _wake(self) -> None:
        for event in self._listeners:
            event.set()


def _of(scope: Scope) -> Select[Any]:
    return select(jobs).where(jobs.c.scope_key == scope.key)
