"""The program is killed at random moments, and leaves exactly the accepted documents, each once.

``KILLS=50 python -m pytest tests/acceptance/test_kills.py`` takes as many moments as it is told; without
that, a few. ``KILLS_SEED`` chooses others.
"""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from bot.settings import Settings
from bot.stores import open_stores
from pipeline.domain import Scope
from tests.acceptance.test_run import running
from tests.integration.service.exact import assert_each_once

if TYPE_CHECKING:
    import subprocess
    from pathlib import Path

    from tests.acceptance.conftest import Program

KILLS = int(os.environ.get("KILLS", "3"))
SEED = int(os.environ.get("KILLS_SEED", "20261130"))
FILES = 5
"""New ones before each kill."""
IN_A_ROW = 3
"""Kills before what is left is worked off; a job that dies with five workers is given up, and rightly."""
CHANNEL = "terminal:local:killed"
ENOUGH_S = 300.0

pytestmark = pytest.mark.timeout(300 + 120 * KILLS)


def write_files(folder: Path, batch: int) -> None:
    folder.mkdir(exist_ok=True)
    for number in range(FILES):
        parts = "\n\n".join(
            f"## Part {part}\n\nFile {number} of batch {batch} says {part}." for part in range(20)
        )
        (folder / f"{batch:02}-{number}.md").write_text(f"# File {number}\n\n{parts}\n")


def jobs(data: Path) -> list[tuple[str, str]]:
    """Document and state of each upload that was accepted, as the database has them."""
    path = data / "footnote.sqlite3"
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=30)) as database:
        known = database.execute("SELECT 1 FROM sqlite_master WHERE name = 'jobs'").fetchall()
        query = "SELECT json_extract(payload, '$.document_id'), state FROM jobs WHERE kind = 'ingest'"
        return database.execute(query).fetchall() if known else []


def begin(program: Program, folder: Path, *, known: int) -> subprocess.Popen[str]:
    """Begin to index a folder, and return when the first of its new files was accepted."""
    process = program.start("ingest", "--channel", CHANNEL, str(folder))
    while len(jobs(program.data)) <= known and process.poll() is None:
        time.sleep(0.01)
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.communicate()


def work_off(program: Program) -> None:
    """Let the program do what is left, and stop it."""
    end = time.monotonic() + ENOUGH_S
    with running(program) as service:
        while any(state in {"queued", "running"} for _, state in jobs(program.data)):
            assert service.process.poll() is None
            assert time.monotonic() < end
            time.sleep(0.05)
        assert service.stop() == (0, "")


async def test_a_program_that_is_killed_at_any_moment_leaves_exactly_the_accepted_documents(
    footnote: Program,
) -> None:
    moments = random.Random(SEED)
    folder = footnote.data / "files"
    write_files(folder, 0)
    whole = begin(footnote, folder, known=0)
    began = time.monotonic()
    whole.communicate()
    span = time.monotonic() - began
    assert whole.returncode == 0

    cut_short = 0
    for number in range(1, KILLS + 1):
        write_files(folder, number)
        process = begin(footnote, folder, known=len(jobs(footnote.data)))
        time.sleep(moments.uniform(0.0, span))  # noqa: ASYNC251 - the moment of the kill is what is tested
        kill(process)
        accepted = {document_id for document_id, _ in jobs(footnote.data)}
        if process.returncode == -signal.SIGKILL:
            cut_short += 1
        else:  # the first run, which the span was taken from, had more to load
            span *= 0.5
        if number % IN_A_ROW == 0 or number == KILLS:
            work_off(footnote)
            assert {document_id for document_id, _ in jobs(footnote.data)} == accepted
            async with open_stores(Settings(data_dir=footnote.data, _env_file=None)) as stores:
                await assert_each_once(stores, Scope.parse(CHANNEL), accepted)
    assert cut_short > KILLS // 2
