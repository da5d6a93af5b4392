"""A job whose means are away waits for them, visibly, and loses none of its attempts by that."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import IngestReason, Scope
from pipeline.errors import Postponed
from pipeline.storage.queue import MAX_ATTEMPTS, Job, JobState, NewJob, Queue
from pipeline.storage.worker import PATIENCE, Worker, outage_delay

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from pipeline.storage.sql import Database
    from tests.fakes.calendar import FakeCalendar

SCOPE = Scope("slack", "T024BE7LD", "C0123456789")
OTHER = Scope("slack", "T024BE7LD", "C2")
DOWN = "The server is down."


class Server:
    """A handler whose server is away while it is told so."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self.away = True
        self.asked: list[datetime] = []
        self.done: list[str | None] = []
        self._clock = clock

    async def __call__(self, job: Job) -> None:
        self.asked.append(self._clock())
        if self.away:
            raise Postponed(IngestReason.MODEL_UNAVAILABLE, DOWN)
        self.done.append(job.dedupe_key)


@pytest.fixture
def queue(database: Database, calendar: FakeCalendar) -> Queue:
    return Queue(database, calendar)


@pytest.fixture
def server(calendar: FakeCalendar) -> Server:
    return Server(calendar)


def worker(queue: Queue, calendar: FakeCalendar, server: Server) -> Worker:
    return Worker(
        queue,
        {"ingest": server},
        owner="worker",
        clock=calendar,
        sleep=calendar.sleep,
        jitter=lambda: 0.5,
    )


async def add(queue: Queue, key: str, scope: Scope = SCOPE) -> Job:
    return await queue.enqueue(NewJob(kind="ingest", scope=scope, dedupe_key=key))


async def after(queue: Queue, hands: Worker, calendar: FakeCalendar, job: Job, pause: timedelta) -> Job:
    """Return how the job stands after a pause and one more look at what is due."""
    calendar.advance(pause.total_seconds())
    await hands.drain()
    found = await queue.find(job.id)
    assert found is not None
    return found


async def test_an_outage_of_days_uses_up_no_attempt_and_the_job_is_done_when_it_is_over(
    queue: Queue, calendar: FakeCalendar, server: Server
) -> None:
    began = calendar()
    job = await add(queue, "a")
    hands = worker(queue, calendar, server)
    for _ in range(3 * MAX_ATTEMPTS):
        waiting = await after(queue, hands, calendar, job, timedelta(hours=6))
    server.away = False
    done = await after(queue, hands, calendar, job, timedelta(hours=6))

    assert len(server.asked) == 3 * MAX_ATTEMPTS + 1
    assert (waiting.state, waiting.attempts) == (JobState.QUEUED, 0)
    assert (waiting.reason, waiting.message) == (IngestReason.MODEL_UNAVAILABLE, DOWN)
    assert waiting.waiting_since == began + timedelta(hours=6)
    assert (done.state, done.attempts, done.message) == (JobState.DONE, 1, None)


async def test_what_is_away_is_asked_for_less_and_less_often_but_every_few_minutes(
    sqlite: Database, calendar: FakeCalendar, server: Server
) -> None:
    queue = Queue(sqlite, calendar)
    job = await add(queue, "a")
    hands = worker(queue, calendar, server)
    delays = []
    for _ in range(12):
        found = await after(queue, hands, calendar, job, max(job.run_at - calendar(), timedelta()))
        delays.append((found.run_at - server.asked[-1]).total_seconds())
        job = found
    assert delays[:4] == [2, 2, 4, 8]
    assert delays[-2:] == [300, 300]
    assert outage_delay(timedelta(days=1), 0.999) < timedelta(minutes=8)


async def test_what_never_comes_back_is_given_up_with_the_reason(
    sqlite: Database, calendar: FakeCalendar, server: Server
) -> None:
    queue = Queue(sqlite, calendar)
    job = await add(queue, "a")
    hands = worker(queue, calendar, server)
    await after(queue, hands, calendar, job, timedelta())
    still = await after(queue, hands, calendar, job, PATIENCE - timedelta(hours=1))
    dead = await after(queue, hands, calendar, job, timedelta(hours=2))
    assert still.state is JobState.QUEUED
    assert (dead.state, dead.reason, dead.message) == (
        JobState.DEAD,
        IngestReason.MODEL_UNAVAILABLE,
        DOWN,
    )


async def test_what_waits_does_not_hold_up_another_job_of_its_channel_or_of_another(
    queue: Queue, calendar: FakeCalendar, server: Server
) -> None:
    await add(queue, "a")
    await worker(queue, calendar, server).drain()
    server.away = False
    await add(queue, "b")
    await add(queue, "c", OTHER)
    assert await queue.position(await add(queue, "c", OTHER)) == 2
    await worker(queue, calendar, server).drain()
    assert sorted(str(key) for key in server.done) == ["b", "c"]


async def test_a_file_that_comes_again_while_it_waits_is_tried_at_once(
    queue: Queue, calendar: FakeCalendar, server: Server
) -> None:
    job = await add(queue, "a")
    hands = worker(queue, calendar, server)
    for _ in range(3):
        await after(queue, hands, calendar, job, timedelta(hours=1))
    server.away = False
    assert await queue.claim("another") is None
    assert (await add(queue, "a")).id == job.id
    await hands.drain()
    assert server.done == ["a"]


async def test_one_job_that_finds_it_back_wakes_the_others_of_its_channel(
    queue: Queue, calendar: FakeCalendar, server: Server
) -> None:
    for key in ("a", "b", "c"):
        await add(queue, key)
    hands = worker(queue, calendar, server)
    for _ in range(8):
        await hands.drain()
        calendar.advance(400)
    await hands.drain()
    server.away = False
    await add(queue, "b")
    await hands.drain()
    assert sorted(str(key) for key in server.done) == ["a", "b", "c"]


async def test_a_failure_after_an_outage_counts_like_any_other(
    queue: Queue, calendar: FakeCalendar, server: Server
) -> None:
    await add(queue, "a")
    await worker(queue, calendar, server).drain()
    calendar.advance(10)
    job = await queue.claim("another")
    assert job is not None
    await queue.fail(job, "INTERNAL_ERROR", "Odd.", retry_at=calendar())
    failed = await queue.find(job.id)
    assert failed is not None
    assert (failed.attempts, failed.waiting_since) == (1, None)
