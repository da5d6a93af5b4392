"""From settings to everything, wired. The one place that knows which part is built from which."""

from __future__ import annotations

import asyncio
import math
import time
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.arriving import Arriving
from bot.chores import Chores
from bot.models import Models
from bot.renewal import Renewal
from bot.stores import open_stores
from pipeline import catalog as jobs
from pipeline.ask import Pipeline
from pipeline.errors import PipelineError
from pipeline.ingestion.bundles import Bundles
from pipeline.ingestion.indexer import Indexer
from pipeline.ingestion.intake import Intake
from pipeline.ingestion.kept import Kept
from pipeline.ingestion.outages import Outages
from pipeline.ingestion.preparation import Preparation
from pipeline.ingestion.rebuild import Rebuilder
from pipeline.ingestion.sandbox import ParseLimits, Sandbox
from pipeline.ingestion.sources import LocalFiles, Sources
from pipeline.ingestion.tokens import analyze
from pipeline.ingestion.unpacking import Unpacking
from pipeline.lookup import Lookup, narrow
from pipeline.memory import ThreadMemory
from pipeline.retrieval.index import Indexes
from pipeline.storage.copies import Copies
from pipeline.storage.presence import present
from pipeline.storage.uploads import UploadEntries
from pipeline.storage.worker import Worker
from pipeline.verification.attribution import Attributor
from pipeline.verification.entailment import SignScorer
from pipeline.verification.gate import Gate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.settings import Settings
    from bot.stores import Stores
    from pipeline.catalog import Holdings
    from pipeline.conversation import Question
    from pipeline.domain import Filters, Scope
    from pipeline.retrieval.wording import Narrowing


def utc_now() -> datetime:
    """Return the time, in UTC."""
    return datetime.now(UTC)


JOBS_S = 7.0
"""How long the files in work may go on when the program ends; ten seconds after SIGTERM Docker kills."""
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
        self.chores = Chores(
            intake=self.intake,
            catalog=stores.catalog,
            queue=stores.queue,
            copies=self.copies,
            before=self.rebuilder.require_embedder,
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
