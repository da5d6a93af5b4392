from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from bot.doctor import Check, examine
from bot.settings import Settings
from pipeline.storage.sql import Database
from tests.integration.service.conftest import ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

MODELS = {"llm": {"provider": "extractive"}, "embedding": {"provider": "embedded"}}


async def examined(data: Path, **settings: Any) -> dict[str, Check]:
    given: dict[str, Any] = {"data_dir": data, "_env_file": None, **MODELS, **settings}
    return {check.name: check async for check in examine(Settings(**given))}


async def test_a_new_folder_is_healthy_and_every_part_has_a_line(tmp_path: Path) -> None:
    checks = await examined(tmp_path / "data")

    assert {check.status for check in checks.values()} == {"ok"}
    assert list(checks) == [
        "data folder",
        "database",
        "migrations",
        "vector store",
        "language model",
        "embedding model",
    ]
    assert "nothing is pending" in checks["migrations"].message
    assert "384" in checks["embedding model"].message


@pytest.mark.parametrize("blocked", ["data", "data/logs", "data/logs/footnote.log/x"])
async def test_a_folder_that_cannot_be_written_fails_with_a_remedy_and_the_other_parts_are_looked_at(
    tmp_path: Path, blocked: str
) -> None:
    (tmp_path / blocked).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / blocked).write_text("a file where a folder should be")

    checks = await examined(tmp_path / "data")

    assert checks["data folder"].status == "fail"
    assert "FOOTNOTE_DATA_DIR" in (checks["data folder"].remedy or "")
    assert {"database", "migrations", "vector store", "embedding model"} <= set(checks)
    assert checks["language model"].status == "ok"


async def test_a_database_that_is_newer_than_the_program_fails_at_its_migrations(tmp_path: Path) -> None:
    data = tmp_path / "data"
    database = await Database.connect(Settings(data_dir=data, _env_file=None).database)
    await database.upgrade()
    async with database.write() as connection:
        await connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    await database.close()

    checks = await examined(data)

    assert (checks["database"].status, checks["migrations"].status) == ("ok", "fail")
    assert "newer" in (checks["migrations"].remedy or "")
    assert checks["vector store"].status == "fail"


async def test_a_database_that_cannot_be_opened_shows_no_password(tmp_path: Path) -> None:
    checks = await examined(tmp_path, database_url="mysql://me:secret-word@127.0.0.1/x")

    assert checks["database"].status == "fail"
    assert "FOOTNOTE_DATABASE_URL" in (checks["database"].remedy or "")
    assert not [check for check in checks.values() if "secret-word" in f"{check.message}{check.remedy}"]


async def test_a_channel_that_was_indexed_with_another_model_is_named_with_its_remedy(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)

    checks = await examined(tmp_path / "data")

    assert checks[f"channel {scope}"].status == "ok"
    assert checks["embedding model"].status == "warn"
    assert f"{scope} (scripted:words, 1024 numbers)" in checks["embedding model"].message
    assert checks["embedding model"].remedy == f"footnote reindex --channel {scope}"


@pytest.mark.parametrize("installed", [True, False])
async def test_text_recognition_that_is_switched_on_is_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, installed: bool
) -> None:
    if installed:
        pytest.importorskip("rapidocr")
    else:
        monkeypatch.setitem(sys.modules, "rapidocr", None)

    check = (await examined(tmp_path / "data", ingestion={"ocr": True}))["text recognition"]

    assert check.status == ("ok" if installed else "warn")
    assert installed or "footnote[ocr]" in (check.remedy or "")
