from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from pipeline.conversation import Question
from pipeline.domain import DocumentStatus, IngestReason, Scope
from pipeline.ingestion.intake import Upload
from tests.fakes.models import ScriptedEmbedder
from tests.integration.service.conftest import HANDBOOK, ingest

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    from bot.bootstrap import Service

    Opened = Callable[..., AbstractAsyncContextManager[Service]]


async def test_files_become_ready_documents_with_their_chunks_and_places(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        results = await ingest(service, scope, folder)
        documents = await service.stores.catalog.documents(scope)
        refunds = next(d for d in documents if d.display_name == "refunds.md")
        chunks = await service.stores.catalog.chunks(scope, refunds.document_id)

    assert {d.display_name for d in documents} == set(HANDBOOK)
    assert all(r.document and r.document.status is DocumentStatus.READY for r in results)
    assert [c.place.section for c in chunks] == ["Refunds > Timing", "Refunds > Annual plans"]
    assert all(c.place.lines for c in chunks)


async def test_the_same_bytes_under_another_name_are_one_document(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        shutil.copy(folder / "leave.md", folder / "copy.md")
        again = await ingest(service, scope, folder)
        documents = await service.stores.catalog.documents(scope)

    assert [r.accepted.status for r in again] == ["duplicate"] * 4
    assert len(documents) == len(HANDBOOK)


async def test_one_bad_file_stops_no_other_and_has_its_reason(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    (folder / "empty.txt").touch()
    (folder / "image.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(40))
    async with opened() as service:
        files = [(folder / name, name) for name in ("empty.txt", "image.png", "missing.md", "leave.md")]
        results = await service.chores.ingest(scope, files, lambda done, total, name: None)

    empty, image, missing, leave = results
    assert empty.document and empty.document.reason is IngestReason.EMPTY_FILE
    assert image.document and image.document.reason is IngestReason.UNSUPPORTED_TYPE
    assert (missing.accepted.status, missing.accepted.reason) == ("failed", IngestReason.UNREADABLE)
    assert leave.document and leave.document.status is DocumentStatus.READY


async def test_the_same_name_with_other_bytes_names_its_namesake(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        first = await ingest(service, scope, folder)
        (folder / "leave.md").write_text("# Leave\n\nIt is 30 days now.\n")
        second = await ingest(service, scope, folder)

    old = next(r.accepted for r in first if r.path.name == "leave.md")
    new = next(r.accepted for r in second if r.path.name == "leave.md")
    assert new.status == "queued"
    assert new.namesakes == (old.document_id,)


async def test_a_forgotten_document_is_gone_and_may_come_back(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        results = await ingest(service, scope, folder)
        leave = next(r.accepted.document_id for r in results if r.path.name == "leave.md")
        assert leave
        assert await service.chores.forget(scope, [leave]) == [leave]
        left = {d.display_name for d in await service.stores.catalog.documents(scope)}
        again = await ingest(service, scope, folder)

    assert left == set(HANDBOOK) - {"leave.md"}
    assert sorted(r.accepted.status for r in again) == ["duplicate", "duplicate", "queued"]
    assert all(r.document and r.document.status is DocumentStatus.READY for r in again)


async def test_a_purged_channel_is_empty_and_usable(opened: Opened, scope: Scope, folder: Path) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        forgotten = await service.chores.forget(scope, None)
        empty = await service.stores.catalog.documents(scope)
        again = await ingest(service, scope, folder)

    assert len(forgotten) == len(HANDBOOK)
    assert empty == []
    assert all(r.document and r.document.status is DocumentStatus.READY for r in again)


async def test_channels_do_not_see_each_other(opened: Opened, scope: Scope, folder: Path) -> None:
    other = Scope.parse("terminal:local:other")
    async with opened() as service:
        await ingest(service, scope, folder)

        assert await service.stores.catalog.documents(other) == []
        response = await (await service.pipeline()).ask(
            Question(text="How long does a refund take?", scope=other)
        )
    assert response.reason == "NO_DOCUMENTS"


async def test_queued_files_are_listed_and_survive_a_restart(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened(working=False) as service:
        for path in sorted(folder.iterdir()):
            await service.intake.accept(scope, Upload(source=path.as_uri(), display_name=path.name))
        before = await service.stores.catalog.documents(scope)
    async with opened(working=False) as service:
        await service.worker.drain(scope)
        after = await service.stores.catalog.documents(scope)

    assert {d.status for d in before} == {DocumentStatus.QUEUED}
    assert {d.status for d in after} == {DocumentStatus.READY}
    assert {d.document_id for d in before} == {d.document_id for d in after}


async def test_another_embedder_renews_the_vectors_in_the_background_while_words_still_find(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    question = Question(text="How long does a refund for a monthly plan take?", scope=scope)
    async with opened(embedder=ScriptedEmbedder(dimension=64, name="scripted:old")) as service:
        await ingest(service, scope, folder)
    async with opened(embedder=ScriptedEmbedder(dimension=32, name="scripted:new"), working=False) as service:
        pipeline = await service.pipeline()
        meanwhile = await pipeline.ask(question)
        await service.worker.drain(scope)
        renewed = await pipeline.ask(question)
        ref = await service.stores.generations.current(scope)

    assert meanwhile.success
    assert meanwhile.degraded == ("dense:embedder_changed",)
    assert renewed.success
    assert renewed.degraded == ()
    assert ref is not None
    assert (ref.embedder, ref.dimension) == ("scripted:new", 32)


async def test_reindex_heals_a_store_that_was_lost(
    opened: Opened, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
    shutil.rmtree(tmp_path / "data" / "vectors")
    async with opened() as service:
        await service.chores.reindex(scope)
        documents = await service.stores.catalog.documents(scope)

    assert {d.display_name for d in documents} == set(HANDBOOK)
    assert {d.status for d in documents} == {DocumentStatus.READY}


async def test_reindex_keeps_the_text_of_a_file_that_is_gone_from_its_place(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened() as service:
        await ingest(service, scope, folder)
        (folder / "leave.md").unlink()
        (folder / "refunds.md").write_text("# Something else\n\nNo refunds.\n")
        await service.chores.reindex(scope)
        documents = await service.stores.catalog.documents(scope)
        texts = [
            chunk.text
            for document in documents
            for chunk in await service.stores.catalog.chunks(scope, document.document_id)
        ]

    assert {d.status for d in documents} == {DocumentStatus.READY}
    assert any("28 days" in text for text in texts)
    assert not any("No refunds" in text for text in texts)


async def test_the_same_bytes_twice_in_one_go_are_indexed_once(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    shutil.copy(folder / "leave.md", folder / "z-copy.md")
    async with opened() as service:
        results = await ingest(service, scope, folder)

    copy = next(r.accepted for r in results if r.path.name == "z-copy.md")
    assert copy.status == "duplicate"
