"""Index a dataset in a folder of its own, ask its questions of every arm, report what was found."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.domain import Scope
from pipeline.evaluation import scores
from pipeline.evaluation.corpus import index
from pipeline.evaluation.dataset import read_dataset
from pipeline.evaluation.vectors import KeptEmbedder
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.index import Indexes
from pipeline.retrieval.query import SearchQuery, Topic, TopicGate, build_query, leans
from pipeline.retrieval.search import CANDIDATES, Retriever
from pipeline.retrieval.sufficiency import judge, limits_for
from pipeline.sentences import split
from pipeline.storage.refs import CatalogRef
from pipeline.storage.vectors import VectorStore

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pipeline.domain import Retrieval
    from pipeline.evaluation.corpus import Corpus
    from pipeline.evaluation.dataset import Case, Dataset, Turn
    from pipeline.ports import Embedder
    from pipeline.retrieval.sufficiency import Limits
    from pipeline.storage.catalogstore import CatalogStore

    Progress = Callable[[int, int, str], None]

_SCOPE = Scope("eval", "local", "dataset")
_TOP_K = 8
"""What an answer is given to read; the verdict on sufficiency is taken from as much."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """A dataset that is indexed, and the arms to ask it through."""

    dataset: Dataset
    corpus: Corpus
    arms: Mapping[str, Retriever]
    gate: TopicGate
    limits: Limits
    progress: Progress

    async def ask(self, arm: str, query: SearchQuery, *, top_k: int = CANDIDATES) -> Retrieval:
        """Search through one arm."""
        return await self.arms[arm].retrieve(_SCOPE, query, top_k=top_k)

    async def ranked(self, arm: str, query: SearchQuery) -> list[scores.Hit]:
        """Search through one arm; say which of the dataset's documents were found."""
        found = await self.ask(arm, query)
        return [self.corpus.hits[each.chunk.chunk_id] for each in found.ranked]


async def evaluate(dataset: Path, *, embedder: Embedder, cache: Path, progress: Progress) -> dict[str, Any]:
    """Score the retrieval of a dataset folder; vectors are kept in *cache* for the next run.

    The report has the keys ``dataset``, ``questions`` and ``arms``, and, where the dataset tests them,
    ``abstention``, ``follow_up`` and ``topic_change``; every figure has its 95 % interval beside it.
    *progress* is told (done, total, what). Raises `DatasetError`, `ModelError`.
    """
    read = await asyncio.to_thread(read_dataset, dataset)
    kept = await asyncio.to_thread(KeptEmbedder, embedder, cache, progress)
    with tempfile.TemporaryDirectory(prefix="footnote-eval-", ignore_cleanup_errors=True) as folder:
        vectors = await VectorStore.connect(folder)
        try:
            ref = CatalogRef(scope=_SCOPE, generation=1, embedder=embedder.name, dimension=embedder.dimension)
            store = await vectors.catalog(ref)
            bench = await _bench(read, store, kept, progress)
            return await _report(bench)
        finally:
            await vectors.close()


async def _bench(dataset: Dataset, store: CatalogStore, embedder: Embedder, progress: Progress) -> Bench:
    async def opened(_: Scope) -> CatalogStore:
        return store

    corpus = await index(dataset, store, embedder)
    indexes = Indexes(analyze=analyze)
    arms = {
        name: Retriever(
            open_catalog=opened,
            indexes=indexes,
            analyze=analyze,
            embedder=embedder if name != "sparse" else None,
            sparse=name != "dense",
        )
        for name in ("sparse", "dense", "hybrid")
    }
    gate = TopicGate(analyze=analyze, embedder=embedder)
    return Bench(
        dataset=dataset,
        corpus=corpus,
        arms=arms,
        gate=gate,
        limits=limits_for(embedder.name),
        progress=progress,
    )


