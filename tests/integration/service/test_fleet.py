"""Several worker processes share a database and an index; some are killed, and nothing is lost or twice."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from sqlalchemy import update

from bot.bootstrap import open_service
from bot.models import Models
from bot.settings import Settings
from pipeline.domain import Scope
from pipeline.ingestion.intake import Upload
from pipeline.storage.schema import jobs
from pipeline.storage.sql import Database, now
from tests.fakes.models import ScriptedEmbedder
from tests.fakes.postgres import running_postgres
from tests.fakes.waiting import eventually
from tests.integration.service.exact import assert_each_once

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
WORKERS = 3
KILLS = 2
CHANNELS = 3
FILES = 8
SCOPES = [Scope("terminal", "local", f"fleet{number}") for number in range(CHANNELS)]

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    if request.param == "sqlite":
        yield f"sqlite+aiosqlite:///{tmp_path}/fleet.sqlite3"
        return
    with running_postgres() as server:
        yield asyncio.run(server.find_or_create_database("fleet"))


def start(data: Path, url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "tests.integration.service.victim", data, url],
        cwd=ROOT,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


async def let_leases_end(database: Database, pid: int) -> None:
    """As if half a minute had passed for what a killed process holds."""
    left = update(jobs).where(jobs.c.state == "running", jobs.c.owner.contains(f"-{pid}-"))
    async with database.write() as connection:
        await connection.execute(left.values(lease_until=now() - timedelta(seconds=1)))


async def test_workers_that_are_killed_leave_exactly_the_accepted_documents_and_never_met(
    url: str, tmp_path: Path
) -> None:
    moments = random.Random(20261201)
    folder = tmp_path / "files"
    folder.mkdir()
    settings = Settings(data_dir=tmp_path, database_url=url, _env_file=None)
    database = await Database.connect(url)
    await database.upgrade()
    await database.close()

    accepted: dict[str, set[str]] = {scope.key: set() for scope in SCOPES}
    async with open_service(settings, models=Models(settings, embedder=ScriptedEmbedder())) as service:
        for number in range(FILES):
            path = folder / f"{number}.md"
            path.write_text(f"# File {number}\n\n" + "\n\n".join(f"## {part}\n\nText." for part in range(9)))
            for scope in SCOPES:
                upload = Upload(source=path.as_uri(), display_name=path.name)
                found = await service.intake.accept(scope, upload)
                accepted[scope.key].add(str(found.document_id))

        processes = [start(tmp_path, url) for _ in range(WORKERS)]
        for process in processes:
            assert process.stdout is not None
            assert await asyncio.to_thread(process.stdout.readline) == "ready\n"
        for process in moments.sample(processes, KILLS):
            await asyncio.sleep(moments.uniform(0.1, 0.5))
            process.send_signal(signal.SIGKILL)
            process.wait()
            await let_leases_end(service.stores.database, process.pid)

        async def is_done() -> bool:
            return await service.stores.queue.unfinished() == 0

        await eventually(is_done, 120)
        said = [(await asyncio.to_thread(process.communicate))[0] for process in processes]
        for scope in SCOPES:
            await assert_each_once(service.stores, scope, accepted[scope.key])

    assert said == [""] * WORKERS
    codes = [process.returncode for process in processes]
    assert sorted(codes) == [-signal.SIGKILL] * KILLS + [0] * (WORKERS - KILLS)
