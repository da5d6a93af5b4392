"""A worker process that may be killed, and sees whether another is at its channel: ``victim.py DATA URL``.

It works until its standard input is closed, and prints a line for each job that it began beside another.
"""

from __future__ import annotations

import asyncio
import fcntl
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from bot.bootstrap import open_service
from bot.models import Models
from bot.settings import Settings
from tests.fakes.models import ScriptedEmbedder

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.storage.job import Job
    from pipeline.storage.worker import Handler


class SlowEmbedder(ScriptedEmbedder):
    """Takes long enough for a kill to fall between any two steps."""

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        await asyncio.sleep(0.05)
        return await super().embed_documents(texts)


def witnessed(handler: Handler, locks: Path) -> Handler:
    """Do jobs under a lock for their channel, which the system lifts when the process is killed."""

    async def handle(job: Job) -> None:
        with (locks / job.scope.key).open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                sys.stdout.write(f"overlap {job.id}\n")
                sys.stdout.flush()
            await handler(job)

    return handle


async def main(data: Path, url: str) -> None:
    settings = Settings(data_dir=data, database_url=url, _env_file=None)
    models = Models(settings, embedder=SlowEmbedder())
    async with open_service(settings, models=models) as service:
        handlers = service.worker.handlers
        for kind, handler in handlers.items():
            handlers[kind] = witnessed(handler, data)
        sys.stdout.write("ready\n")
        sys.stdout.flush()
        async with service.working():
            await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2]))
