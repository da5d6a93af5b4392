"""Who works on an embedded database: a lock that the system lifts when its process dies, however it dies."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

try:
    import fcntl
except ImportError:  # Windows: leases end by themselves there
    fcntl = None  # type: ignore[assignment]  # there is no such module

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from typing import IO

    from pipeline.storage.queue import Queue
    from pipeline.storage.sql import Database

logger = logging.getLogger(__name__)

SUFFIX = ".workers"


@asynccontextmanager
async def present(database: Database, queue: Queue) -> AsyncIterator[None]:
    """Be one of those who work for the length of the block.

    Whoever comes when nobody is there puts back what dead workers left: their leases would only end half a
    minute later. A server's leases end by themselves, for its workers may be on many machines.
    """
    if database.file is None or fcntl is None:
        yield
        return
    with database.file.with_name(database.file.name + SUFFIX).open("ab") as lock:
        try:
            await _join(lock, queue)
        except OSError as error:  # a file system without locks
            logger.info("workers do not see each other here: %s", type(error).__name__)
        yield


async def _join(lock: IO[bytes], queue: Queue) -> None:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        pass  # somebody is at work
    else:
        left = await queue.recover()
        if left:
            logger.info("jobs of dead workers put back", extra={"action": "jobs_recovered", "jobs": left})
    # whoever comes between the two locks takes nothing from us: we have claimed nothing yet
    await asyncio.to_thread(fcntl.flock, lock, fcntl.LOCK_SH)
