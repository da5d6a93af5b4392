"""The whole way from a question to an answer, over a catalog that was made for measuring."""

from __future__ import annotations

import time
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.ask import Pipeline
from pipeline.catalog import Holdings
from pipeline.evaluation.bench import SCOPE, TOP_K
from pipeline.generation.rolling import ExtractiveSummarizer
from pipeline.ingestion.tokens import analyze
from pipeline.lookup import Found
from pipeline.memory import ThreadMemory
from pipeline.retrieval.query import TopicGate, build_query, leans
from pipeline.retrieval.sufficiency import judge, limits_for
from pipeline.storage.sql import Database, now
from pipeline.storage.threads import Threads
from pipeline.verification.attribution import Attributor
from pipeline.verification.entailment import SignScorer
from pipeline.verification.gate import Gate

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Collection

    from pipeline.ask import Search
    from pipeline.conversation import GenerationResponse, Question
    from pipeline.domain import Filters, Scope
    from pipeline.ports import Embedder, Reader
    from pipeline.retrieval.search import Retriever

    Bare = Callable[[str], Awaitable[str]]
    """A prompt to what a model says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """What words answers."""

    reader: Reader
    bare: Bare | None = None
    """The same model without rules and guards, to compare with; None: there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Asks the real pipeline."""

    pipeline: Pipeline
    threads: Threads

    async def ask(self, question: Question, summary: str = "") -> GenerationResponse:
        """Answer a question; *summary* is what its thread remembers, which must be a new one."""
        if summary and question.thread is not None:
            await self.threads.save_summary(SCOPE, question.thread, summary, expected_version=0)
        return await self.pipeline.ask(question)


@asynccontextmanager
async def open_asker(
    folder: str, retriever: Retriever, embedder: Embedder, reader: Reader
) -> AsyncIterator[Asker]:
    """Put the pipeline together as the service does, for the length of the block; threads are in *folder*."""
    database = await Database.connect(f"sqlite+aiosqlite:///{Path(folder) / 'threads.sqlite3'}")
    try:
        await database.prepare()
        threads = Threads(database)
        memory = ThreadMemory(threads, ExtractiveSummarizer(analyze), now, analyze=analyze, held=_none)
        pipeline = Pipeline(
            holdings=_ready,
            search=_search(retriever, embedder),
            reader=reader,
            attributor=Attributor(embedder, analyze),
            memory=memory,
            gate=Gate(SignScorer(embedder, analyze), analyze),
            clock=time.perf_counter,
        )
        yield Asker(pipeline=pipeline, threads=threads)
    finally:
        await database.close()


def _search(retriever: Retriever, embedder: Embedder) -> Search:
    gate, limits = TopicGate(analyze=analyze, embedder=embedder), limits_for(embedder.name)

    async def search(question: Question, summary: str) -> Found:
        query = await build_query(summary, question.text, gate)
        retrieval = await retriever.retrieve(question.scope, query, top_k=TOP_K, filters=question.filters)
        verdict = judge(question.text, retrieval, analyze, limits, leaning=leans(query, analyze))
        return Found(retrieval=retrieval, sufficient=verdict.sufficient, summary=query.summary)

    return search


async def _ready(_: Scope, __: Filters) -> Holdings:
    return Holdings(ready=1, pending=0, failed=0)


async def _none(_: Scope) -> Collection[str]:
    return ()
