"""A worker sees each of its jobs to an end, whatever the handler, the database or the operator does."""

from __future__ import annotations

import asyncio
import logging
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from pipeline.conversation import Reason
from pipeline.domain import IngestReason, Scope
from pipeline.errors import IngestError, ModelUnavailable, StorageError
from pipeline.storage.queue import MAX_ATTEMPTS, Job, JobState, NewJob, Queue
from pipeline.storage.worker import BEAT, DAY, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from datetime import datetime

    from pipeline.storage.sql import Database
    from pipeline.storage.worker import Handler
    from tests.fakes.calendar import FakeCalendar

SCOPE = Scope("slack", "T024BE7LD", "C0123456789")
OTHER = Scope("slack", "T024BE7LD", "C2")


class Desk:
    """A handler that notes what it is given and does as it is told."""

    def __init__(self) -> None:
        self.begun: list[str | None] = []
        self.ended: list[str | None] = []
        self.busy = asyncio.Event()
        self.go_on = asyncio.Event()
        self.let_go = asyncio.Event()

    async def __call__(self, job: Job) -> None:
        self.begun.append(job.dedupe_key)
        self.busy.set()
        try:
            await self.go_on.wait()
        except asyncio.CancelledError:
            self.let_go.set()
            raise
        self.ended.append(job.dedupe_key)


class UnreliableQueue(Queue):
    """A queue whose database is away the first time that it is asked to do one thing."""

    def __init__(self, database: Database, clock: Callable[[], datetime], outage: str) -> None:
        super().__init__(database, clock)
        self._outage: str | None = outage

    def _ask(self, verb: str) -> None:
        if self._outage == verb:
            self._outage = None
            raise StorageError

    async def claim(
        self, owner: str, *, kinds: Collection[str] | None = None, scope: Scope | None = None
    ) -> Job | None:
        self._ask("claim")
        return await super().claim(owner, kinds=kinds, scope=scope)

    async def extend(self, job: Job) -> bool:
        self._ask("extend")
        return await super().extend(job)

    async def finish(self, job: Job) -> bool:
        self._ask("finish")
        return await super().finish(job)


@pytest.fixture
def queue(sqlite: Database, calendar: FakeCalendar) -> Queue:
    return Queue(sqlite, calendar)


@pytest.fixture
def desk() -> Desk:
    return Desk()


def worker(
    queue: Queue,
    calendar: FakeCalendar,
    handler: Handler,
    *,
    grace: float = 0.0,
    on_dead: Handler | None = None,
) -> Worker:
    """Build a worker for whom waiting for the queue takes no time."""

    async def sleep(seconds: float) -> None:
        await (calendar.sleep(seconds) if seconds == BEAT else calendar.skip(seconds))

    return Worker(
        queue,
        {"ingest": handler},
        owner="worker",
        grace=grace,
        on_dead=on_dead,
        clock=calendar,
        sleep=sleep,
        jitter=lambda: 0.5,
    )


async def add(queue: Queue, key: str, scope: Scope = SCOPE) -> Job:
    return await queue.enqueue(NewJob(kind="ingest", scope=scope, dedupe_key=key))


async def state(queue: Queue, job: Job) -> Job:
    found = await queue.find(job.id)
    assert found is not None
    return found


async def test_draining_does_everything_that_waits(queue: Queue, calendar: FakeCalendar, desk: Desk) -> None:
    desk.go_on.set()
    for key in ("a", "b", "c"):
        await add(queue, key)
    await add(queue, "d", OTHER)
    await worker(queue, calendar, desk).drain()
    assert sorted(str(key) for key in desk.ended) == ["a", "b", "c", "d"]
    assert [job.dedupe_key for job in await queue.done(SCOPE, "ingest")] == ["a", "b", "c"]


async def test_draining_one_channel_leaves_the_others_alone(
    queue: Queue, calendar: FakeCalendar, desk: Desk
) -> None:
    desk.go_on.set()
    await add(queue, "mine")
    await add(queue, "other", OTHER)
    await worker(queue, calendar, desk).drain(SCOPE)
    assert desk.ended == ["mine"]


