"""A part of a channel's index that is gone is told, and built anew; it does not pass for nothing found."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from bot.doctor import examine
from bot.library import ServiceLibrary
from pipeline.conversation import Question, Reason
from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogLost, CatalogUnavailable
from tests.integration.service.conftest import HANDBOOK, ingest
from tests.integration.service.test_mending import MONTHLY, below

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

PARTS = ("*.chunks.lance", "*.documents.lance", "*.lance")


def lose(data: Path, part: str) -> None:
    for folder in below(data, part):
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("part", PARTS)
async def test_a_lost_table_is_told_to_who_asks_and_comes_back_by_a_reindex(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path, part: str
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
    lose(tmp_path / "data", part)
    async with opened() as service:
        pipeline = await service.pipeline()
        told = await pipeline.ask(Question(text=MONTHLY, scope=scope))
        checks = [check async for check in examine(service.settings)]
        await service.chores.reindex(scope)
        answer = await pipeline.ask(Question(text=MONTHLY, scope=scope))
        documents = await service.stores.catalog.documents(scope)

    assert told.reason is Reason.INTERNAL_ERROR
    assert f"'footnote reindex --channel {scope}'" in str(told.message)
    (check,) = [check for check in checks if check.name == f"channel {scope}"]
    assert (check.status, check.remedy) == ("fail", f"footnote reindex --channel {scope}")
    assert answer.success
    assert {each.display_name for each in documents} == set(HANDBOOK)
    assert {each.status for each in documents} == {DocumentStatus.READY}


@pytest.mark.parametrize("part", PARTS)
async def test_a_file_that_comes_after_a_loss_does_not_hide_it(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path, part: str
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
    lose(tmp_path / "data", part)
    (folder / "new.md").write_text("# New\n\nA file that was not there before.\n")
    async with opened() as service:
        if part == "*.chunks.lance":
            await ingest(service, scope, folder)
        else:  # what is there already is not known at the door
            with pytest.raises(CatalogLost):
                await ingest(service, scope, folder)
            await service.chores.reindex(scope)
        store = await service.stores.catalog.open(scope)
        assert store is not None
        lacking = await store.incomplete()
        answer = await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))
    assert lacking == []
    assert answer.success


def spoil(data: Path) -> None:
    """Overwrite everything that is kept of channels, so that nothing of it can be read."""
    for file in below(data, "*"):
        if file.is_file():
            file.write_bytes(b"rubbish")


@pytest.mark.parametrize("way", ["command", "chat"])
async def test_everything_can_be_forgotten_although_nothing_can_be_read(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path, way: str
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
    spoil(tmp_path / "data")
    async with opened() as service:
        with pytest.raises(CatalogUnavailable):
            await service.stores.catalog.documents(scope)
        if way == "command":
            forgotten = await service.chores.forget(scope, None)
        else:
            forgotten = [each.document_id for each in await ServiceLibrary(service).forget_all(scope)]
        left = await service.stores.catalog.documents(scope)
        ledger = await service.stores.catalog.recorded(scope)
        await ingest(service, scope, folder)
        answer = await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))

    assert len(forgotten) == len(HANDBOOK)
    assert (left, ledger) == ([], [])
    assert answer.success


async def test_a_part_of_what_cannot_be_read_is_not_said_to_be_forgotten(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    async with opened() as service:
        results = await ingest(service, scope, folder)
    spoil(tmp_path / "data")
    async with opened(working=False) as service:
        job = await service.stores.catalog.request_forget(scope, [str(results[0].accepted.document_id)])
        claimed = await service.stores.queue.claim("test")
        assert claimed is not None
        assert claimed.id == job.id
        with pytest.raises(CatalogUnavailable, match="reindex"):
            await service.worker.handlers[claimed.kind](claimed)
