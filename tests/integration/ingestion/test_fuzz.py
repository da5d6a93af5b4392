from __future__ import annotations

import pytest

from pipeline.ingestion.sandbox import Sandbox
from tests.integration.ingestion.fuzzing import run
from tests.integration.ingestion.seeds import seeds

COUNT = 250
SEED = 20_240


async def test_every_file_that_is_damaged_here_can_be_read_when_it_is_whole() -> None:
    async with Sandbox() as sandbox:
        for name, data in seeds().items():
            parsed = await sandbox.parse(data, name)
            assert parsed.pieces or parsed.is_archive, name


@pytest.mark.timeout(300)
async def test_damaged_files_of_every_format_give_a_result_or_a_reason_and_crash_nothing_of_ours() -> None:
    course = await run(seeds(), count=COUNT, seed=SEED)

    assert course.faults == []
    assert course.outcomes["read"] > COUNT / 10
    assert course.outcomes["CORRUPT"] > 0
