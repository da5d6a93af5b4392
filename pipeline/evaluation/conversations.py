"""Follow-ups and changes of topic: what a conversation before a question does to its search."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipeline.evaluation.bench import plain, rolling_summary
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.query import SearchQuery, Topic, TopicGate, build_query, leans

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.evaluation.bench import Bench
    from pipeline.evaluation.dataset import Case
    from pipeline.evaluation.notes import Notes
    from pipeline.evaluation.scores import Values
    from pipeline.ports import Embedder

_GAINS: Final = ("recall@5", "recall@10", "ndcg@10")
"""Measures by which it is told how much of a person's rewrite is recovered."""

LEAST_GAIN: Final = 0.01
"""A rewrite that gains less over the bare question leaves nothing to recover a share of."""


async def follow_up(bench: Bench) -> dict[str, Any]:
    """Score questions with a conversation before them: alone, with it, and as a person words them."""
    cases = [case for case in bench.dataset.cases if case.sought and case.history]
    if not cases:
        return {}
    alone = await bench.measure("hybrid", cases, [plain(case) for case in cases])
    joined = await bench.measure("hybrid", cases, [await bench.query(case) for case in cases])
    part: dict[str, Any] = {
        "questions": len(cases),
        "last_turn": bench.notes.take("follow_up.last_turn", alone),
        "with_summary": bench.notes.take("follow_up.with_summary", joined),
    }
    return part | await _reworded(bench, cases, alone, joined)


async def _reworded(
    bench: Bench, cases: Sequence[Case], alone: Mapping[str, Values], joined: Mapping[str, Values]
) -> dict[str, Any]:
    """Score the rewrites of people, where they were given, and how much of their gain is recovered."""
    reworded = [case for case in cases if case.rewrite]
    if not reworded:
        return {}
    queries = [SearchQuery(question=case.rewrite or "") for case in reworded]
    values = await bench.measure("hybrid", reworded, queries)
    return {
        "rewrite": bench.notes.take("follow_up.rewrite", values),
        "recovered": {name: recovered(alone[name], joined[name], values[name]) for name in _GAINS},
    }


def recovered(alone: Values, joined: Values, reworded: Values) -> float | None:
    """Return the share of what a rewrite gains over the bare question that the summary gains as well.

    Only questions that have a rewrite count. Above 1 the summary does better than the person; None: the
    rewrite gains next to nothing.
    """
    bare, own, human = (
        sum(values[qid] for qid in reworded) / len(reworded) for values in (alone, joined, reworded)
    )
    return (own - bare) / (human - bare) if human - bare >= LEAST_GAIN else None


async def topic_change(bench: Bench) -> dict[str, Any]:
    """Score full questions after a conversation about something else."""
    cases = [case for case in bench.dataset.topic_changes if case.sought]
    if not cases:
        return {}
    queries = [await bench.query(case) for case in cases]
    noticed = {
        case.qid: float(query.topic is Topic.CHANGED) for case, query in zip(cases, queries, strict=True)
    }
    joined = await bench.measure("hybrid", cases, queries)
    strayed = {name: values for name, values in joined.items() if name.startswith("off_topic")}
    alone = await bench.measure("hybrid", cases, [plain(case) for case in cases])
    return {
        "questions": len(cases),
        **bench.notes.take("topic_change", {"noticed": noticed} | strayed),
        "last_turn": bench.notes.take("topic_change.last_turn", alone),
        "with_summary": bench.notes.take("topic_change.with_summary", joined),
    }


async def leaning(cases: Sequence[Case], embedder: Embedder, notes: Notes) -> dict[str, Any]:
    """Score how questions are told that can be understood only in their conversation.

    ``searched_with_it`` of those that need it, ``leans_if_needed`` and ``leans_if_not``. Nothing is searched.
    """
    judged = [case for case in cases if case.history and case.needs_rewrite is not None]
    if not judged:
        return {}
    gate = TopicGate(analyze=analyze, embedder=embedder)
    queries = {
        case.qid: await build_query(rolling_summary(case.history), case.question, gate) for case in judged
    }
    leant = {qid: float(leans(query, analyze)) for qid, query in queries.items()}
    needed = [case.qid for case in judged if case.needs_rewrite]
    spared = [case.qid for case in judged if not case.needs_rewrite]
    values = {
        "searched_with_it": {qid: float(bool(queries[qid].summary)) for qid in needed},
        "leans_if_needed": {qid: leant[qid] for qid in needed},
        "leans_if_not": {qid: leant[qid] for qid in spared},
    }
    return {"questions": len(judged)} | notes.take("leaning", values)
