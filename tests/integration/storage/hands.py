"""A worker process that a test may kill, and that tells what it does."""

from __future__ import annotations

import asyncio
import fcntl
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TYPE_CHECKING

from pipeline.storage.queue import Queue
from pipeline.storage.sql import Database
from pipeline.storage.worker import Worker

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.synchronize import Barrier
    from pathlib import Path

    from pipeline.storage.queue import Job

LEASE = timedelta(seconds=3)


@dataclass(kw_only=True)
class Hands:
    """Does jobs under an exclusive lock per channel, which the system lifts when the process is killed."""

    locks: Path
    hang_at: int
    """Count of jobs at which to wait for the end; 0: never."""
    report: Connection
    begun: int = field(default=0, init=False)

    async def __call__(self, job: Job) -> None:
        with (self.locks / job.scope.key).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                self.report.send(("overlap", job.id))
            self.begun += 1
            if self.begun == self.hang_at:
                self.report.send(("hanging", job.id))
                await asyncio.Event().wait()
            await asyncio.sleep(0.02)
            self.report.send(("done", job.id))


def work(url: str, owner: str, hands: Hands, start: Barrier) -> None:
    """Begin with all the others, and do one job after the other until none is left."""
    asyncio.run(_work(url, owner, hands, start))


async def _work(url: str, owner: str, hands: Hands, start: Barrier) -> None:
    database = await Database.connect(url)
    await asyncio.to_thread(start.wait)
    try:
        queue = Queue(database, lease=LEASE)
        await Worker(queue, {"ingest": hands}, owner=owner, slots=1, poll=0.2, beat=0.5).drain()
    finally:
        await database.close()
