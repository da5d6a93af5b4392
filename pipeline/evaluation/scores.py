"""The measures and their uncertainty; pure functions over rankings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import Place
from pipeline.evaluation.spans import overlap, span_recall, within

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from pipeline.evaluation.spans import Spans

    Values = Mapping[str, float]
    """What one measure gives each question, by the question's id."""

NOWHERE = Place()
"""Of a document that has no pages, lines or sections."""

_Z = 1.96
_RESAMPLES = 1_000
_SEED = 13


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked chunk: its document and, if known, where it stands there."""

    doc_id: str
    span: tuple[int, int] | None = None
    """Of the document's text."""
    place: Place = NOWHERE
    """Page, lines and section, of a document that is a file."""
    tokens: int = 0
    """About how many it takes in a prompt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gold:
    """What a question should find."""

    spans: Spans
    """Its keys are the documents; a document without spans counts as a whole."""
    places: Mapping[str, Place]
    """Of documents that are files, the page or section that has the answer."""
    off_topic: frozenset[str] = frozenset()
    """Documents that a search which strayed would bring."""


def distinct(ranked: Sequence[Hit]) -> list[str]:
    """Return the documents of a ranking, each at the place of its first chunk."""
    return list(dict.fromkeys(hit.doc_id for hit in ranked))


def recall(ranked: Sequence[Hit], gold: Collection[str], k: int) -> float:
    """Return the share of the *gold* documents among the first *k* different ones."""
    return len(set(gold) & set(distinct(ranked)[:k])) / len(gold)


def ndcg(ranked: Sequence[Hit], gold: Collection[str], k: int = 10) -> float:
    """Return the normalised discounted cumulative gain with binary relevance (Järvelin and Kekäläinen)."""
    gain = sum(1 / math.log2(place + 2) for place, doc in enumerate(distinct(ranked)[:k]) if doc in gold)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(k, len(gold))))


def place_recall(ranked: Sequence[Hit], places: Mapping[str, Place], k: int = 5) -> float | None:
    """Return the share of the named pages and sections that one of the first *k* chunks comes from.

    None where the dataset names none for this question.
    """
    if not places:
        return None
    held = [
        any(hit.doc_id == doc_id and _within(hit.place, place) for hit in ranked[:k])
        for doc_id, place in places.items()
    ]
    return sum(held) / len(places)


def _by_characters(ranked: Sequence[Hit], gold: Spans) -> dict[str, float | None]:
    """Return the measures of marked answers, for the first five chunks and for what a prompt may hold."""
    covered = overlap(ranked[:5], gold)
    return {
        "span_recall@5": span_recall(ranked[:5], gold),
        "span_recall@1000t": span_recall(within(ranked), gold),
        "text_recall@5": covered.recall if covered else None,
        "text_iou@5": covered.iou if covered else None,
    }


def off_topic(ranked: Sequence[Hit], strangers: Collection[str], k: int = 5) -> float:
    """Return the share of the first *k* documents that are *strangers*."""
    return len(set(strangers) & set(distinct(ranked)[:k])) / k


def _within(place: Place, wanted: Place) -> bool:
    """Tell whether a chunk stands where it should; a section is named by the end of its path."""
    section = wanted.section is None or (place.section or "").endswith(wanted.section)
    return section and wanted.page in (None, place.page)


def wilson(successes: float, count: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a rate; *successes* may be a sum of shares."""
    if not count:
        return 0.0, 0.0
    rate, squared = successes / count, _Z * _Z
    denominator = 1 + squared / count
    centre = (rate + squared / 2 / count) / denominator
    half = _Z * math.sqrt(rate * (1 - rate) / count + squared / 4 / count / count) / denominator
    return max(0.0, centre - half), min(1.0, centre + half)


def bootstrap(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % percentile interval of the mean, with a fixed seed."""
    held = np.asarray(values)
    draw = np.random.default_rng(_SEED)
    means = [float(held[draw.integers(0, len(held), len(held))].mean()) for _ in range(_RESAMPLES)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def summarise(name: str, values: Sequence[float], *, rate: bool = True) -> dict[str, object]:
    """Return the mean under *name* and its interval under ``name_ci``; nothing without values."""
    if not values:
        return {}
    interval = wilson(sum(values), len(values)) if rate else bootstrap(values)
    return {name: sum(values) / len(values), f"{name}_ci": [round(bound, 4) for bound in interval]}


def measured(found: Mapping[str, tuple[Sequence[Hit], Gold]]) -> dict[str, dict[str, float]]:
    """Return by measure what each question's ranking is worth; a measure has the questions it applies to."""
    values: dict[str, dict[str, float | None]] = {
        f"recall@{k}": {qid: recall(ranked, gold.spans, k) for qid, (ranked, gold) in found.items()}
        for k in (1, 5, 10)
    }
    values["ndcg@10"] = {qid: ndcg(ranked, gold.spans) for qid, (ranked, gold) in found.items()}
    for qid, (ranked, gold) in found.items():
        for name, value in _by_characters(ranked, gold.spans).items():
            values.setdefault(name, {})[qid] = value
    values["place_recall@5"] = {
        qid: place_recall(ranked, gold.places) for qid, (ranked, gold) in found.items()
    }
    values["off_topic@5"] = {
        qid: off_topic(ranked, gold.off_topic) for qid, (ranked, gold) in found.items() if gold.off_topic
    }
    applying = {
        name: {qid: value for qid, value in by.items() if value is not None} for name, by in values.items()
    }
    return {name: by for name, by in applying.items() if by}


def figures(values: Mapping[str, Values]) -> dict[str, object]:
    """Return the mean and the interval of each measure."""
    found: dict[str, object] = {}
    for name, by_question in values.items():
        found |= summarise(name, list(by_question.values()), rate=not name.startswith(("ndcg", "text_")))
    return found