async def _report(bench: Bench) -> dict[str, Any]:
    scored = [case for case in bench.dataset.cases if case.gold]
    report: dict[str, Any] = {"dataset": bench.dataset.name, "questions": len(scored), "arms": {}}
    for arm in bench.arms:
        report["arms"][arm] = await _measured(bench, arm, scored, [_plain(case) for case in scored])
    parts = {
        "abstention": await _abstention(bench),
        "follow_up": await _follow_up(bench, [case for case in scored if case.history]),
        "topic_change": await _topic_change(bench),
    }
    return report | {name: part for name, part in parts.items() if part}


async def _measured(
    bench: Bench, arm: str, cases: Sequence[Case], queries: Sequence[SearchQuery]
) -> dict[str, Any]:
    pairs = []
    for done, (case, query) in enumerate(zip(cases, queries, strict=True)):
        bench.progress(done, len(cases), arm)
        pairs.append((await bench.ranked(arm, query), case.gold))
    return scores.measures(pairs)


async def _abstention(bench: Bench) -> dict[str, Any]:
    """Score the check after the search, on questions that the documents answer and on others."""
    refused: dict[bool, list[float]] = {True: [], False: []}
    if not any(case.answerable is False for case in bench.dataset.cases):
        return {}
    for done, case in enumerate(bench.dataset.cases):
        bench.progress(done, len(bench.dataset.cases), "abstention")
        if isinstance(case.answerable, bool):
            query = await build_query(rolling_summary(case.history), case.question, bench.gate)
            found = await bench.ask("hybrid", query, top_k=_TOP_K)
            verdict = judge(case.question, found, analyze, bench.limits, leaning=leans(query, analyze))
            refused[case.answerable].append(float(not verdict.sufficient))
    return {
        "unanswerable": len(refused[False]),
        "answerable": len(refused[True]),
        **scores.summarise("refused_unanswerable", refused[False]),
        **scores.summarise("refused_answerable", refused[True]),
    }


async def _follow_up(bench: Bench, cases: Sequence[Case]) -> dict[str, Any]:
    """Score questions with a conversation before them: alone, with it, and as a person words them."""
    if not cases:
        return {}
    joined = [await build_query(rolling_summary(case.history), case.question, bench.gate) for case in cases]
    part: dict[str, Any] = {
        "questions": len(cases),
        "last_turn": await _measured(bench, "hybrid", cases, [_plain(case) for case in cases]),
        "with_summary": await _measured(bench, "hybrid", cases, joined),
    }
    reworded = [case for case in cases if case.rewrite]
    if reworded:
        queries = [SearchQuery(question=case.rewrite or "") for case in reworded]
        part["rewrite"] = await _measured(bench, "hybrid", reworded, queries)
    return part


async def _topic_change(bench: Bench) -> dict[str, Any]:
    """Score full questions after a conversation about something else."""
    cases = [case for case in bench.dataset.topic_changes if case.gold]
    if not cases:
        return {}
    queries = [await build_query(rolling_summary(case.history), case.question, bench.gate) for case in cases]
    strayed = []
    for case, query in zip(cases, queries, strict=True):
        first = scores.distinct(await bench.ranked("hybrid", query))[:5]
        strayed.append(len(case.off_topic & set(first)) / 5)
    return {
        "questions": len(cases),
        **scores.summarise("noticed", [float(query.topic is Topic.CHANGED) for query in queries]),
        **scores.summarise("off_topic@5", strayed),
        "last_turn": await _measured(bench, "hybrid", cases, [_plain(case) for case in cases]),
        "with_summary": await _measured(bench, "hybrid", cases, queries),
    }


def rolling_summary(history: Sequence[Turn]) -> str:
    """Return what stands for a thread's summary where no model writes one.

    The last question and the first two sentences of the last answer.
    """
    questions = [turn.text for turn in history if turn.user]
    answers = [turn.text for turn in history if not turn.user]
    return " ".join([*questions[-1:], *(split(answers[-1])[:2] if answers else [])])


def _plain(case: Case) -> SearchQuery:
    return SearchQuery(question=case.question)
