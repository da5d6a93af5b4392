"""A program that is started again at once goes on with what its dead predecessor had begun."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from pipeline.domain import DocumentStatus
from pipeline.storage.job import JobState
from pipeline.storage.presence import present
from tests.integration.service.test_given_up import accept

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]


async def test_whoever_is_alone_takes_what_dead_workers_left_without_waiting_for_their_leases(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened(working=False) as service:
        document_id = await accept(service, scope, folder / "leave.md")
        left = await service.stores.queue.claim("dead")
        assert left is not None
    async with opened() as service:
        await service.worker.drain(scope)
        job = await service.stores.queue.find(left.id)
        document = await service.stores.catalog.find(scope, document_id)

    assert job is not None
    assert document is not None
    assert (job.state, job.attempts) == (JobState.DONE, 2)
    assert document.status is DocumentStatus.READY
    assert job.finished_at is not None
    assert job.finished_at - job.created_at < timedelta(seconds=30)


async def test_whoever_comes_second_leaves_the_first_ones_jobs_alone(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened(working=False) as first, opened(working=False) as second:
        await accept(first, scope, folder / "leave.md")
        async with present(first.stores.database, first.stores.queue):
            job = await first.stores.queue.claim("first")
            assert job is not None
            async with present(second.stores.database, second.stores.queue):
                meanwhile = await second.stores.queue.find(job.id)
            assert await first.stores.queue.finish(job)

    assert meanwhile == job
