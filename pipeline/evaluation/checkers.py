"""Ways to tell whether references support a claim; each gives a number, higher for more support.

A new one is tried by giving `citation.measure` another checker.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from pipeline.domain import Chunk, Place
from pipeline.ingestion.tokens import analyze
from pipeline.verification.attribution import gather, rank_supports
from pipeline.verification.entailment import SignScorer

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.ports import Embedder


class Checker(Protocol):
    """How well a claim is supported."""

    async def __call__(self, claim: str, references: Sequence[str]) -> float:
        """Return a number of any scale, higher for more. Raises `ModelError`."""
        ...


class WordOverlap:
    """The share of a claim's words that occur anywhere in the references: what every checker must beat."""

    async def __call__(self, claim: str, references: Sequence[str]) -> float:
        wanted = set(analyze(claim))
        present = {token for reference in references for token in analyze(reference)}
        return len(wanted & present) / len(wanted) if wanted else 0.0


class Closeness:
    """How close the references' best sentence is, by meaning and words, as markers are attributed."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def __call__(self, claim: str, references: Sequence[str]) -> float:
        tokens = analyze(claim)
        evidence, weight = gather([_chunk(text) for text in references], tokens, analyze)
        if not evidence:
            return 0.0
        vectors = await self._embedder.embed_documents([claim, *(one.text for one in evidence)])
        supports = rank_supports(evidence, vectors[1:] @ vectors[0], tokens, tokens, weight)
        return supports[0].score


def shipped(embedder: Embedder) -> Mapping[str, Checker]:
    """Return what every report shows."""
    gate = SignScorer(embedder, analyze).support
    return {"words": WordOverlap(), "closeness": Closeness(embedder), "gate": gate}


def _chunk(text: str) -> Chunk:
    return Chunk(
        chunk_id="", document_id="", display_name="", source="", chunk_index=0, text=text, place=Place()
    )
