"""The real parts on stores of their own, put together as the service puts them together."""

from __future__ import annotations

import asyncio
import time
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.ask import Pipeline
from pipeline.catalog import INGEST, Catalog
from pipeline.generation.rolling import ExtractiveSummarizer
from pipeline.ingestion.bundles import Bundles
from pipeline.ingestion.indexer import Indexer
from pipeline.ingestion.intake import Intake
from pipeline.ingestion.outages import Outages
from pipeline.ingestion.preparation import READING_VERSION, Preparation
from pipeline.ingestion.rebuild import Rebuilder
from pipeline.ingestion.sources import LocalFiles, Sources
from pipeline.ingestion.tokens import TOKENIZER_VERSION, analyze
from pipeline.ingestion.unpacking import Unpacking
from pipeline.lookup import Lookup
from pipeline.memory import ThreadMemory
from pipeline.retrieval.index import Indexes
from pipeline.storage.copies import Copies
from pipeline.storage.generations import Catalogs
from pipeline.storage.queue import Queue
from pipeline.storage.sql import Database, now
from pipeline.storage.threads import Threads
from pipeline.storage.uploads import UploadEntries
from pipeline.storage.vectors import VectorStore
from pipeline.storage.worker import Worker
from pipeline.verification.attribution import Attributor

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable
    from pathlib import Path

    from pipeline.conversation import Question
    from pipeline.ingestion.sandbox import Sandbox
    from pipeline.lookup import Found
    from pipeline.ports import Embedder, Reader
    from pipeline.storage.refs import CatalogRef

MAX_FILE_BYTES = 50 << 20
TOP_K = 6
"""The defaults of the settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rig:
    """Opened stores and the embedder, and the ways to put them together."""

    folder: Path
    vectors: VectorStore
    generations: Catalogs
    queue: Queue
    threads: Threads
    entries: UploadEntries
    copies: Copies
    catalog: Catalog
    embedder: Embedder
    indexes: Indexes

    def lookup(self, embedder: Embedder | None = None, indexes: Indexes | None = None) -> Lookup:
        """Return the search of questions, with the rig's own embedder and warm indexes, or with others."""
        return Lookup(
            catalog=self.catalog,
            queue=self.queue,
            indexes=indexes or self.indexes,
            analyze=analyze,
            embedder_for=_always(embedder or self.embedder),
            top_k=TOP_K,
        )

    def pipeline(self, reader: Reader) -> Pipeline:
        """Return the whole way from a question to an answer that *reader* words.

        Passages that were made up are rightly judged to have nothing to do with the question; they are
        answered from all the same.
        """
        lookup = self.lookup()

        async def search(question: Question, summary: str) -> Found:
            return replace(await lookup(question, summary), sufficient=True)

        return Pipeline(
            holdings=self.catalog.holdings,
            search=search,
            reader=reader,
            attributor=Attributor(self.embedder, analyze),
            memory=ThreadMemory(
                self.threads, ExtractiveSummarizer(analyze), now, analyze=analyze, held=self.catalog.held
            ),
            clock=time.perf_counter,
        )

    def intake(self) -> Intake:
        """Return the door for files."""
        return Intake(self.catalog, self.queue, _files().fetch, now)

    def worker(self, sandbox: Sandbox) -> Worker:
        """Return the hands that index what came through the door."""
        bundles = Bundles(_files().fetch, sandbox.unpack)
        preparation = Preparation(
            fetch=bundles.fetch, parse=sandbox.parse, analyze=analyze, embedder=_always(self.embedder)
        )
        rebuilder = Rebuilder(
            catalog=self.catalog,
            vectors=self.vectors,
            generations=self.generations,
            queue=self.queue,
            preparation=preparation,
            outages=Outages(preparation.embedder, self.generations),
        )
        indexer = Indexer(
            catalog=self.catalog,
            queue=self.queue,
            threads=self.threads,
            entries=self.entries,
            preparation=preparation,
            rebuilder=rebuilder,
            unpacking=Unpacking(bundles=bundles, catalog=self.catalog, queue=self.queue, copies=self.copies),
            copies=self.copies,
            now=now,
        )
        return Worker(self.queue, {INGEST: indexer.ingest}, owner="bench", slots=1)


@asynccontextmanager
async def open_rig(folder: Path, embedder: Embedder) -> AsyncIterator[Rig]:
    """Open empty stores in *folder* for the length of the block."""
    async with AsyncExitStack() as stack:
        await asyncio.to_thread(folder.mkdir, parents=True, exist_ok=True)
        database = await Database.connect(f"sqlite+aiosqlite:///{folder / 'bench.sqlite3'}")
        stack.push_async_callback(database.close)
        await database.prepare()
        vectors = await VectorStore.connect(str(folder / "vectors"))
        stack.push_async_callback(vectors.close)
        generations = Catalogs(database, analyzer=TOKENIZER_VERSION, reading=READING_VERSION)
        queue = Queue(database)
        yield Rig(
            folder=folder,
            vectors=vectors,
            generations=generations,
            queue=queue,
            threads=Threads(database),
            entries=UploadEntries(database),
            copies=Copies(database),
            catalog=Catalog(vectors, generations, queue),
            embedder=embedder,
            indexes=Indexes(analyze=analyze),
        )


def _files() -> Sources:
    return Sources({"file": LocalFiles(max_bytes=MAX_FILE_BYTES).fetch})


def _always(embedder: Embedder) -> Callable[[CatalogRef | None], Awaitable[Embedder]]:
    async def embedder_for(_: CatalogRef | None) -> Embedder:
        return embedder

    return embedder_for
