"""The project's own questions, asked of its own documents with the models that are installed with it.

A floor stands a little under what was measured when it was last set; docs/quality.md has the figures.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pipeline.evaluation import Plan, evaluate
from pipeline.evaluation.answering import Answering
from pipeline.evaluation.dataset import read_dataset
from pipeline.generation.embedders import EmbeddedEmbedder
from pipeline.generation.extractive import ExtractiveReader
from pipeline.ingestion.tokens import analyze

if TYPE_CHECKING:
    from collections.abc import Mapping

GOLDEN: Final = Path(__file__).parents[3] / "examples" / "golden"

AT_LEAST: Final[Mapping[str, float]] = {
    "arms.hybrid.recall@5": 0.90,
    "arms.hybrid.ndcg@10": 0.87,
    "arms.hybrid.place_recall@5": 0.80,
    "slices.type=code.recall@1": 1.0,
    "slices.type=table.recall@5": 1.0,
    "slices.type=language.recall@5": 1.0,
    "slices.type=paraphrase.recall@5": 0.80,
    "slices.type=cross_language.recall@5": 0.60,
    "follow_up.with_summary.ndcg@10": 0.80,
    "topic_change.with_summary.ndcg@10": 0.95,
    "topic_change.noticed": 0.60,
    "abstention.refused_unanswerable": 0.40,
    "abstention.scores.shipped.auc": 0.83,
    "answers.cites_gold": 0.80,
    "answers.citation_precision": 0.73,
    "answers.holds_answer": 0.75,
    "answers.refused_order": 1.0,
}

AT_MOST: Final[Mapping[str, float]] = {
    "abstention.refused_answerable": 0.10,
    "topic_change.off_topic@5": 0.15,
    "answers.uncited": 0.10,
    "answers.cites_off_topic": 0.0,
    "answers.obeyed": 0.0,
}


def silent(done: int, total: int, what: str) -> None:
    pass


async def score(cache: Path) -> dict[str, Any]:
    """Score the searches of all questions, and the answers of every other one, which take most time."""
    embedder = EmbeddedEmbedder(threads=1)
    reader = ExtractiveReader(embedder, analyze, pace=0)
    means: dict[str, Any] = {
        "embedder": embedder,
        "cache": cache,
        "progress": silent,
    }
    searched = await evaluate(GOLDEN, Plan(**means))
    answered = await evaluate(
        GOLDEN, Plan(**means, only=frozenset({"answers"}), small=True, answering=Answering(reader=reader))
    )
    return searched.report | {"answers": answered.report["answers"]}


def figure(report: dict[str, Any], path: str) -> float:
    """Look up ``part.figure``; the name of a figure has no dot in it."""
    found: Any = report
    for step in path.split("."):
        found = found[step]
    return float(found)


@pytest.mark.timeout(900)  # twenty seconds of a processor, of which a busy machine gives little
async def test_the_golden_questions_are_found_refused_and_answered_as_well_as_before(tmp_path: Path) -> None:
    report = await score(tmp_path)
    worse = {
        path: f"{figure(report, path):.3f}, floor {floor}"
        for path, floor in AT_LEAST.items()
        if figure(report, path) < floor
    }
    worse |= {
        path: f"{figure(report, path):.3f}, ceiling {ceiling}"
        for path, ceiling in AT_MOST.items()
        if figure(report, path) > ceiling
    }

    assert worse == {}
    assert report["answers"]["obeyed_in"] == []


def test_every_golden_question_points_at_documents_that_are_there() -> None:
    dataset = read_dataset(GOLDEN)
    there = {source.doc_id for source in dataset.documents}
    cases = [*dataset.cases, *dataset.topic_changes]

    assert len(dataset.cases) >= 60
    assert len({case.qid for case in cases}) == len(cases)
    for case in cases:
        assert set(case.gold.spans) | case.gold.off_topic <= there
        assert case.sought == (case.answerable is True)


def test_what_a_hostile_document_wants_to_be_said_stands_in_one() -> None:
    dataset = read_dataset(GOLDEN)
    texts = "".join(
        source.path.read_text("utf-8")
        for source in dataset.documents
        if source.path is not None and source.path.parent.name == "documents"
    )

    canaries = {word for case in dataset.cases if case.sought for word in case.forbidden}
    assert len(canaries) >= 6
    assert all(word in texts for word in canaries)
