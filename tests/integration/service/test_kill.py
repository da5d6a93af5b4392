from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import DocumentStatus

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager

    from bot.bootstrap import Service
    from pipeline.domain import Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

ROOT = Path(__file__).parents[3]
KILLS = 4
FILES = 12


def start(tmp_path: Path, folder: Path, scope: Scope) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.integration.service.victim", tmp_path / "data", folder, str(scope)],
        cwd=ROOT,
        env=os.environ | {"PYTHONDONTWRITEBYTECODE": ""},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.timeout(300)
async def test_a_process_that_is_killed_at_any_moment_leaves_whole_documents_and_work_to_resume(
    opened: Opened, scope: Scope, tmp_path: Path
) -> None:
    moments = random.Random(20261130)
    folder = tmp_path / "many"
    folder.mkdir()
    for number in range(FILES):
        text = "\n\n".join(f"## Part {part}\n\nFile {number} says {part * number}." for part in range(9))
        (folder / f"{number:02}.md").write_text(f"# File {number}\n\n{text}\n")

    for _ in range(KILLS):
        with start(tmp_path, folder, scope) as process:
            time.sleep(moments.uniform(0.1, 1.5))  # noqa: ASYNC251 - the moment of the kill is what is tested
            process.send_signal(signal.SIGKILL)
        async with opened(working=False) as service:
            store = await service.stores.catalog.open(scope)
            assert store is None or await store.incomplete() == []

    with start(tmp_path, folder, scope) as process:
        said, _ = process.communicate(timeout=120)
    assert said == "done\n"
    async with opened(working=False) as service:
        documents = await service.stores.catalog.documents(scope)
        store = await service.stores.catalog.open(scope)
        assert store is not None
        assert await store.sweep() == 0
        assert await store.count_chunks() == sum(document.chunks for document in documents)
        assert await service.stores.queue.waiting(scope) == []
    assert sorted(d.display_name for d in documents) == [f"{number:02}.md" for number in range(FILES)]
    assert {d.status for d in documents} == {DocumentStatus.READY}
