"""Whose turn it is: the one statement by which a worker takes a job, the same on both databases."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import case, exists, func, literal, literal_column, null, select, update

from pipeline.conversation import Reason
from pipeline.storage.schema import jobs

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from sqlalchemy import ColumnElement, FromClause, ScalarSelect, Update
    from sqlalchemy.ext.asyncio import AsyncConnection
    from sqlalchemy.sql.dml import ReturningUpdate

    from pipeline.domain import Scope
    from pipeline.storage.job import Job, NewJob

GAVE_UP = "It was begun again and again, and never came to an end."


def claim_statement(
    *,
    owner: str,
    moment: datetime,
    lease_until: datetime,
    max_claims: int,
    kinds: Collection[str] | None,
    scope: Scope | None,
) -> ReturningUpdate[Any]:
    """Build the UPDATE that claims the next job and returns its row.

    The row's state is ``dead`` instead of ``running`` when it was claimed *max_claims* times: a job that
    kills its worker must not kill them all.
    """
    attempts = jobs.c.attempts + 1
    spent = attempts > max_claims
    return (
        update(jobs)
        .where(jobs.c.id == _next(moment, kinds, scope))
        .values(
            state=case((spent, "dead"), else_="running"),
            attempts=attempts,
            owner=owner,
            lease_until=lease_until,
            reason=case((spent, Reason.INTERNAL_ERROR.value), else_=null()),
            message=case((spent, GAVE_UP), else_=null()),
            finished_at=case((spent, literal(moment, jobs.c.finished_at.type)), else_=null()),
        )
        .returning(jobs)
    )


def _next(moment: datetime, kinds: Collection[str] | None, scope: Scope | None) -> ScalarSelect[int]:
    """Pick the first job in line that is due: queued with its channel at rest, or left by a crashed owner."""
    job = jobs.alias("job")
    due = _is(job, "queued") & (job.c.run_at <= moment) & ~_channel_at_work(job)
    left = _is(job, "running") & (job.c.lease_until < moment)
    query = select(job.c.id).where(waits(job), due | left)
    if kinds is not None:
        query = query.where(job.c.kind.in_(kinds))
    if scope is not None:
        query = query.where(job.c.scope_key == scope.key)
    # SQLite has no row locks, and SQLAlchemy leaves the clause out there: BEGIN IMMEDIATE serves instead
    return query.order_by(job.c.round, job.c.id).limit(1).with_for_update(skip_locked=True).scalar_subquery()


def _channel_at_work(job: FromClause) -> ColumnElement[bool]:
    other = jobs.alias("other")
    return exists(
        select(literal_column("1")).where(other.c.scope_key == job.c.scope_key, _is(other, "running"))
    )


async def find_round(connection: AsyncConnection, job: NewJob, moment: datetime) -> int:
    """Return the round in which a new job is served.

    Rounds make the line fair: a channel has one job in each, so a channel that comes with its first file
    joins the round being served, before another channel's thousandth. (Start-time fair queuing with all
    jobs counted alike: Goyal, Vin and Cheng, SIGCOMM 1996.)
    """
    waiting = select(
        _round(func.max, _is(jobs, "running")),
        _round(func.min, _is(jobs, "queued") & (jobs.c.run_at <= moment)),
        _round(func.min, _is(jobs, "queued")),
        _round(func.max, jobs.c.scope_key == job.scope.key),
    )
    running, due, first, last = (await connection.execute(waiting)).one()
    served = next((known for known in (running, due) if known is not None), 0)
    if job.urgent:
        return served if first is None else int(first) - 1
    return served if last is None else max(served, last + 1)


def _round(pick: Callable[[Any], Any], condition: ColumnElement[bool]) -> ScalarSelect[Any]:
    return select(pick(jobs.c.round)).where(waits(jobs), condition).scalar_subquery()


def _is(job: FromClause, state: str) -> ColumnElement[bool]:
    # written out, not bound: a database uses a partial index only where it can read the condition
    return job.c.state == literal_column(f"'{state}'")


def waits(job: FromClause) -> ColumnElement[bool]:
    """Say that a job is queued or running, in the words of the partial indexes."""
    return job.c.state.in_([literal_column("'queued'"), literal_column("'running'")])


def fenced(job: Job) -> Update:
    """Change a job only while it is still this claim of it: a late owner must not undo its successor."""
    return update(jobs).where(
        jobs.c.id == job.id,
        jobs.c.owner == job.owner,
        jobs.c.attempts == job.attempts,
        jobs.c.state == literal_column("'running'"),
    )


def put_off(scope: Scope) -> Update:
    """Change the channel's jobs that wait for what is away."""
    return update(jobs).where(
        jobs.c.scope_key == scope.key, _is(jobs, "queued"), jobs.c.waiting_since.is_not(None)
    )
