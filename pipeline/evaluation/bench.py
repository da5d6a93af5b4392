"""A dataset that is indexed, and the ways to ask it."""

from __future__ import annotations

from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.domain import Scope
from pipeline.evaluation.corpus import index
from pipeline.evaluation.scores import measured
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.index import Indexes
from pipeline.retrieval.query import SearchQuery, TopicGate, build_query
from pipeline.retrieval.search import CANDIDATES, Retriever
from pipeline.retrieval.sufficiency import limits_for
from pipeline.sentences import split
from pipeline.storage.refs import CatalogRef
from pipeline.storage.vectors import VectorStore

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from pipeline.domain import Retrieval
    from pipeline.evaluation.corpus import Corpus
    from pipeline.evaluation.dataset import Case, Dataset, Turn
    from pipeline.evaluation.notes import Notes
    from pipeline.ports import Embedder
    from pipeline.retrieval.sufficiency import Limits
    from pipeline.storage.catalogstore import CatalogStore

    Progress = Callable[[int, int, str], None]
    """Told (done, total, what)."""

SCOPE = Scope("eval", "local", "dataset")

TOP_K = 6
"""What an answer is given to read by default; the verdict on sufficiency is taken from as much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A dataset that is indexed, and the arms to ask it through."""

    dataset: Dataset
    corpus: Corpus
    store: CatalogStore
    indexes: Indexes
    embedder: Embedder
    arms: Mapping[str, Retriever]
    gate: TopicGate
    limits: Limits
    notes: Notes
    progress: Progress

    async def ask(self, arm: str, query: SearchQuery, *, top_k: int = CANDIDATES) -> Retrieval:
        """Search through one arm."""
        return await self.arms[arm].retrieve(SCOPE, query, top_k=top_k)

    async def query(self, case: Case) -> SearchQuery:
        """Return what is searched for when a question is asked in its conversation."""
        return await build_query(rolling_summary(case.history), case.question, self.gate)

    async def best_words(self, question: str) -> float:
        """Return the best BM25 score that any chunk has for a question; 0: no word of it occurs."""
        snapshot = await self.indexes.snapshot(self.store)
        hits = await snapshot.sparse.search(analyze(question), 1)
        return hits[0][1] if hits else 0.0

    async def measure(
        self, arm: str, cases: Sequence[Case], queries: Sequence[SearchQuery]
    ) -> dict[str, dict[str, float]]:
        """Return by measure what each case is worth when it is searched for through one arm."""
        found = {}
        for done, (case, query) in enumerate(zip(cases, queries, strict=True)):
            self.progress(done, len(cases), arm)
            ranked = (await self.ask(arm, query)).ranked
            chunks = [chunk for each in ranked for chunk in (each.chunk, *each.copies)]
            found[case.qid] = ([self.corpus.hits[chunk.chunk_id] for chunk in chunks], case.gold)
        return measured(found)


@asynccontextmanager
async def open_bench(
    dataset: Dataset, folder: str, *, embedder: Embedder, notes: Notes, progress: Progress
) -> AsyncIterator[Bench]:
    """Index a dataset in an empty *folder*, for the length of the block. Raises as `index` does."""
    vectors = await VectorStore.connect(folder)
    try:
        store = await vectors.catalog(
            CatalogRef(scope=SCOPE, generation=1, embedder=embedder.name, dimension=embedder.dimension)
        )
        corpus = await index(dataset, store, embedder)
        indexes = Indexes(analyze=analyze)
        yield Bench(
            dataset=dataset,
            corpus=corpus,
            store=store,
            indexes=indexes,
            embedder=embedder,
            arms=arms_over(store, indexes, embedder),
            gate=TopicGate(analyze=analyze, embedder=embedder),
            limits=limits_for(embedder.name),
            notes=notes,
            progress=progress,
        )
    finally:
        await vectors.close()


def arms_over(store: CatalogStore, indexes: Indexes, embedder: Embedder) -> dict[str, Retriever]:
    """Return the search by words, by meaning and by both over one catalog."""

    async def opened(_: Scope) -> CatalogStore:
        return store

    return {
        name: Retriever(
            open_catalog=opened,
            indexes=indexes,
            analyze=analyze,
            embedder=embedder if name != "sparse" else None,
            sparse=name != "dense",
        )
        for name in ("sparse", "dense", "hybrid")
    }


def plain(case: Case) -> SearchQuery:
    """Return the search for a question as if nothing had been said before."""
    return SearchQuery(question=case.question)


def rolling_summary(history: Sequence[Turn]) -> str:
    """Return what stands for a thread's summary where no model writes one.

    The last question and the first two sentences of the last answer.
    """
    questions = [turn.text for turn in history if turn.user]
    answers = [turn.text for turn in history if not turn.user]
    return " ".join([*questions[-1:], *(split(answers[-1])[:2] if answers else [])])
