"""Score a folder in each of the ways that its files allow."""

from __future__ import annotations

import asyncio
import tempfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from pipeline.errors import DatasetError
from pipeline.evaluation import (
    abstention,
    answers,
    attacks,
    citation,
    conversations,
    injection,
    loading,
    searching,
)
from pipeline.evaluation.bench import open_bench
from pipeline.evaluation.checkers import shipped
from pipeline.evaluation.dataset import read_dataset
from pipeline.evaluation.notes import Notes
from pipeline.evaluation.vectors import KeptEmbedder

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from pipeline.evaluation.answering import Answering
    from pipeline.evaluation.bench import Bench, Progress
    from pipeline.ports import Embedder

PARTS: Final = (
    "arms",
    "abstention",
    "follow_up",
    "topic_change",
    "leaning",
    "answers",
    "citation",
    "injection",
    "loaders",
)
"""What can be scored, in the order of the report."""

_FILES: Final[Mapping[str, frozenset[str]]] = {
    "questions": frozenset({"arms", "abstention", "follow_up", "topic_change", "leaning", "answers"}),
    "pairs": frozenset({"citation"}),
    "items": frozenset({"injection"}),
    "manifest": frozenset({"loaders"}),
}
"""File → the parts that it is needed for."""

_SEARCHED: Final = _FILES["questions"] - {"leaning"}
"""The parts that need documents as well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a run is done with, and how much of it is done."""

    embedder: Embedder
    cache: Path
    """Vectors are kept here for the next run."""
    progress: Progress
    only: frozenset[str] = frozenset(PARTS)
    """The parts that are wanted, as far as the folder has them."""
    small: bool = False
    """Only the questions that are marked so."""
    answering: Answering | None = None
    """Words answers; None: no answers are asked for, only searches."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a run has found out."""

    report: dict[str, Any]
    notes: Notes = field(default_factory=Notes)


async def evaluate(dataset: Path, plan: Plan) -> Outcome:
    """Score a dataset folder.

    The report has the keys ``dataset``, ``questions`` and ``arms``, and, where the folder tests them,
    ``slices``, ``abstention``, ``follow_up``, ``topic_change``, ``leaning``, ``answers``, ``citation``,
    ``injection`` and ``loaders``; every figure has its 95 % interval beside it. Raises `DatasetError`,
    `ModelError`.
    """
    there = await asyncio.to_thread(_there, dataset)
    wanted = there & plan.only
    if not wanted:
        raise DatasetError(f"{dataset.name} has none of the parts that are asked for.")
    kept = await asyncio.to_thread(KeptEmbedder, plan.embedder, plan.cache, plan.progress)
    outcome = Outcome(report={"dataset": dataset.name, "questions": 0, "arms": {}})
    if wanted & _FILES["questions"]:
        outcome.report.update(await _questions(dataset, plan, kept, wanted, outcome.notes))
    if "citation" in wanted:
        pairs = await asyncio.to_thread(citation.read_pairs, dataset)
        outcome.report["citation"] = await citation.measure(
            pairs, shipped(kept), notes=outcome.notes, progress=plan.progress
        )
    if "injection" in wanted:
        outcome.report["injection"] = await _injection(dataset, plan, kept, outcome.notes)
    if "loaders" in wanted:
        samples = await asyncio.to_thread(loading.read_samples, dataset)
        outcome.report["loaders"] = await loading.measure(
            samples, notes=outcome.notes, progress=plan.progress
        )
    return outcome


def _there(folder: Path) -> frozenset[str]:
    """Return the parts that a folder has files for. Raises `DatasetError` where there are none."""
    found = [
        parts
        for stem, parts in _FILES.items()
        if (folder / f"{stem}.jsonl").is_file() or (folder / f"{stem}.jsonl.gz").is_file()
    ]
    if not found:
        raise DatasetError(
            f"{folder.name} has no documents.jsonl and questions.jsonl, and no pairs.jsonl, items.jsonl or "
            f"manifest.jsonl either."
        )
    return frozenset().union(*found)


async def _questions(
    folder: Path, plan: Plan, embedder: Embedder, wanted: frozenset[str], notes: Notes
) -> dict[str, Any]:
    dataset = await asyncio.to_thread(read_dataset, folder, small=plan.small)
    told = await conversations.leaning(dataset.cases, embedder, notes) if "leaning" in wanted else {}
    report: dict[str, Any] = {"leaning": told} if told else {}
    if not wanted & _SEARCHED:
        return report
    if not dataset.documents:
        if report:
            return report
        raise DatasetError(f"{folder.name} has no documents, which the parts that are asked for need.")
    with tempfile.TemporaryDirectory(prefix="footnote-eval-", ignore_cleanup_errors=True) as scratch:
        opened = open_bench(dataset, scratch, embedder=embedder, notes=notes, progress=plan.progress)
        async with opened as bench:
            return report | await _asked(bench, plan, wanted)


async def _asked(bench: Bench, plan: Plan, wanted: frozenset[str]) -> dict[str, Any]:
    report: dict[str, Any] = {"questions": sum(case.sought for case in bench.dataset.cases)}
    if "arms" in wanted:
        report |= await searching.measure(bench)
    for name, measure in _MEASURES.items():
        if name in wanted and (part := await measure(bench)):
            report[name] = part
    if "answers" in wanted and plan.answering is not None:
        report["answers"] = await answers.measure(bench, plan.answering)
    return report


_MEASURES: Final = {
    "abstention": abstention.measure,
    "follow_up": conversations.follow_up,
    "topic_change": conversations.topic_change,
}


async def _injection(folder: Path, plan: Plan, embedder: Embedder, notes: Notes) -> dict[str, Any]:
    """Score detection and, where answers are asked for, what comes of the attacks."""
    items = await asyncio.to_thread(injection.read_items, folder)
    report = injection.measure(items, notes=notes)
    aimed = attacks.questions_of(items, small=plan.small)
    if plan.answering is None or not aimed:
        return report
    obeyed = await attacks.measure(
        aimed, plan.answering, embedder=embedder, notes=notes, progress=plan.progress
    )
    return report | {"obeyed": obeyed}
