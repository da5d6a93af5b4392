"""What the tests on real stores begin with."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pipeline.storage.sql import Database

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="session")
def migrated_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an SQLite file with all migrations applied and no rows, to be copied: that is much quicker."""
    path = tmp_path_factory.mktemp("migrated") / "footnote.sqlite3"
    with asyncio.Runner() as runner:
        runner.run(_migrate(path))
    return path


async def _migrate(path: Path) -> None:
    opened = await Database.connect(f"sqlite+aiosqlite:///{path}")
    try:
        await opened.upgrade()
    finally:
        await opened.close()
