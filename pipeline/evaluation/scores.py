"""The measures and their uncertainty; pure functions over rankings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

_Z = 1.96
_RESAMPLES = 1_000
_SEED = 13


@dataclass(frozen=True, slots=True)
class Hit:
    """A ranked chunk: its document and, if known, where it stands in the document's text."""

    doc_id: str
    span: tuple[int, int] | None = None


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


def span_recall(
    ranked: Sequence[Hit], gold: Mapping[str, Sequence[tuple[int, int]]], k: int = 5
) -> float | None:
    """Return the share of the answer's spans that stand whole in one of the first *k* chunks.

    None where the dataset marks no span for this question.
    """
    spans = [(doc_id, start, end) for doc_id, marked in gold.items() for start, end in marked]
    if not spans:
        return None
    held = [
        any(
            hit.doc_id == doc_id and hit.span is not None and hit.span[0] <= start and end <= hit.span[1]
            for hit in ranked[:k]
        )
        for doc_id, start, end in spans
    ]
    return sum(held) / len(spans)


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


def measures(
    rankings: Sequence[tuple[Sequence[Hit], Mapping[str, Sequence[tuple[int, int]]]]],
) -> dict[str, object]:
    """Return all measures of one arm over (ranking, gold) pairs; gold must not be empty."""
    found: dict[str, object] = {}
    for k in (1, 5, 10):
        found |= summarise(f"recall@{k}", [recall(ranked, gold, k) for ranked, gold in rankings])
    found |= summarise("ndcg@10", [ndcg(ranked, gold) for ranked, gold in rankings], rate=False)
    spans = [span_recall(ranked, gold) for ranked, gold in rankings]
    return found | summarise("span_recall@5", [share for share in spans if share is not None])
