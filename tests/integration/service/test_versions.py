"""Identical bytes are one document; the same name with other bytes is another, and the older may go."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from adapters.cli.program import program
from bot.records import Caller
from pipeline.domain import DocumentStatus
from pipeline.ingestion.intake import Upload
from tests.integration.service.conftest import ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]


async def test_a_new_version_knows_the_older_one_also_when_it_is_taken_up_after_a_crash(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        (before,) = [each for each in await ingest(service, scope, folder) if each.path.name == "leave.md"]
        path = folder / "leave.md"
        path.write_text("# Leave\n\nIt is 30 days now.\n")
        upload = Upload(source=path.as_uri(), display_name=path.name, uploader="ann")
        first = await service.intake.accept(scope, upload)
        await service.worker.drain(scope)
        # whoever died after it was queued, and before that was noted, finds it as a duplicate
        again = await service.intake.accept(scope, upload)
        documents = [d for d in await service.stores.catalog.documents(scope) if d.display_name == path.name]

    assert (first.status, again.status) == ("queued", "duplicate")
    assert first.namesakes == again.namesakes == (before.accepted.document_id,)
    assert [each.status for each in documents] == [DocumentStatus.READY] * 2
    older, newer = documents
    assert Caller(author="ann").may_forget(newer)
    assert not Caller(author="bob").may_forget(older)


async def test_the_older_one_is_not_told_of_its_successor(opened: Opened, scope: Scope, folder: Path) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        old = (folder / "leave.md").read_bytes()
        (folder / "leave.md").write_text("# Leave\n\nIt is 30 days now.\n")
        await ingest(service, scope, folder)
        (folder / "leave.md").write_bytes(old)
        upload = Upload(source=(folder / "leave.md").as_uri(), display_name="leave.md")
        again = await service.intake.accept(scope, upload)
    assert (again.status, again.namesakes) == ("duplicate", ())


@pytest.mark.parametrize("retire", [False, True])
def test_the_command_line_names_older_versions_and_retires_them_when_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, retire: bool
) -> None:
    for name, value in {"DATA_DIR": str(tmp_path / "data"), "LLM__PROVIDER": "extractive"}.items():
        monkeypatch.setenv(f"FOOTNOTE_{name}", value)
    monkeypatch.setenv("FOOTNOTE_EMBEDDING__PROVIDER", "embedded")
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "plan.md"
    channel = ("--channel", "terminal:local:versions")

    def run(*words: str) -> str:
        result = CliRunner().invoke(program, words)
        assert result.exit_code == 0, result.output
        return result.stdout

    path.write_text("# Plan\n\nWe meet on Monday.\n")
    (first,) = json.loads(run("ingest", *channel, "--json", str(path)))["documents"]
    path.write_text("# Plan\n\nWe meet on Friday.\n")
    said = run("ingest", *channel, *(["--retire-older"] if retire else []), str(path))
    listed = json.loads(run("docs", *channel, "--json"))["documents"]

    assert first["older"] == []
    if retire:
        assert f"Retired: {first['document_id']}." in said
    else:
        assert f"footnote forget --channel terminal:local:versions {first['document_id']}" in said
    assert (first["document_id"] in {each["document_id"] for each in listed}) is not retire
