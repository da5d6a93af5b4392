"""From settings to everything, wired. The one place that knows which part is built from which."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from bot.arriving import Arriving
from bot.models import Models
from bot.renewal import Renewal
from bot.stores import open_stores
from pipeline import catalog as jobs
from pipeline.ask import Pipeline
from pipeline.errors import CatalogError, PipelineError
from pipeline.ingestion.bundles import Bundles
from pipeline.ingestion.indexer import Indexer
from pipeline.ingestion.intake import Intake, Upload
from pipeline.ingestion.kept import Kept
from pipeline.ingestion.outages import Outages
from pipeline.ingestion.preparation import Preparation
from pipeline.ingestion.rebuild import Rebuilder
from pipeline.ingestion.results import Ingested, concerned, note_copies, staying, with_files
from pipeline.ingestion.sandbox import ParseLimits, Sandbox
from pipeline.ingestion.sources import LocalFiles, Sources
from pipeline.ingestion.tokens import analyze
from pipeline.ingestion.unpacking import Unpacking
from pipeline.lookup import Lookup, narrow
from pipeline.memory import ThreadMemory
from pipeline.retrieval.index import Indexes
from pipeline.storage.copies import Copies
from pipeline.storage.job import JobState, NewJob
from pipeline.storage.presence import present
from pipeline.storage.uploads import UploadEntries
from pipeline.storage.worker import Worker
from pipeline.verification.attribution import Attributor
from pipeline.verification.entailment import SignScorer
from pipeline.verification.gate import Gate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from bot.settings import Settings
    from bot.stores import Stores
    from pipeline.catalog import Holdings
    from pipeline.domain import Filters, Question, Scope
    from pipeline.ingestion.intake import Accepted
    from pipeline.retrieval.wording import Narrowing
    from pipeline.storage.job import Job


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


JOBS_S = 7.0
"""How long the files in work may go on when the program ends; ten seconds after SIGTERM Docker kills."""
POLL_S = 0.1
"""How often the end of a job is looked for; another process may be doing it."""
OUTAGE = timedelta(minutes=1)
"""How long a command waits for what is away; its jobs stay in the queue and wait on."""
TERMINAL = "terminal"
"""The platform whose files are this machine's."""


