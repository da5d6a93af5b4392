"""Two rankings become one: Reciprocal Rank Fusion, gated by how strong each hit is in its own arm."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.language import foreign

if TYPE_CHECKING:
    from collections.abc import Sequence

K = 60
"""Of Cormack, Clarke and Büttcher (SIGIR 2009): how little the first ranks stand out."""

DENSE_WEIGHTS = (0.35, 0.8)
"""Of 1, the rest being the sparse arm's: where words single chunks out, and where they do not."""

LEADS = (0.5, 0.2)
"""How far the best BM25 score stands above the tenth, as a share of it, for either of `DENSE_WEIGHTS`.

Chosen on the development sets, see docs/retrieval.md. That scores which stand close together tell little is
what predictors of query performance build on (NQC; Shtok, Kurland, Carmel and others, TOIS 2012).
"""

_DEPTH = 10

FOREIGN_WEIGHT = 0.2
"""The dense arm's weight for a text in a language that its model never learned."""

_ENGLISH_ONLY = re.compile(
    r"all-minilm|nomic-embed-text(?!-v2)|mxbai-embed-large|bge-(?:small|base|large)-en|gte-(?:small|base|large)"
    r"|snowflake-arctic-embed(?!2|-\w-v2)"
)
"""Families of embedding models whose cards name English only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fused:
    """A chunk's place in the fused ranking, and its rank in each (from 1; None: not in that one)."""

    chunk_id: str
    score: float
    ranks: tuple[int | None, ...]


def fuse(
    rankings: Sequence[Sequence[tuple[str, float]]], weights: Sequence[float], *, k: int = K
) -> list[Fused]:
    """Return all chunks of *rankings* (chunk id, strength in [0, 1], best first), best first.

    The score is the sum of weight * strength / (k + rank). Strengths of 1 throughout are plain weighted
    Reciprocal Rank Fusion, which loses to its better arm as soon as the other one is weak: it takes the
    fiftieth hit of a model that does not know the language for more than half as good as the first.
    Equal scores stand in the order of the chunk ids.
    """
    scores: dict[str, float] = {}
    ranks: dict[str, list[int | None]] = {}
    for arm, (ranking, weight) in enumerate(zip(rankings, weights, strict=True)):
        for rank, (chunk_id, strength) in enumerate(ranking, 1):
            scores[chunk_id] = scores.get(chunk_id, 0.0) + weight * strength / (k + rank)
            ranks.setdefault(chunk_id, [None] * len(rankings))[arm] = rank
    order = sorted(scores, key=lambda chunk_id: (-scores[chunk_id], chunk_id))
    return [
        Fused(chunk_id=chunk_id, score=scores[chunk_id], ranks=tuple(ranks[chunk_id])) for chunk_id in order
    ]


def against_best(hits: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return *hits* with their share of the best score: for BM25, whose 0 means "nothing shared"."""
    top = max((score for _, score in hits), default=0.0)
    return [(chunk_id, score / top if top > 0 else 0.0) for chunk_id, score in hits]


def against_spread(hits: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """Return *hits* with their place between the worst and the best: for cosines, which have no natural 0."""
    scores = [score for _, score in hits]
    low, high = min(scores, default=0.0), max(scores, default=0.0)
    span = high - low
    return [(chunk_id, (score - low) / span if span > 0 else 1.0) for chunk_id, score in hits]


def dense_weight(embedder: str, text: str, worded: Sequence[tuple[str, float]]) -> float:
    """Return how much of 1 the dense arm counts for *text*, a question.

    *worded* is what the sparse arm found, best first: the closer its scores stand together, the less they
    say. A wrong guess about the language costs little.
    """
    if knows_only_english(embedder) and foreign(text):
        return FOREIGN_WEIGHT
    (least, most), (clear, vague) = DENSE_WEIGHTS, LEADS
    unclear = (clear - _lead(worded)) / (clear - vague)
    return least + (most - least) * min(1.0, max(0.0, unclear))


def _lead(hits: Sequence[tuple[str, float]]) -> float:
    """Return how far the best score stands above the tenth, as a share of it; 1 where there is no tenth."""
    if len(hits) < _DEPTH or hits[0][1] <= 0:
        return 1.0
    return 1 - hits[_DEPTH - 1][1] / hits[0][1]


def knows_only_english(embedder: str) -> bool:
    """Tell whether *embedder* is known to find meaning in English only."""
    return _ENGLISH_ONLY.search(embedder.lower()) is not None
