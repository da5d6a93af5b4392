"""A whole service on real stores, with scripted models."""

from __future__ import annotations

import shutil
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest

from bot.bootstrap import open_service
from bot.models import Models
from bot.settings import Settings
from pipeline.domain import Scope
from pipeline.generation.providers import Llm
from pipeline.generation.rolling import ExtractiveSummarizer
from pipeline.ingestion.tokens import analyze
from tests.fakes.models import ScriptedEmbedder, ScriptedReader

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.ingestion.results import Ingested
    from pipeline.ports import Embedder, Reader

HANDBOOK = {
    "refunds.md": "# Refunds\n\n## Timing\n\nA refund for a monthly plan takes five working days.\n"
    "\n## Annual plans\n\nA refund for an annual plan takes fifteen working days.\n",
    "leave.md": "# Leave\n\nEvery employee has 28 days of paid leave a year.\n",
    "errors.csv": "code,meaning\nBILL-4021,card expired\nBILL-4022,card stolen\n",
}


@pytest.fixture
def scope() -> Scope:
    return Scope.parse("terminal:local:test")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "files"
    folder.mkdir()
    for name, text in HANDBOOK.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def opened(tmp_path: Path, migrated_file: Path) -> Callable[..., AbstractAsyncContextManager[Service]]:
    """Open the service on this test's folder; again and again if need be."""
    data = tmp_path / "data"
    data.mkdir()
    shutil.copy(migrated_file, data)

    @asynccontextmanager
    async def open_it(
        reader: Reader | None = None,
        embedder: Embedder | None = None,
        *,
        working: bool = True,
        sparse: bool = True,
    ) -> AsyncIterator[Service]:
        settings = Settings(data_dir=data, retrieval={"sparse": sparse}, _env_file=None)
        llm = Llm(
            reader=reader or ScriptedReader("It takes five working days [1]."),
            summarizer=ExtractiveSummarizer(analyze),
            note="scripted",
        )
        models = Models(settings, embedder=embedder or ScriptedEmbedder(dimension=1024), llm=llm)
        async with open_service(settings, models=models) as service:
            if not working:
                yield service
                return
            async with service.working():
                yield service

    return open_it


async def ingest(service: Service, scope: Scope, folder: Path) -> list[Ingested]:
    files = [(path, path.name) for path in sorted(folder.iterdir())]
    return await service.chores.ingest(scope, files, lambda done, total, name: None)
