"""The queue hands out each job to one owner at a time, fairly, and keeps a ledger of what was done."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pipeline.conversation import Reason
from pipeline.domain import IngestReason, Scope
from pipeline.storage.queue import LEASE, MAX_ATTEMPTS, Job, JobState, NewJob, Queue

if TYPE_CHECKING:
    from pipeline.storage.sql import Database
    from tests.fakes.calendar import FakeCalendar

SCOPE = Scope("slack", "T024BE7LD", "C0123456789")
OTHER = Scope("slack", "T024BE7LD", "C2")
THIRD = Scope("slack", "T024BE7LD", "C3")


@pytest.fixture
def queue(database: Database, calendar: FakeCalendar) -> Queue:
    return Queue(database, calendar)


def new(
    key: str | None = None, scope: Scope = SCOPE, *, kind: str = "ingest", urgent: bool = False
) -> NewJob:
    return NewJob(kind=kind, scope=scope, payload={"key": key}, dedupe_key=key, urgent=urgent)


async def claimed(queue: Queue, owner: str = "worker", *, scope: Scope | None = None) -> Job:
    job = await queue.claim(owner, scope=scope)
    assert job is not None
    return job


async def order_of(queue: Queue) -> list[str | None]:
    """Do everything that is due, and return the keys in the order they came up."""
    keys = []
    while (job := await queue.claim("worker")) is not None:
        keys.append(job.dedupe_key)
        await queue.finish(job)
    return keys


async def test_a_job_comes_back_as_it_was_put_in(queue: Queue, calendar: FakeCalendar) -> None:
    added = await queue.enqueue(NewJob(kind="ingest", scope=SCOPE, payload={"a": [1, None, "é"]}))
    assert (added.state, added.attempts, added.created_at) == (JobState.QUEUED, 0, calendar())
    job = await claimed(queue, "me")
    assert (job.id, job.scope, job.payload) == (added.id, SCOPE, {"a": [1, None, "é"]})
    assert (job.state, job.attempts, job.owner) == (JobState.RUNNING, 1, "me")
    assert await queue.find(job.id) == job


async def test_an_empty_queue_gives_nothing(queue: Queue) -> None:
    assert await queue.claim("worker") is None


async def test_the_same_upload_twice_is_one_job_until_it_has_ended(queue: Queue) -> None:
    first = await queue.enqueue(new("d1"))
    assert (await queue.enqueue(new("d1"))).id == first.id
    job = await claimed(queue)
    assert (await queue.enqueue(new("d1"))).state is JobState.RUNNING
    await queue.finish(job)
    assert (await queue.enqueue(new("d1"))).id != first.id


async def test_uploads_at_the_same_time_are_one_job(queue: Queue) -> None:
    jobs = await asyncio.gather(*(queue.enqueue(new("d1")) for _ in range(8)))
    assert len({job.id for job in jobs}) == 1


async def test_channels_kinds_and_jobs_without_a_key_do_not_dedupe_each_other(queue: Queue) -> None:
    jobs = [new("d1"), new("d1", OTHER), new("d1", kind="forget"), new(), new()]
    assert len({(await queue.enqueue(job)).id for job in jobs}) == 5


async def test_one_job_of_a_channel_runs_at_a_time(queue: Queue) -> None:
    for key in ("a", "b"):
        await queue.enqueue(new(key))
    first = await claimed(queue)
    assert await queue.claim("another") is None
    await queue.finish(first)
    assert (await claimed(queue, "another")).dedupe_key == "b"


async def test_many_claims_at_once_never_run_a_channel_twice(queue: Queue) -> None:
    for number in range(6):
        await queue.enqueue(new(f"{number}", Scope("slack", "T", f"C{number % 3}")))
    jobs = await asyncio.gather(*(queue.claim(f"worker-{number}") for number in range(8)))
    running = [job for job in jobs if job is not None]
    assert set(Counter(job.scope for job in running).values()) == {1}
    assert len({job.id for job in running}) == len(running)
    assert len(running) + await queue_length(queue) == 6


async def queue_length(queue: Queue) -> int:
    waiting = [job for number in range(3) for job in await queue.waiting(Scope("slack", "T", f"C{number}"))]
    return sum(job.state is JobState.QUEUED for job in waiting)


async def test_a_claim_can_be_limited_to_kinds_and_to_a_channel(queue: Queue) -> None:
    await queue.enqueue(new("a", kind="ingest"))
    await queue.enqueue(new("b", OTHER, kind="forget"))
    assert await queue.claim("worker", kinds={"reindex"}) is None
    assert await queue.claim("worker", kinds=[]) is None
    forget = await queue.claim("worker", kinds={"forget", "reindex"})
    assert forget is not None
    assert forget.dedupe_key == "b"
    assert (await claimed(queue, scope=SCOPE)).dedupe_key == "a"


async def test_a_thousand_files_of_one_channel_do_not_hold_up_another_channels_single_one(
    queue: Queue,
) -> None:
    for number in range(100):
        await queue.enqueue(new(f"many-{number}"))
    await queue.finish(await claimed(queue))
    running = await claimed(queue)
    single = await queue.enqueue(new("single", OTHER))
    assert await queue.position(single) == 1
    assert (await claimed(queue, "another")).dedupe_key == "single"
    await queue.finish(running)
    assert (await claimed(queue)).dedupe_key == "many-2"


async def test_channels_take_turns(queue: Queue) -> None:
    for scope in (SCOPE, OTHER, THIRD):
        for number in range(3):
            await queue.enqueue(new(f"{scope.channel}-{number}", scope))
    order = await order_of(queue)
    assert [str(key)[-1] for key in order] == ["0"] * 3 + ["1"] * 3 + ["2"] * 3


async def test_a_channel_that_always_has_one_more_file_does_not_hold_up_the_others(queue: Queue) -> None:
    for number in range(4):
        await queue.enqueue(new(f"many-{number}"))
    served = []
    for number in range(6):
        await queue.enqueue(new(f"one-{number}", OTHER))
        job = await claimed(queue)
        served.append(str(job.dedupe_key)[:4])
        await queue.finish(job)
    assert Counter(served) == {"many": 3, "one-": 3}


async def test_an_urgent_job_goes_before_everything_that_waits(queue: Queue) -> None:
    for number in range(3):
        await queue.enqueue(new(f"{number}"))
    await queue.enqueue(new("other", OTHER))
    await queue.enqueue(new("urgent", urgent=True))
    assert (await order_of(queue))[0] == "urgent"


async def test_an_urgent_job_waits_for_the_one_that_runs(queue: Queue) -> None:
    await queue.enqueue(new("running"))
    await claimed(queue)
    urgent = await queue.enqueue(new("urgent", urgent=True))
    assert await queue.claim("another") is None
    assert await queue.position(urgent) == 1


async def test_a_place_in_line_counts_what_comes_before(queue: Queue) -> None:
    jobs = [await queue.enqueue(new(f"{number}")) for number in range(3)]
    assert [await queue.position(job) for job in jobs] == [1, 2, 3]
    await claimed(queue)
    assert [await queue.position(job) for job in jobs] == [0, 1, 2]


async def test_a_job_that_was_put_off_is_not_handed_out_before_its_time(
    queue: Queue, calendar: FakeCalendar
) -> None:
    later = calendar() + timedelta(hours=1)
    await queue.enqueue(NewJob(kind="maintain", scope=SCOPE, run_at=later))
    assert await queue.claim("worker") is None
    assert await queue.unfinished() == 0
    calendar.advance(3600)
    assert await queue.unfinished() == 1
    await claimed(queue)


async def test_a_job_whose_worker_crashed_is_handed_out_again_when_its_lease_has_ended(
    queue: Queue, calendar: FakeCalendar
) -> None:
    await queue.enqueue(new("a"))
    lost = await claimed(queue, "crashed")
    calendar.advance(LEASE.total_seconds())
    assert await queue.claim("next") is None
    calendar.advance(1)
    taken = await claimed(queue, "next")
    assert (taken.id, taken.attempts) == (lost.id, 2)


async def test_a_late_owner_cannot_undo_what_its_successor_does(queue: Queue, calendar: FakeCalendar) -> None:
    await queue.enqueue(new("a"))
    late = await claimed(queue, "late")
    calendar.advance(31)
    taken = await claimed(queue, "next")
    assert not await queue.extend(late)
    assert not await queue.finish(late)
    assert not await queue.fail(late, IngestReason.CORRUPT)
    assert not await queue.fail(late, Reason.INTERNAL_ERROR, retry_at=calendar())
    assert not await queue.release(late)
    assert await queue.finish(taken)
    assert not await queue.finish(taken)


async def test_the_same_owner_cannot_finish_a_claim_it_lost_to_itself(
    queue: Queue, calendar: FakeCalendar
) -> None:
    await queue.enqueue(new("a"))
    late = await claimed(queue)
    calendar.advance(31)
    await claimed(queue)
    assert not await queue.finish(late)


async def test_an_extended_lease_keeps_the_job(queue: Queue, calendar: FakeCalendar) -> None:
    await queue.enqueue(new("a"))
    job = await claimed(queue)
    for _ in range(5):
        calendar.advance(20)
        assert await queue.extend(job)
    assert await queue.claim("another") is None


async def test_a_job_that_crashes_every_worker_is_given_up(queue: Queue, calendar: FakeCalendar) -> None:
    added = await queue.enqueue(new("poison"))
    await queue.enqueue(new("healthy"))
    for _ in range(MAX_ATTEMPTS):
        assert (await claimed(queue)).id == added.id
        calendar.advance(31)
    spent = await claimed(queue)
    assert (spent.id, spent.attempts) == (added.id, MAX_ATTEMPTS + 1)
    calendar.advance(31)
    assert (await claimed(queue)).dedupe_key == "healthy"
    (dead,) = await queue.failed(SCOPE)
    assert (dead.id, dead.state, dead.reason) == (added.id, JobState.DEAD, Reason.INTERNAL_ERROR)
    assert dead.message
    assert dead.finished_at == calendar()


async def test_what_is_undone_waits_runs_or_was_lost_and_is_listed_in_the_order_it_came(
    queue: Queue, calendar: FakeCalendar
) -> None:
    for key in ("lost", "done", "running", "queued"):
        await queue.enqueue(new(key))
    await queue.fail(await claimed(queue), IngestReason.CORRUPT)
    await queue.finish(await claimed(queue))
    await claimed(queue)
    await queue.enqueue(new("other kind", kind="forget"))
    undone = await queue.undone(SCOPE, "ingest")
    assert [(job.dedupe_key, job.state) for job in undone] == [
        ("lost", JobState.FAILED),
        ("running", JobState.RUNNING),
        ("queued", JobState.QUEUED),
    ]


async def test_a_retried_job_waits_and_then_comes_up_again(queue: Queue, calendar: FakeCalendar) -> None:
    await queue.enqueue(new("a"))
    job = await claimed(queue)
    later = calendar() + timedelta(seconds=5)
    assert await queue.fail(job, Reason.INTERNAL_ERROR, "Odd.", retry_at=later)
    assert await queue.claim("worker") is None
    assert await queue.unfinished() == 1
    calendar.advance(5)
    again = await claimed(queue)
    assert (again.id, again.attempts, again.reason) == (job.id, 2, None)


async def test_a_job_is_dead_after_its_last_attempt(queue: Queue, calendar: FakeCalendar) -> None:
    await queue.enqueue(new("a"))
    for _ in range(MAX_ATTEMPTS):
        await queue.fail(await claimed(queue), Reason.INTERNAL_ERROR, "Odd.", retry_at=calendar())
    assert await queue.claim("worker") is None
    (dead,) = await queue.failed(SCOPE)
    assert (dead.state, dead.attempts, dead.message) == (JobState.DEAD, MAX_ATTEMPTS, "Odd.")


async def test_a_released_job_is_as_if_it_had_not_been_claimed(queue: Queue) -> None:
    await queue.enqueue(new("a"))
    for _ in range(MAX_ATTEMPTS + 1):
        assert await queue.release(await claimed(queue))
    job = await claimed(queue)
    assert (job.attempts, job.dedupe_key) == (1, "a")


async def test_a_failed_job_is_kept_with_its_reason_until_a_later_try_succeeds(
    queue: Queue, calendar: FakeCalendar
) -> None:
    await queue.enqueue(new("a"))
    assert await queue.fail(await claimed(queue), IngestReason.ENCRYPTED, "It has a password.")
    (failed,) = await queue.failed(SCOPE)
    assert (failed.state, failed.reason, failed.message) == (
        JobState.FAILED,
        IngestReason.ENCRYPTED,
        "It has a password.",
    )
    assert failed.finished_at == calendar()
    await queue.enqueue(new("a"))
    await queue.finish(await claimed(queue))
    assert await queue.failed(SCOPE) == []


async def test_the_ledger_holds_one_entry_for_each_key_in_the_order_of_the_work(
    queue: Queue, calendar: FakeCalendar
) -> None:
    for key in ("a", "b", "a"):
        await queue.enqueue(new(key))
        await queue.finish(await claimed(queue))
        calendar.advance(1)
    await queue.enqueue(new("a", kind="forget"))
    await queue.enqueue(new("a", OTHER))
    assert [job.dedupe_key for job in await queue.done(SCOPE, "ingest")] == ["b", "a"]


async def test_a_failure_does_not_take_an_earlier_success_out_of_the_ledger(queue: Queue) -> None:
    await queue.enqueue(new("a"))
    await queue.finish(await claimed(queue))
    for _ in range(2):
        await queue.enqueue(new("a"))
        await queue.fail(await claimed(queue), IngestReason.UNREADABLE)
    assert len(await queue.done(SCOPE, "ingest")) == 1
    assert len(await queue.failed(SCOPE)) == 1


async def test_what_waits_is_listed_with_the_running_job_first(queue: Queue) -> None:
    for key in ("a", "b"):
        await queue.enqueue(new(key))
    await queue.enqueue(new("elsewhere", OTHER))
    await claimed(queue)
    await queue.enqueue(new("urgent", urgent=True))
    assert [job.dedupe_key for job in await queue.waiting(SCOPE)] == ["a", "urgent", "b"]


async def test_forgetting_strikes_ended_jobs_only(queue: Queue) -> None:
    await queue.enqueue(new("done"))
    await queue.finish(await claimed(queue))
    await queue.enqueue(new("failed"))
    await queue.fail(await claimed(queue), IngestReason.CORRUPT)
    await queue.enqueue(new("running"))
    await claimed(queue)
    await queue.enqueue(new("queued"))
    assert [job.dedupe_key for job in await queue.forget(SCOPE, ["done", "running", "queued"])] == ["done"]
    assert [job.dedupe_key for job in await queue.forget(SCOPE)] == ["failed"]
    assert [job.dedupe_key for job in await queue.waiting(SCOPE)] == ["running", "queued"]


async def test_cancelling_takes_out_what_has_not_begun(queue: Queue) -> None:
    for key in ("running", "a", "b", "c"):
        await queue.enqueue(new(key))
    await queue.enqueue(new("elsewhere", OTHER))
    await claimed(queue)
    assert [job.dedupe_key for job in await queue.cancel(SCOPE, ["a", "running"])] == ["a"]
    assert sorted(str(job.dedupe_key) for job in await queue.cancel(SCOPE)) == ["b", "c"]
    assert [job.dedupe_key for job in await queue.waiting(SCOPE)] == ["running"]
    assert len(await queue.waiting(OTHER)) == 1


async def test_whoever_listens_hears_of_jobs_that_come_and_of_channels_that_become_free(
    queue: Queue,
) -> None:
    bell = asyncio.Event()
    with queue.announce(bell):
        await queue.enqueue(new("a"))
        assert bell.is_set()
        job = await claimed(queue)
        bell.clear()
        await queue.finish(job)
        assert bell.is_set()
    bell.clear()
    await queue.enqueue(new("b"))
    assert not bell.is_set()
