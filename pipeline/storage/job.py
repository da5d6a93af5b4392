"""A job's values: what is asked for, and how it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from sqlalchemy import Row


class JobState(StrEnum):
    """Where a job stands."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    """Its handler said no, with a reason."""
    DEAD = "dead"
    """It was tried as often as allowed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewJob:
    """Something to be done for one channel."""

    kind: str
    scope: Scope
    payload: Mapping[str, Any] = field(default_factory=dict)
    """What the handler needs, as JSON can hold it."""
    dedupe_key: str | None = None
    """Of all jobs of this channel and kind with the same key, one waits or runs at a time; None: no limit."""
    run_at: datetime | None = None
    """Not before this moment; None: as soon as may be."""
    urgent: bool = False
    """Go before everything that waits (not before what runs)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job as the queue knows it."""

    id: int
    kind: str
    scope: Scope
    payload: Mapping[str, Any]
    dedupe_key: str | None
    state: JobState
    attempts: int
    """How often it was claimed, this time included; over the queue's `max_attempts`, it is to be given up."""
    round: int
    run_at: datetime
    owner: str | None
    reason: str | None
    """An `IngestReason`, or ``INTERNAL_ERROR``."""
    message: str | None
    """The reason in a sentence for people."""
    created_at: datetime
    finished_at: datetime | None
    waiting_since: datetime | None = None
    """When what it needs was first found to be away; None: it is not known to be."""


def job_of(row: Row[Any]) -> Job:
    """Read a row of the jobs table."""
    return Job(
        id=row.id,
        kind=row.kind,
        scope=Scope.parse(row.scope),
        payload=row.payload,
        dedupe_key=row.dedupe_key,
        state=JobState(row.state),
        attempts=row.attempts,
        round=row.round,
        run_at=row.run_at,
        owner=row.owner,
        reason=row.reason,
        message=row.message,
        created_at=row.created_at,
        finished_at=row.finished_at,
        waiting_since=row.waiting_since,
    )
