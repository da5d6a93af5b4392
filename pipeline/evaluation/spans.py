"""Measures for questions whose answers are marked in the documents, character by character."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipeline.evaluation.scores import Hit

    Spans = Mapping[str, Sequence[tuple[int, int]]]
    """Document id → where the answer stands in its text."""

BUDGET: Final = 1_000
"""Tokens of a small prompt's sources, by `estimate_tokens`."""


@dataclass(frozen=True, slots=True)
class Overlap:
    """How the retrieved text and the marked text cover each other."""

    recall: float
    """Share of the marked characters that were retrieved."""
    iou: float
    """Marked characters that were retrieved, over all that are marked or were retrieved.

    What two chunks share counts twice among the retrieved, since it takes room twice. So does Chroma's
    evaluation of chunkers, with tokens in place of characters.
    """


def span_recall(ranked: Sequence[Hit], gold: Spans) -> float | None:
    """Return the share of the answer's spans that stand whole in one of the chunks; None: none is marked."""
    spans = [(doc_id, start, end) for doc_id, marked in gold.items() for start, end in marked]
    if not spans:
        return None
    held = [
        any(hit.doc_id == doc_id and start >= first and end <= last for hit, (first, last) in _placed(ranked))
        for doc_id, start, end in spans
    ]
    return sum(held) / len(spans)


def within(ranked: Sequence[Hit], budget: int = BUDGET) -> list[Hit]:
    """Return the chunks that fit into *budget* tokens, best first; one that does not fit ends it."""
    kept: list[Hit] = []
    for hit in ranked:
        budget -= hit.tokens
        if budget < 0:
            break
        kept.append(hit)
    return kept


def overlap(ranked: Sequence[Hit], gold: Spans) -> Overlap | None:
    """Compare all retrieved characters with all marked ones; None: none is marked."""
    marked = {(doc_id, place) for doc_id, spans in gold.items() for place in _covered(spans)}
    if not marked:
        return None
    placed = [(hit.doc_id, span) for hit, span in _placed(ranked)]
    found = {(doc_id, place) for doc_id, span in placed for place in range(*span)} & marked
    taken = sum(last - first for _, (first, last) in placed)
    return Overlap(recall=len(found) / len(marked), iou=len(found) / (taken + len(marked) - len(found)))


def _placed(ranked: Sequence[Hit]) -> list[tuple[Hit, tuple[int, int]]]:
    return [(hit, hit.span) for hit in ranked if hit.span is not None]


def _covered(spans: Iterable[tuple[int, int]]) -> set[int]:
    return {place for span in spans for place in range(*span)}