async def test_draining_nothing_ends_at_once(queue: Queue, calendar: FakeCalendar, desk: Desk) -> None:
    await worker(queue, calendar, desk).drain()


async def test_jobs_of_a_kind_without_a_handler_are_left_for_others(
    queue: Queue, calendar: FakeCalendar, desk: Desk
) -> None:
    job = await queue.enqueue(NewJob(kind="unheard-of", scope=SCOPE))
    await worker(queue, calendar, desk).drain()
    assert (await state(queue, job)).state is JobState.QUEUED


async def test_a_file_that_cannot_be_indexed_is_not_tried_again(queue: Queue, calendar: FakeCalendar) -> None:
    async def refuse(job: Job) -> None:
        raise IngestError(IngestReason.ENCRYPTED, "The file has a password.")

    job = await add(queue, "a")
    await worker(queue, calendar, refuse).drain()
    failed = await state(queue, job)
    assert (failed.state, failed.attempts) == (JobState.FAILED, 1)
    assert (failed.reason, failed.message) == (IngestReason.ENCRYPTED, "The file has a password.")


async def test_another_error_is_retried_with_growing_delays_and_then_given_up(
    queue: Queue, calendar: FakeCalendar
) -> None:
    moments = []

    async def break_down(job: Job) -> None:
        moments.append(calendar())
        raise RuntimeError("words of a file")

    job = await add(queue, "a")
    await worker(queue, calendar, break_down).drain()
    dead = await state(queue, job)
    assert (dead.state, dead.reason) == (JobState.DEAD, Reason.INTERNAL_ERROR)
    assert len(moments) == dead.attempts == MAX_ATTEMPTS
    gaps = [(later - earlier).total_seconds() for earlier, later in pairwise(moments)]
    assert all(gap >= least for gap, least in zip(gaps, (2, 6, 18), strict=True))


async def break_down(job: Job) -> None:
    raise ModelUnavailable("The server is down.")


async def test_a_job_that_is_given_up_is_heard_once_more_while_its_channel_is_held_for_it(
    queue: Queue, calendar: FakeCalendar
) -> None:
    heard: list[Job] = []

    async def hear(job: Job) -> None:
        await queue.enqueue(NewJob(kind="other", scope=SCOPE))
        assert await queue.claim("another", scope=SCOPE) is None
        heard.append(job)

    job = await add(queue, "a")
    await worker(queue, calendar, break_down, on_dead=hear).drain()
    (last,) = heard
    assert (last.id, last.state, last.reason) == (job.id, JobState.DEAD, IngestReason.MODEL_UNAVAILABLE)
    assert last.message == "The server is down."
    dead = await state(queue, job)
    assert (dead.state, dead.reason, dead.message) == (last.state, last.reason, last.message)


async def test_a_job_that_crashed_all_its_workers_is_given_up_without_being_begun_again(
    queue: Queue, calendar: FakeCalendar, desk: Desk
) -> None:
    heard: list[Job] = []

    async def hear(job: Job) -> None:
        heard.append(job)

    job = await add(queue, "a")
    for _ in range(MAX_ATTEMPTS):
        assert await queue.claim("crashing") is not None
        calendar.advance(31)
    await worker(queue, calendar, desk, on_dead=hear).drain()
    assert desk.begun == []
    assert [(each.id, each.reason) for each in heard] == [(job.id, IngestReason.INTERNAL_ERROR)]
    dead = await state(queue, job)
    assert (dead.state, dead.message) == (JobState.DEAD, heard[0].message)


async def test_a_last_word_that_fails_does_not_keep_a_job_from_ending(
    queue: Queue, calendar: FakeCalendar, caplog: pytest.LogCaptureFixture
) -> None:
    async def stammer(job: Job) -> None:
        raise RuntimeError("words of a file")

    job = await add(queue, "a")
    await worker(queue, calendar, break_down, on_dead=stammer).drain()
    assert (await state(queue, job)).state is JobState.DEAD
    assert "RuntimeError at test_queue_worker.py:" in caplog.text
    assert "words of a file" not in caplog.text


