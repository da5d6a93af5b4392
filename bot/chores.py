"""What somebody waits for to be done: files indexed, documents removed, an index rebuilt."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from pipeline import catalog as jobs
from pipeline.errors import CatalogError
from pipeline.ingestion.intake import Upload
from pipeline.ingestion.results import Ingested, concerned, note_copies, staying, with_files
from pipeline.storage.job import JobState, NewJob

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from pipeline.catalog import Catalog
    from pipeline.domain import Scope
    from pipeline.ingestion.intake import Accepted, Intake
    from pipeline.storage.copies import Copies
    from pipeline.storage.job import Job
    from pipeline.storage.queue import Queue

POLL_S = 0.1
"""How often the end of a job is looked for; another process may be doing it."""
OUTAGE = timedelta(minutes=1)
"""How long a command waits for what is away; its jobs stay in the queue and wait on."""


class Chores:
    """Queues what is to be done and waits for its end; a worker does it, here or in another process."""

    def __init__(
        self,
        *,
        intake: Intake,
        catalog: Catalog,
        queue: Queue,
        copies: Copies,
        before: Callable[[Scope], Awaitable[None]],
    ) -> None:
        """*before* sees, before the first file is queued, that there is an embedder that works."""
        self._intake = intake
        self._catalog = catalog
        self._queue = queue
        self._copies = copies
        self._before = before

    async def ingest(
        self,
        scope: Scope,
        files: Sequence[tuple[Path, str]],
        progress: Callable[[int, int, str], None],
    ) -> list[Ingested]:
        """Index *files* (path and display name) and wait for all of them; one bad file stops no other.

        Jobs are done by `working`, here or in another process. *progress* is told how many files have ended,
        of how many, and which is next or what it waits for. What waits for something that is away is waited
        for until `OUTAGE` is over, and stays in the queue. Raises `ModelError`, with nothing queued, if there
        is anything to embed and no embedder that works.
        """
        began = datetime.now(UTC)
        taken: list[tuple[Path, Accepted]] = []
        queued: set[str | None] = set()
        for path, name in files:
            upload = Upload(source=path.absolute().as_uri(), display_name=name)
            before = None if queued else self._before
            accepted = await self._intake.accept(scope, upload, before=before, again=True)
            if accepted.status == "queued" and accepted.document_id in queued:
                accepted = replace(accepted, status="duplicate")  # the same bytes twice among *files*
            taken.append((path, accepted))
            queued |= {accepted.document_id} if accepted.status == "queued" else set()
        documents = {d.document_id: d for d in await self._catalog.documents(scope)}
        await note_copies(self._copies, scope, [accepted for _, accepted in taken], documents)
        while waiting := [job for job in await self._queue.waiting(scope) if concerned(job) & queued]:
            if all(_is_put_off(job, began) for job in waiting):
                break
            progress(len(taken) - len(waiting), len(taken), jobs.describe_wait(waiting[0]))
            await asyncio.sleep(POLL_S)
        documents = {d.document_id: d for d in await self._catalog.documents(scope)}
        results = [
            Ingested(path=path, accepted=accepted, document=documents.get(accepted.document_id or ""))
            for path, accepted in taken
        ]
        copies = await self._copies.of(scope)
        return [row for result in results for row in with_files(result, documents, copies)]

    async def forget(
        self, scope: Scope, document_ids: Sequence[str] | None, *, leaves: str | None = None
    ) -> list[str]:
        """Remove documents (None: all of the channel) and wait until they are gone; return their ids.

        See `Catalog.request_forget` for what goes with an archive, and for what only *leaves* its place.
        """
        catalog = self._catalog
        if document_ids is None:
            document_ids = [document.document_id for document in await catalog.known(scope)]
            await self._finish(await catalog.request_purge(scope))
        elif document_ids:
            job = await catalog.request_forget(scope, document_ids, leaves=leaves)
            whole = await catalog.with_files(scope, document_ids)
            kept = staying(whole, document_ids, await self._copies.of(scope))
            document_ids = [each for each in whole if each not in kept]
            await self._finish(job)
        return list(document_ids)

    async def reindex(self, scope: Scope) -> None:
        """Rebuild a catalog from its sources and wait for it. Raises `CatalogError` if it failed."""
        job = NewJob(kind=jobs.REINDEX, scope=scope, dedupe_key=jobs.REINDEX)
        await self._finish(await self._queue.enqueue(job))

    async def _finish(self, job: Job) -> None:
        """Wait until *job* has ended, whoever does it. Raises `CatalogError` if it did not end well."""
        current: Job | None = job
        began = datetime.now(UTC)
        while current is not None and current.state in {JobState.QUEUED, JobState.RUNNING}:
            await asyncio.sleep(POLL_S)
            current = await self._queue.find(job.id)
            if current is not None and _is_put_off(current, began):
                break
        if current is not None and _is_put_off(current, began):
            raise CatalogError(
                f"'{job.kind}' waits: {current.message} It stays in the queue until that is mended."
            )
        if current is not None and current.state is not JobState.DONE:
            raise CatalogError(
                f"'{job.kind}' did not work: {current.message or 'see the log'} Try it again; "
                f"'footnote doctor' may know more."
            )


def _is_put_off(job: Job, began: datetime) -> bool:
    """Tell whether a job has waited for what is away for so long that whoever came at *began* need not."""
    if job.waiting_since is None or job.state is not JobState.QUEUED:
        return False
    return datetime.now(UTC) - max(began, job.waiting_since) >= OUTAGE
