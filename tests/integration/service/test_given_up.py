"""An upload that cannot be indexed ends with a reason, whatever ended it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from bot.bootstrap import utc_now
from pipeline.catalog import INGEST, describe_wait
from pipeline.domain import DocumentStatus, IngestReason
from pipeline.errors import ModelUnavailable
from pipeline.ingestion.intake import Upload
from pipeline.storage.queue import MAX_ATTEMPTS, Queue
from tests.fakes.models import ScriptedEmbedder
from tests.integration.service.conftest import HANDBOOK, ingest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from bot.bootstrap import Service
    from pipeline.domain import Document, Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]


class Refusing(ScriptedEmbedder):
    """Answers, but breaks off at one file, when its row says already that it is being indexed."""

    refuses = True

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.refuses and any("28 days" in text for text in texts):
            raise ModelUnavailable("The server broke off.")
        return await super().embed_documents(texts)


async def accept(service: Service, scope: Scope, path: Path) -> str:
    accepted = await service.intake.accept(scope, Upload(source=path.as_uri(), display_name=path.name))
    assert accepted.document_id
    return accepted.document_id


async def fail_all_but_the_last_attempt(service: Service) -> None:
    queue = service.stores.queue
    for _ in range(MAX_ATTEMPTS - 1):
        job = await queue.claim("earlier")
        assert job is not None
        await queue.fail(job, IngestReason.MODEL_UNAVAILABLE, "The server is down.", retry_at=utc_now())


async def row_of(service: Service, scope: Scope, document_id: str) -> Document | None:
    """The document as its store has it, whatever the queue knows."""
    store = await service.stores.catalog.open(scope)
    rows = await store.documents() if store else []
    return next((row for row in rows if row.document_id == document_id), None)


async def test_an_upload_whose_attempts_are_used_up_is_listed_as_failed_with_its_reason(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    embedder = Refusing()
    async with opened(embedder=embedder, working=False) as service:
        document_id = await accept(service, scope, folder / "leave.md")
        await fail_all_but_the_last_attempt(service)
        await service.worker.drain(scope)
        (listed,) = await service.stores.catalog.documents(scope)
        embedder.refuses = False
        assert await accept(service, scope, folder / "leave.md") == document_id
        (queued,) = await service.stores.catalog.documents(scope)
        await service.worker.drain(scope)
        (ready,) = await service.stores.catalog.documents(scope)

    assert (listed.document_id, listed.status) == (document_id, DocumentStatus.FAILED)
    assert listed.reason is IngestReason.MODEL_UNAVAILABLE
    assert listed.message == "The server broke off. Try the file again later."
    assert queued.status is DocumentStatus.QUEUED
    assert (ready.status, ready.reason, ready.message) == (DocumentStatus.READY, None, None)


async def test_a_document_whose_indexing_was_given_up_does_not_stay_in_the_state_indexing(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened(embedder=Refusing(), working=False) as service:
        await accept(service, scope, folder / "refunds.md")
        await service.worker.drain(scope)
        document_id = await accept(service, scope, folder / "leave.md")
        await fail_all_but_the_last_attempt(service)
        await service.worker.drain(scope)
        row = await row_of(service, scope, document_id)
        found = await service.stores.catalog.find(scope, document_id)

    assert row is not None
    assert (row.status, row.reason) == (DocumentStatus.FAILED, IngestReason.MODEL_UNAVAILABLE)
    assert found == row


async def test_a_document_that_crashed_every_worker_has_a_reason(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened(working=False) as service:
        await accept(service, scope, folder / "refunds.md")
        await service.worker.drain(scope)
        document_id = await accept(service, scope, folder / "leave.md")
        crashing = Queue(service.stores.database, lease=timedelta(0))
        for _ in range(MAX_ATTEMPTS):
            assert await crashing.claim("crashing") is not None
        await service.worker.drain(scope)
        row = await row_of(service, scope, document_id)

    assert row is not None
    assert (row.status, row.reason) == (DocumentStatus.FAILED, IngestReason.INTERNAL_ERROR)
    assert row.message == "It was begun again and again, and never came to an end. Try the file again later."


async def test_nothing_is_queued_while_the_embedder_cannot_be_reached(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    embedder = ScriptedEmbedder()
    async with opened(embedder=embedder) as service:
        await ingest(service, scope, folder)
        embedder.error = ModelUnavailable("The server is down.")
        again = await ingest(service, scope, folder)
        (folder / "new.md").write_text("# New\n\nA file that was not there before.\n")
        with pytest.raises(ModelUnavailable, match=r"is down\. No file was taken in; .*PROVIDER=embedded"):
            await ingest(service, scope, folder)
        documents = await service.stores.catalog.documents(scope)
        left = await service.stores.queue.undone(scope, INGEST)

    assert {each.accepted.status for each in again} == {"duplicate"}
    assert {each.display_name for each in documents} == set(HANDBOOK)
    assert left == []


async def test_whoever_waits_for_a_file_is_told_what_it_waits_for(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened(working=False) as service:
        await accept(service, scope, folder / "leave.md")
        (fresh,) = await service.stores.queue.waiting(scope)
        job = await service.stores.queue.claim("earlier")
        assert job is not None
        await service.stores.queue.fail(job, "INTERNAL_ERROR", "The server is down.", retry_at=utc_now())
        (waiting,) = await service.stores.queue.waiting(scope)

    assert describe_wait(fresh) == "leave.md"
    assert describe_wait(waiting) == "leave.md (attempt 1 failed: The server is down.)"


async def test_a_file_that_was_changed_while_it_waited_says_so_and_is_not_taken_for_another(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    async with opened(working=False) as service:
        document_id = await accept(service, scope, folder / "leave.md")
        (folder / "leave.md").write_text("# Leave\n\nIt is 30 days now.\n")
        await service.worker.drain(scope)
        documents = await service.stores.catalog.documents(scope)

    assert [(each.document_id, each.reason) for each in documents] == [(document_id, IngestReason.UNREADABLE)]
    assert "changed since it was uploaded" in str(documents[0].message)