async def test_a_running_worker_does_its_daily_chores_at_once_and_every_day(
    queue: Queue, calendar: FakeCalendar, desk: Desk
) -> None:
    done: list[float] = []

    async def tidy() -> None:
        done.append(calendar().timestamp())
        if len(done) == 1:
            raise StorageError

    stop = asyncio.Event()
    hands = Worker(queue, {"ingest": desk}, owner="w", daily=tidy, clock=calendar, sleep=calendar.sleep)
    running = asyncio.create_task(hands.run(stop))
    for _ in range(2):
        await calendar.sleeping(DAY)
        calendar.advance(DAY)
    await calendar.sleeping(DAY)
    stop.set()
    await running
    assert [later - earlier for earlier, later in pairwise(done)] == [DAY, DAY]


async def test_a_job_that_recovers_is_done(queue: Queue, calendar: FakeCalendar) -> None:
    async def recover(job: Job) -> None:
        if job.attempts < 3:
            raise ModelUnavailable

    job = await add(queue, "a")
    await worker(queue, calendar, recover).drain()
    done = await state(queue, job)
    assert (done.state, done.attempts, done.reason) == (JobState.DONE, 3, None)


async def test_one_job_that_breaks_down_does_not_stop_the_others(
    queue: Queue, calendar: FakeCalendar
) -> None:
    async def mostly_work(job: Job) -> None:
        if job.dedupe_key == "bad":
            raise RuntimeError

    for key in ("a", "bad", "b"):
        await add(queue, key)
    await worker(queue, calendar, mostly_work).drain()
    assert {job.dedupe_key for job in await queue.done(SCOPE, "ingest")} == {"a", "b"}


async def test_what_a_broken_handler_says_stays_out_of_log_and_ledger(
    queue: Queue, calendar: FakeCalendar, caplog: pytest.LogCaptureFixture
) -> None:
    async def break_down(job: Job) -> None:
        raise RuntimeError("words of a file")

    job = await add(queue, "a")
    with caplog.at_level(logging.DEBUG, "pipeline"):
        await worker(queue, calendar, break_down).drain()
    assert "RuntimeError at test_queue_worker.py:" in caplog.text
    assert "words of a file" not in caplog.text
    assert "words of a file" not in str((await state(queue, job)).message)


async def test_a_handler_that_cancels_itself_is_retried_like_any_that_breaks_down(
    queue: Queue, calendar: FakeCalendar
) -> None:
    async def give_up(job: Job) -> None:
        raise asyncio.CancelledError

    job = await add(queue, "a")
    await worker(queue, calendar, give_up).drain()
    assert (await state(queue, job)).state is JobState.DEAD


async def test_channels_are_served_side_by_side_and_never_one_of_them_twice(
    queue: Queue, calendar: FakeCalendar, desk: Desk
) -> None:
    for key, scope in (("a", SCOPE), ("b", SCOPE), ("c", OTHER)):
        await add(queue, key, scope)
    both = asyncio.Event()

    async def meet(job: Job) -> None:
        desk.begun.append(job.dedupe_key)
        if {"a", "c"} <= set(desk.begun):
            both.set()
        await both.wait()

    await worker(queue, calendar, meet).drain()
    assert sorted(str(key) for key in desk.begun[:2]) == ["a", "c"]
    assert desk.begun[2] == "b"


async def test_a_running_worker_takes_a_new_job_without_waiting_for_the_next_look(
    queue: Queue, calendar: FakeCalendar, desk: Desk
) -> None:
    stop = asyncio.Event()
    idle = Worker(queue, {"ingest": desk}, owner="w", poll=7.0, clock=calendar, sleep=calendar.sleep)
    running = asyncio.create_task(idle.run(stop))
    await calendar.sleeping(7.0)
    desk.go_on.set()
    job = await add(queue, "a")
    await desk.busy.wait()
    stop.set()
    await running
    assert (await state(queue, job)).state is JobState.DONE


async def test_a_running_worker_finds_what_another_process_queued(
    queue: Queue, sqlite: Database, calendar: FakeCalendar, desk: Desk
) -> None:
    stop = asyncio.Event()
    idle = Worker(queue, {"ingest": desk}, owner="w", poll=7.0, clock=calendar, sleep=calendar.sleep)
    running = asyncio.create_task(idle.run(stop))
    await calendar.sleeping(7.0)
    await add(Queue(sqlite, calendar), "a")
    calendar.advance(7.0)
    await desk.busy.wait()
    desk.go_on.set()
    stop.set()
    await running
    assert desk.ended == ["a"]


