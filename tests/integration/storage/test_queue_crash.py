"""Worker processes that are killed lose no job and do none twice."""

from __future__ import annotations

import asyncio
import multiprocessing
import signal
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING

from pipeline.domain import Scope
from pipeline.storage.queue import NewJob, Queue
from tests.integration.storage.hands import Hands, work

if TYPE_CHECKING:
    from multiprocessing.connection import Connection
    from multiprocessing.process import BaseProcess
    from pathlib import Path

    from pipeline.storage.sql import Database

JOBS = 100
CHANNELS = 10
HANG_AT = {"first": 1, "second": 3, "third": 0, "fourth": 0}

Report = list[tuple[str, int]]


async def test_killed_workers_lose_no_job_and_do_none_twice(
    sqlite: Database, sqlite_url: str, tmp_path: Path
) -> None:
    queue = Queue(sqlite)
    scopes = [Scope("slack", "T", f"C{number}") for number in range(CHANNELS)]
    for number in range(JOBS):
        await queue.enqueue(NewJob(kind="ingest", scope=scopes[number % CHANNELS], dedupe_key=str(number)))

    # a fork of this process would inherit its threads' locks; the server imports what is slow only once
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["aiosqlite", "sqlalchemy.ext.asyncio"])
    start = context.Barrier(len(HANG_AT))

    def run_and_kill(owner: str, hang_at: int) -> Report:
        receiver, sender = context.Pipe(duplex=False)
        hands = Hands(locks=tmp_path, hang_at=hang_at, report=sender)
        process = context.Process(target=work, args=(sqlite_url, owner, hands, start))
        process.start()
        sender.close()
        report = _read_and_kill(receiver, process)
        assert process.exitcode == (-signal.SIGKILL if hang_at else 0)
        return report

    reports = await asyncio.gather(*(asyncio.to_thread(run_and_kill, *one) for one in HANG_AT.items()))

    said = Counter(what for report in reports for what, _ in report)
    done = Counter(job for report in reports for what, job in report if what == "done")
    ledger = [job for scope in scopes for job in await queue.done(scope, "ingest")]
    assert said == {"done": JOBS, "hanging": 2}
    assert set(done.values()) == {1}
    assert {job.id for job in ledger} == set(done)
    assert sorted(job.attempts for job in ledger) == [1] * (JOBS - 2) + [2] * 2


def _read_and_kill(receiver: Connection, process: BaseProcess) -> Report:
    """Return what a worker tells until its end, and kill it where it hangs."""
    report: Report = []
    with suppress(EOFError):
        while True:
            report.append(receiver.recv())
            if report[-1][0] == "hanging":
                process.kill()
    process.join()
    return report