class Service:
    """Everything that a way in needs, over open stores."""

    def __init__(
        self, settings: Settings, stores: Stores, models: Models, sandbox: Sandbox, sources: Sources
    ) -> None:
        self.settings = settings
        self.stores = stores
        self.models = models
        self.sources = sources
        self.arriving = Arriving(self._is_searchable)
        self.kept = kept = Kept()
        self.copies = Copies(stores.database)
        self.intake = Intake(stores.catalog, stores.queue, sources.fetch, utc_now, kept, self.copies)
        bundles = Bundles(sources.fetch, sandbox.unpack)
        preparation = Preparation(
            fetch=bundles.fetch,
            parse=sandbox.parse,
            analyze=analyze,
            embedder=models.working_embedder_for,
            kept=kept,
        )
        outages = Outages(models.working_embedder_for, stores.generations)
        self.rebuilder = Rebuilder(
            catalog=stores.catalog,
            vectors=stores.vectors,
            generations=stores.generations,
            queue=stores.queue,
            preparation=preparation,
            outages=outages,
        )
        indexer = Indexer(
            catalog=stores.catalog,
            queue=stores.queue,
            threads=stores.threads,
            entries=UploadEntries(stores.database),
            preparation=preparation,
            rebuilder=self.rebuilder,
            unpacking=Unpacking(
                bundles=bundles, catalog=stores.catalog, queue=stores.queue, copies=self.copies
            ),
            copies=self.copies,
            now=utc_now,
            keepers=(stores.ledger, stores.choices),
        )
        self.worker = Worker(
            stores.queue,
            {
                jobs.INGEST: outages.outlast(indexer.ingest),
                jobs.FORGET: indexer.forget,
                jobs.PURGE: indexer.purge,
                jobs.REEMBED: outages.outlast(self.rebuilder.reembed),
                jobs.REINDEX: outages.outlast(self.rebuilder.reindex),
            },
            owner=stores.owner,
            slots=settings.ingestion.workers,
            grace=JOBS_S,
            on_dead=indexer.give_up,
            daily=stores.prune,
        )
        self._pipeline: Pipeline | None = None

    async def pipeline(self) -> Pipeline:
        """Return the pipeline, choosing its models on first use. Raises `ModelError`."""
        if self._pipeline is None:
            self._pipeline = await self._build_pipeline()
        return self._pipeline

    async def _build_pipeline(self) -> Pipeline:
        llm = await self.models.llm()
        embedder = await self.models.embedder()
        stores, intent, answers = self.stores, self.settings.retrieval, self.settings.answers
        lookup = Lookup(
            catalog=stores.catalog,
            queue=stores.queue,
            indexes=Indexes(analyze=analyze),
            analyze=analyze,
            embedder_for=self.models.embedder_for,
            top_k=intent.top_k,
            dense=intent.dense,
            sparse=intent.sparse,
            rerank=intent.rerank,
        )
        return Pipeline(
            holdings=self._holdings,
            search=lookup,
            narrow=self._narrow,
            reader=llm.reader,
            attributor=Attributor(embedder, analyze),
            memory=ThreadMemory(
                stores.threads, llm.summarizer, utc_now, analyze=analyze, held=stores.catalog.held
            ),
            gate=Gate(
                SignScorer(embedder, analyze),
                analyze,
                judge=llm.judge if answers.judge else None,
                judged_most=answers.judged_most,
            ),
            clock=time.perf_counter,
        )

    async def _holdings(self, scope: Scope, filters: Filters) -> Holdings:
        """Count a channel's documents by state; what is only on its way there is pending, too."""
        held = await self.stores.catalog.holdings(scope, filters)
        coming = self.arriving.count(scope) if filters.document_ids is None else 0
        return replace(held, pending=max(held.pending, coming))

    async def _narrow(self, question: Question) -> Narrowing | None:
        return await narrow(self.stores.catalog, question, utc_now().astimezone())

    async def _is_searchable(self, scope: Scope) -> bool:
        return (await self.stores.catalog.holdings(scope)).ready > 0

    async def describe_models(self) -> list[str]:
        """Return a sentence for each model that is used. Raises `ModelError`."""
        await self.models.llm()
        return self.models.notes

    async def missing(self) -> str | None:
        """Return what keeps the service from answering, None if nothing does; for /readyz."""
        try:
            async with self.stores.database.read():
                pass
            return await self.models.fault()
        except PipelineError as error:
            return str(error)

    @asynccontextmanager
    async def working(self, stop: asyncio.Event | None = None) -> AsyncIterator[None]:
        """Do queued jobs in the background for the length of the block, or until *stop* is set."""
        stop = stop or asyncio.Event()
        async with present(self.stores.database, self.stores.queue):
            task = asyncio.create_task(self.worker.run(stop), name="worker")
            try:
                yield
            finally:
                stop.set()
                await task

    async def renew(self) -> int:
        """Have indexes of an earlier version made anew in the background; return of how many channels."""
        return await Renewal(self.stores, self.models).request(
            lambda scope: scope.platform == TERMINAL or self.sources.reach(scope.platform)
        )

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
        began = utc_now()
        taken: list[tuple[Path, Accepted]] = []
        queued: set[str | None] = set()
        for path, name in files:
            upload = Upload(source=path.absolute().as_uri(), display_name=name)
            before = None if queued else self.rebuilder.require_embedder
            accepted = await self.intake.accept(scope, upload, before=before, again=True)
            if accepted.status == "queued" and accepted.document_id in queued:
                accepted = replace(accepted, status="duplicate")  # the same bytes twice among *files*
            taken.append((path, accepted))
            queued |= {accepted.document_id} if accepted.status == "queued" else set()
        documents = {d.document_id: d for d in await self.stores.catalog.documents(scope)}
        await note_copies(self.copies, scope, [accepted for _, accepted in taken], documents)
        while waiting := [job for job in await self.stores.queue.waiting(scope) if concerned(job) & queued]:
            if all(_is_put_off(job, began) for job in waiting):
                break
            progress(len(taken) - len(waiting), len(taken), jobs.describe_wait(waiting[0]))
            await asyncio.sleep(POLL_S)
        documents = {d.document_id: d for d in await self.stores.catalog.documents(scope)}
        results = [
            Ingested(path=path, accepted=accepted, document=documents.get(accepted.document_id or ""))
            for path, accepted in taken
        ]
        copies = await self.copies.of(scope)
        return [row for result in results for row in with_files(result, documents, copies)]

    async def forget(
        self, scope: Scope, document_ids: Sequence[str] | None, *, leaves: str | None = None
    ) -> list[str]:
        """Remove documents (None: all of the channel) and wait until they are gone; return their ids.

        See `Catalog.request_forget` for what goes with an archive, and for what only *leaves* its place.
        """
        catalog = self.stores.catalog
        if document_ids is None:
            document_ids = [document.document_id for document in await catalog.known(scope)]
            await self._finish(await catalog.request_purge(scope))
        elif document_ids:
            job = await catalog.request_forget(scope, document_ids, leaves=leaves)
            whole = await catalog.with_files(scope, document_ids)
            kept = staying(whole, document_ids, await self.copies.of(scope))
            document_ids = [each for each in whole if each not in kept]
            await self._finish(job)
        return list(document_ids)

    async def reindex(self, scope: Scope) -> None:
        """Rebuild a catalog from its sources and wait for it. Raises `CatalogError` if it failed."""
        job = NewJob(kind=jobs.REINDEX, scope=scope, dedupe_key=jobs.REINDEX)
        await self._finish(await self.stores.queue.enqueue(job))

    async def _finish(self, job: Job) -> None:
        """Wait until *job* has ended, whoever does it. Raises `CatalogError` if it did not end well."""
        current: Job | None = job
        began = utc_now()
        while current is not None and current.state in {JobState.QUEUED, JobState.RUNNING}:
            await asyncio.sleep(POLL_S)
            current = await self.stores.queue.find(job.id)
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
    return utc_now() - max(began, job.waiting_since) >= OUTAGE


@asynccontextmanager
async def open_service(
    settings: Settings,
    *,
    models: Models | None = None,
) -> AsyncIterator[Service]:
    """Open everything for the length of the block; *models* replaces the real ones."""
    limits = ParseLimits(
        max_bytes=settings.ingestion.max_bytes,
        max_pages=settings.ingestion.max_pages,
        cpu_seconds=math.ceil(settings.ingestion.timeout_s),
        wall_seconds=settings.ingestion.timeout_s,
        recognize=settings.ingestion.ocr_pages if settings.ingestion.ocr else 0,
    )
    local = LocalFiles(max_bytes=settings.ingestion.max_bytes)
    async with (
        open_stores(settings) as stores,
        Sandbox(processes=settings.ingestion.workers, limits=limits) as sandbox,
    ):
        service = Service(
            settings,
            stores,
            models or Models(settings),
            sandbox,
            Sources({"file": local.fetch}),
        )
        await service.rebuilder.clear_up()
        yield service
