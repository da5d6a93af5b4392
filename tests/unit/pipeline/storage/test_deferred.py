"""What LanceDB imports for nothing stays out of every start, and is there for whoever wants it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from typing import TYPE_CHECKING

import pytest

from pipeline.storage.deferred import REST_CLIENT, defer

if TYPE_CHECKING:
    from pathlib import Path

LOADED = f"print([name for name in sys.modules if name.startswith({REST_CLIENT + '.api'!r})])"
PACKAGE = "made_up_client"


def said_by(*lines: str) -> str:
    """Return what a program prints in a process of its own."""
    command = [sys.executable, "-c", "\n".join(lines)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("module", ["pipeline.storage.vectors", "pipeline.benchmark.searching"])
def test_lancedb_works_without_the_client_of_a_service(module: str, tmp_path: Path) -> None:
    said = said_by(
        f"import asyncio, sys, {module}",
        "import lancedb",
        "async def count():",
        f"    connection = await lancedb.connect_async({str(tmp_path)!r})",
        "    table = await connection.create_table('t', [{'id': 1}, {'id': 2}])",
        "    return await table.count_rows('id > 1')",
        "print(asyncio.run(count()))",
        LOADED,
    )

    assert said.split("\n") == ["1", "[]"]


def test_the_client_is_there_for_whoever_asks_for_it() -> None:
    said = said_by(
        "import pipeline.storage, lancedb",
        f"import {REST_CLIENT} as client",
        f"from {REST_CLIENT} import TableApi",
        "print(TableApi.__module__, client.TableApi is TableApi, client.__version__[0].isdigit())",
    )

    assert said == f"{REST_CLIENT}.api.table_api True True"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a package that can be imported, with a module in it."""
    (tmp_path / PACKAGE).mkdir()
    (tmp_path / PACKAGE / "__init__.py").write_text(f"from {PACKAGE}.models import Model\nsize = Model\n")
    (tmp_path / PACKAGE / "models.py").write_text("Model = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in (PACKAGE, f"{PACKAGE}.models"):
        monkeypatch.setitem(sys.modules, name, sys)  # so that what the test imports is forgotten after it
        del sys.modules[name]
    return PACKAGE


def test_a_package_runs_its_own_code_once_a_name_of_it_is_asked_for(package: str) -> None:
    defer(package)
    models = import_module(f"{package}.models")
    deferred = import_module(package)

    assert "size" not in vars(deferred)
    assert deferred.size == models.Model
    assert not hasattr(deferred, "weight")


def test_a_package_that_is_imported_already_stays_as_it_is(package: str) -> None:
    imported = import_module(package)

    defer(package)

    assert sys.modules[package] is imported


def test_a_package_that_is_not_installed_is_none_afterwards() -> None:
    defer(PACKAGE)

    assert PACKAGE not in sys.modules
