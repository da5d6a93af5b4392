"""A file whose means are away stays in the queue, says what it waits for, and is indexed in the end."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

import bot.chores
from bot.library import ServiceLibrary
from pipeline.domain import DocumentStatus, IngestReason
from pipeline.errors import CatalogError, ModelUnavailable, SourceAway
from pipeline.ingestion.intake import Upload
from pipeline.storage.queue import MAX_ATTEMPTS, NewJob
from tests.fakes.models import ScriptedEmbedder
from tests.integration.service.conftest import ingest
from tests.integration.service.test_given_up import accept

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from bot.bootstrap import Service
    from pipeline.domain import Document, Scope

    Opened = Callable[..., AbstractAsyncContextManager[Service]]

DOWN = ModelUnavailable("The server is down.")


class Fading(ScriptedEmbedder):
    """Goes away in the middle of the work on a file, unless it is told to stay."""

    stays = False

    async def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.error = None if self.stays else DOWN
        return await super().embed_documents(texts)


async def only(service: Service, scope: Scope) -> Document:
    (document,) = await service.stores.catalog.documents(scope)
    return document


async def try_again(service: Service, scope: Scope) -> None:
    """Let the time that a job is put off pass, and do what is due."""
    for job in await service.stores.queue.waiting(scope):
        again = NewJob(kind=job.kind, scope=scope, payload=job.payload, dedupe_key=job.dedupe_key)
        await service.stores.queue.enqueue(again)
    await service.worker.drain(scope)


@pytest.mark.parametrize("moment", ["before", "midway"])
async def test_a_file_outlasts_an_outage_of_the_embedding_model_and_says_what_it_waits_for(
    opened: Opened, scope: Scope, folder: Path, moment: str
) -> None:
    embedder = Fading()
    async with opened(embedder=embedder, working=False) as service:
        await accept(service, scope, folder / "leave.md")
        await service.worker.drain(scope)
        for _ in range(2 * MAX_ATTEMPTS):
            embedder.error = DOWN if moment == "before" else None
            await try_again(service, scope)
        waiting = await only(service, scope)
        status = await ServiceLibrary(service).status(scope)
        embedder.error, embedder.stays = None, True
        await try_again(service, scope)
        ready = await only(service, scope)

    assert (waiting.status, waiting.reason) == (DocumentStatus.QUEUED, IngestReason.MODEL_UNAVAILABLE)
    assert waiting.message == "Waits: The server is down."
    assert (status.pending, status.failed) == (1, 0)
    (file,) = status.waiting
    assert (file.name, file.running, file.fault, file.attempts) == (
        "leave.md",
        False,
        "The server is down.",
        0,
    )
    assert file.since is not None
    assert (ready.status, ready.reason, ready.message) == (DocumentStatus.READY, None, None)


async def test_a_file_whose_platform_cannot_be_reached_after_a_restart_is_fetched_later(
    opened: Opened, scope: Scope
) -> None:
    there = True

    async def fetch(source: str) -> bytes:
        if not there:
            raise SourceAway("The platform could not be reached.")
        return b"# Leave\n\nEvery employee has 28 days of paid leave a year.\n"

    async with opened(working=False) as service:
        service.sources.connect("far", fetch)
        await service.intake.accept(scope, Upload(source="far:1", display_name="leave.md"))
    there = False
    async with opened(working=False) as service:
        service.sources.connect("far", fetch)
        await service.worker.drain(scope)
        waiting = await only(service, scope)
        refused = await service.intake.accept(scope, Upload(source="far:2", display_name="other.md"))
        there = True
        await try_again(service, scope)
        ready = await only(service, scope)

    assert (waiting.status, waiting.message) == (
        DocumentStatus.QUEUED,
        "Waits: The platform could not be reached.",
    )
    # at the door nothing is known of it yet, so whoever brings it is told at once
    assert refused.message == "The platform could not be reached. Upload it again in a few minutes."
    assert ready.status is DocumentStatus.READY


async def test_a_command_does_not_wait_for_ever_and_leaves_its_files_in_the_queue(
    opened: Opened, scope: Scope, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bot.chores, "OUTAGE", timedelta())
    async with opened(embedder=Fading()) as service:
        results = await ingest(service, scope, folder)
        with pytest.raises(CatalogError, match=r"'reindex' waits: The server is down\. It stays"):
            await service.chores.reindex(scope)
        left = await service.stores.queue.waiting(scope)

    assert {result.document.status for result in results if result.document} <= {
        DocumentStatus.QUEUED,
        DocumentStatus.INDEXING,
    }
    assert len(left) == len(results) + 1


async def test_the_removal_of_a_file_does_not_wait_for_the_model(
    opened: Opened, scope: Scope, folder: Path
) -> None:
    embedder = ScriptedEmbedder()
    async with opened(embedder=embedder) as service:
        await ingest(service, scope, folder)
        embedder.error = DOWN
        (folder / "late.md").write_text("# Late\n\nA file that comes during the outage.\n")
        late = await accept(service, scope, folder / "late.md")
        gone = (await service.stores.catalog.documents(scope))[0].document_id
        await service.chores.forget(scope, [gone])
        left = {each.document_id for each in await service.stores.catalog.documents(scope)}

    assert gone not in left
    assert late in left
