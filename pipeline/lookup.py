"""Look a question up in its channel: with the catalog's own embedder, in the light of the thread."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pipeline.catalog import REEMBED
from pipeline.domain import DocumentStatus
from pipeline.errors import EmbedderChanged
from pipeline.ingestion.tokens import TOKENIZER_VERSION
from pipeline.observability.trace import record
from pipeline.retrieval.query import TopicGate, build_query, leans
from pipeline.retrieval.search import Retriever
from pipeline.retrieval.spots import asks_for_it, meant, preferred, spot_in
from pipeline.retrieval.sufficiency import judge, limits_for
from pipeline.retrieval.wording import may_narrow, narrowing
from pipeline.storage.job import NewJob

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from pipeline.catalog import Catalog
    from pipeline.conversation import Question
    from pipeline.domain import Retrieval, Scope
    from pipeline.ports import Embedder
    from pipeline.retrieval.index import Indexes
    from pipeline.retrieval.rerank import Reranker
    from pipeline.retrieval.sufficiency import Why
    from pipeline.retrieval.wording import Narrowing
    from pipeline.storage.catalogstore import CatalogStore
    from pipeline.storage.queue import Queue
    from pipeline.storage.refs import CatalogRef


WEAK = "match:weak"
"""The code of an answer from passages that may have little to do with the question."""

RENEWED = (
    "The files of this channel were indexed with another embedding model and are being indexed anew. "
    "Ask again in a few minutes."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a search hands to the answer."""

    retrieval: Retrieval
    sufficient: bool
    summary: str
    """The part of the thread's memory that concerns this question; empty after a change of topic."""
    why: Why = "found"
    """The verdict's reason as a code."""


async def narrow(catalog: Catalog, question: Question, now: datetime) -> Narrowing | None:
    """Return what the question's own words limit its search to; None: nothing, or a filter does so already.

    *now* carries the time zone in which days begin. Raises `CatalogError`.
    """
    if question.filters.document_ids is not None or not may_narrow(question.text):
        return None
    known = await catalog.documents(question.scope)
    searched = [each for each in known if each.status is DocumentStatus.READY and each.chunks]
    found = await asyncio.to_thread(narrowing, question.text, searched, now)
    if found is None or found.document_ids is None:
        return found
    whole = await catalog.with_files(question.scope, sorted(found.document_ids))  # an archive is its files
    record("question.narrowed", documents=len(whole), of=len(searched))
    return replace(found, document_ids=frozenset(whole))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lookup:
    """Searches one channel for one question. Raises `CatalogError` or `ModelError` when no arm can look."""

    catalog: Catalog
    queue: Queue
    indexes: Indexes
    analyze: Callable[[str], list[str]]
    analyzer: int = TOKENIZER_VERSION
    """Version of *analyze*; a catalog written by another is renewed."""
    embedder_for: Callable[[CatalogRef], Awaitable[Embedder]]
    top_k: int
    dense: bool = True
    sparse: bool = True
    rerank: bool = False
    """Whether a reranker is wanted; that none is there is reported."""
    reranker: Reranker | None = None

    async def __call__(self, question: Question, summary: str) -> Found:
        async def look(store: CatalogStore | None) -> Found:
            return await self._look(store, question, summary)

        return await self.catalog.read(question.scope, look)

    async def _look(self, store: CatalogStore | None, question: Question, summary: str) -> Found:
        if store is None:
            self.indexes.release(question.scope)
        embedder = await self.embedder_for(store.ref) if store is not None and self.dense else None
        gate = TopicGate(analyze=self.analyze, embedder=embedder)
        query = await build_query(summary, question.text, gate)
        try:
            retrieval = await self._retriever(store, embedder).retrieve(
                question.scope, query, top_k=self.top_k, filters=question.filters
            )
        except EmbedderChanged as error:  # and there is no other arm
            await self._renew(question.scope)
            raise EmbedderChanged(RENEWED) from error
        if store is not None and self.sparse and store.ref.analyzer != self.analyzer:
            retrieval = replace(retrieval, degraded=(*retrieval.degraded, "sparse:analyzer_changed"))
        if {"dense:embedder_changed", "sparse:analyzer_changed"}.intersection(retrieval.degraded):
            await self._renew(question.scope)
        if self.rerank and self.reranker is None:
            retrieval = replace(retrieval, degraded=(*retrieval.degraded, "rerank:unavailable"))
        limits = limits_for(store.ref.embedder) if store else None
        verdict = judge(question.text, retrieval, self.analyze, limits, leaning=leans(query, self.analyze))
        if store is not None and (there := await self._at_place(store, question, retrieval)) is not None:
            retrieval, asked = there
            verdict = replace(verdict, sufficient=True, why="found", weak=False) if asked else verdict
        if verdict.weak:
            retrieval = replace(retrieval, degraded=(*retrieval.degraded, WEAK))
        return Found(
            retrieval=retrieval, sufficient=verdict.sufficient, summary=query.summary, why=verdict.why
        )

    async def _at_place(
        self, store: CatalogStore, question: Question, retrieval: Retrieval
    ) -> tuple[Retrieval, bool] | None:
        """Put what stands at a place first that the question names; None: it names none, or it is unclear.

        The second value tells whether the place is all that is asked for.
        """
        spot = spot_in(question.text)
        if spot is None:
            return None
        document = meant(question.text, await store.documents(), question.filters)
        if document is None:
            return None
        found = preferred(
            retrieval, (await store.read_chunks([document.document_id])).chunks, spot, self.top_k
        )
        record("retrieval.place", kind=spot.kind, found=found is not None)
        return (found, asks_for_it(question.text, document)) if found is not None else None

    def _retriever(self, store: CatalogStore | None, embedder: Embedder | None) -> Retriever:
        async def opened(_: Scope) -> CatalogStore | None:
            return store

        return Retriever(
            open_catalog=opened,
            indexes=self.indexes,
            analyze=self.analyze,
            embedder=embedder,
            sparse=self.sparse,
            reranker=self.reranker if self.rerank else None,
        )

    async def _renew(self, scope: Scope) -> None:
        """Have the channel embedded again in the background; meanwhile words alone find its passages."""
        await self.queue.enqueue(NewJob(kind=REEMBED, scope=scope, dedupe_key=REEMBED))
