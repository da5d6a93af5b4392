"""A channel's store that is damaged, outdated or half renewed becomes whole again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bot.library import ServiceLibrary
from bot.stores import open_stores
from pipeline.catalog import REEMBED, REINDEX
from pipeline.conversation import Question
from pipeline.domain import DocumentStatus, IngestReason
from pipeline.errors import CatalogError, CatalogUnavailable
from pipeline.ingestion.tokens import TOKENIZER_VERSION
from pipeline.storage.job import JobState
from tests.fakes.documents import pdf
from tests.integration.service.conftest import HANDBOOK, ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.domain import Scope
    from pipeline.storage.refs import CatalogRef

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

MONTHLY = "How long does a refund for a monthly plan take?"


def below(data: Path, pattern: str) -> list[Path]:
    return sorted((data / "vectors").rglob(pattern))


async def texts_of(service: Service, scope: Scope) -> str:
    documents = await service.stores.catalog.documents(scope)
    chunks = [await service.stores.catalog.chunks(scope, each.document_id) for each in documents]
    return "\n".join(chunk.text for found in chunks for chunk in found)


async def test_reindex_heals_a_catalog_whose_chunks_are_lost(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
    for file in below(tmp_path / "data", "*.chunks.lance/data/*"):
        file.unlink()
    (folder / "leave.md").unlink()
    async with opened() as service:
        with pytest.raises(CatalogUnavailable):
            await texts_of(service, scope)
        await service.chores.reindex(scope)
        documents = {each.display_name: each for each in await service.stores.catalog.documents(scope)}
        answer = await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))

    assert set(documents) == set(HANDBOOK)
    # nothing brings back the one whose file is gone as well, and it says so
    lost = documents.pop("leave.md")
    assert (lost.status, lost.reason) == (DocumentStatus.FAILED, IngestReason.UNREADABLE)
    assert {each.status for each in documents.values()} == {DocumentStatus.READY}
    assert answer.success


async def test_reindex_does_not_take_another_text_for_the_one_that_was_lost(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    async with opened() as service:
        before = await ingest(service, scope, folder)
    for file in below(tmp_path / "data", "*.chunks.lance/data/*"):
        file.unlink()
    (folder / "leave.md").write_text("# Leave\n\nIt is 30 days now.\n")
    async with opened() as service:
        await service.chores.reindex(scope)
        documents = await service.stores.catalog.documents(scope)

    assert {each.document_id for each in documents} == {each.accepted.document_id for each in before}
    (changed,) = [each for each in documents if each.status is DocumentStatus.FAILED]
    assert changed.display_name == "leave.md"
    assert "changed since" in str(changed.message)


async def test_a_store_that_lost_its_latest_writes_is_rebuilt_without_being_asked(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
    newest = below(tmp_path / "data", "*.chunks.lance/_versions/*.manifest")[0]
    newest.write_bytes(b"")

    async with opened(working=False) as service:
        # whoever looks first heals it and asks for the rebuilding, once
        for _ in range(3):
            await service.stores.catalog.documents(scope)
        waiting = await service.stores.queue.waiting(scope)
        status = await ServiceLibrary(service).status(scope)
    async with open_stores(service.settings) as stores:
        ref = await stores.generations.current(scope)
        assert ref is not None
        told_elsewhere = await stores.vectors.check(ref)
    async with opened(working=False) as service:
        await service.worker.drain(scope)
        texts = await texts_of(service, scope)
        renewed = await service.stores.generations.current(scope)
        assert renewed is not None
        fault = await service.stores.vectors.check(renewed)
        await service.stores.catalog.documents(scope)
        again = await service.stores.queue.waiting(scope)

    assert [(job.kind, job.state) for job in waiting] == [(REINDEX, JobState.QUEUED)]
    assert status.remarks == ("The index is being rebuilt from its files.",)
    assert "lost its latest writes" in str(told_elsewhere)
    assert renewed.generation > ref.generation
    assert all(text in texts for text in ("28 days", "five working days", "BILL-4021"))
    assert (fault, again) == (None, [])


async def test_tokens_of_another_analyzer_are_made_anew(opened: Opened, scope: Scope, folder: Path) -> None:
    async with opened() as service:
        service.stores.generations.analyzer = TOKENIZER_VERSION - 1
        await ingest(service, scope, folder)
        old = await service.stores.generations.current(scope)
    async with opened(working=False) as service:
        meanwhile = await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))
        renewal = await service.stores.queue.waiting(scope)
    async with opened() as service:
        (folder / "new.md").write_text("# New\n\nA file that was not there before.\n")
        await ingest(service, scope, folder)
        new = await service.stores.generations.current(scope)
        documents = await service.stores.catalog.documents(scope)

    assert meanwhile.degraded == ("sparse:analyzer_changed",)
    assert [job.kind for job in renewal] == [REEMBED]
    assert old is not None
    assert new is not None
    assert (old.analyzer, new.analyzer) == (TOKENIZER_VERSION - 1, TOKENIZER_VERSION)
    assert len(documents) == len(HANDBOOK) + 1
    assert {each.status for each in documents} == {DocumentStatus.READY}


async def test_a_crash_between_taking_a_generation_out_of_use_and_dropping_it_leaves_nothing(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def die(ref: CatalogRef) -> None:
        raise CatalogError("as if the power had gone")

    async with opened(working=False) as service:
        async with service.working():
            await ingest(service, scope, folder)
        old = await service.stores.generations.current(scope)
        monkeypatch.setattr(service.stores.vectors, "drop", die)
        with pytest.raises(CatalogError):
            await service.rebuilder._rebuild(scope, from_sources=True)
        current = await service.stores.generations.current(scope)
        retired = await service.stores.generations.retired()
    assert old is not None
    assert current is not None
    assert retired == [old]
    assert below(tmp_path / "data", f"{old.name}.*")

    async with opened() as service:
        assert await service.stores.generations.retired() == []
        assert below(tmp_path / "data", f"{old.name}.*") == []
        assert await service.stores.generations.current(scope) == current
        answer = await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))
    assert answer.success


async def test_a_half_scanned_document_says_how_much_of_it_is_not_searched(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    pages = ["Refunds are paid within five days.", "", "", "Leave is granted by the team."]
    (folder / "scan.pdf").write_bytes(pdf(pages))
    async with opened() as service:
        await ingest(service, scope, folder)
        before = await service.stores.catalog.documents(scope)
        await service.chores.reindex(scope)
        (folder / "scan.pdf").unlink()
        await service.chores.reindex(scope)
        after = await service.stores.catalog.documents(scope)

    half = "2 of 4 pages hold no text and are not searched."
    kept = "Its stored text was kept: scan.pdf is not a file that can be read."
    for documents, message in ((before, half), (after, f"{half} {kept}")):
        said = {each.display_name: (each.status, each.message) for each in documents}
        assert said.pop("scan.pdf") == (DocumentStatus.READY, message)
        assert set(said.values()) == {(DocumentStatus.READY, None)}