async def test_a_long_job_keeps_its_lease(queue: Queue, calendar: FakeCalendar, desk: Desk) -> None:
    job = await add(queue, "a")
    slow = Worker(queue, {"ingest": desk}, owner="w", clock=calendar, sleep=calendar.sleep)
    draining = asyncio.create_task(slow.drain())
    await desk.busy.wait()
    for _ in range(5):
        await calendar.sleeping(BEAT)
        calendar.advance(BEAT)
    await calendar.sleeping(BEAT)
    assert await queue.claim("another") is None
    desk.go_on.set()
    calendar.advance(1.0)
    await draining
    assert (await state(queue, job)).attempts == 1


async def test_a_worker_that_lost_its_lease_lets_go_of_the_job(
    queue: Queue, sqlite: Database, calendar: FakeCalendar, desk: Desk
) -> None:
    await add(queue, "a")
    slow = Worker(queue, {"ingest": desk}, owner="slow", clock=calendar, sleep=calendar.sleep)
    stop = asyncio.Event()
    running = asyncio.create_task(slow.run(stop))
    await calendar.sleeping(BEAT)
    # the other process sees the lease ended before the slow one gets to renew it
    quick = Queue(sqlite, lambda: calendar() + timedelta(seconds=31))
    taken = await quick.claim("quick")
    assert taken is not None
    calendar.advance(BEAT)
    await desk.let_go.wait()
    stop.set()
    await running
    assert desk.ended == []
    assert await quick.finish(taken)


async def test_a_stopped_worker_lets_its_job_end_in_time(
    queue: Queue, calendar: FakeCalendar, desk: Desk
) -> None:
    job = await add(queue, "a")
    stop = asyncio.Event()
    running = asyncio.create_task(worker(queue, calendar, desk, grace=60.0).run(stop))
    await desk.busy.wait()
    stop.set()
    desk.go_on.set()
    await running
    assert (await state(queue, job)).state is JobState.DONE


async def test_a_stopped_worker_puts_back_what_takes_too_long(
    queue: Queue, calendar: FakeCalendar, desk: Desk
) -> None:
    job = await add(queue, "a")
    stop = asyncio.Event()
    running = asyncio.create_task(worker(queue, calendar, desk).run(stop))
    await desk.busy.wait()
    stop.set()
    await running
    released = await state(queue, job)
    assert (released.state, released.attempts) == (JobState.QUEUED, 0)


@pytest.mark.parametrize("way", ["run", "drain"])
async def test_a_cancelled_worker_puts_its_job_back(
    queue: Queue, calendar: FakeCalendar, desk: Desk, way: str
) -> None:
    job = await add(queue, "a")
    hands = worker(queue, calendar, desk, grace=60.0)
    task = asyncio.create_task(hands.drain() if way == "drain" else hands.run(asyncio.Event()))
    await desk.busy.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    released = await state(queue, job)
    assert (released.state, released.attempts) == (JobState.QUEUED, 0)


@pytest.mark.parametrize("outage", ["claim", "extend", "finish"])
async def test_a_job_is_done_although_the_database_was_away_for_a_moment(
    sqlite: Database, calendar: FakeCalendar, desk: Desk, outage: str
) -> None:
    queue = UnreliableQueue(sqlite, calendar, outage)
    job = await add(queue, "a")
    stop = asyncio.Event()
    running = asyncio.create_task(worker(queue, calendar, desk).run(stop))
    await desk.busy.wait()
    calendar.advance(BEAT)
    desk.go_on.set()
    while (await state(queue, job)).state is not JobState.DONE:
        calendar.advance(BEAT)
    stop.set()
    await running
    assert set(desk.ended) == {"a"}


async def test_draining_says_that_the_database_is_away(
    sqlite: Database, calendar: FakeCalendar, desk: Desk
) -> None:
    queue = UnreliableQueue(sqlite, calendar, "claim")
    await add(queue, "a")
    with pytest.raises(StorageError):
        await worker(queue, calendar, desk).drain()
