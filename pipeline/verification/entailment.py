"""How likely a source supports a statement: the signs of the mechanical layer, words and meaning, weighed."""

from __future__ import annotations

import asyncio
import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Protocol

from pipeline.verification.mechanical import inspect, read_premise
from pipeline.verification.polarity import denies, turned

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipeline.ports import Embedder
    from pipeline.verification.mechanical import Kind, Premise, Signal

    Analyze = Callable[[str], list[str]]

COMPARED: Final = 6
"""Sentences of a source whose meaning is compared with a statement, those that share most words with it."""

BAND: Final = (0.25, 0.5)
"""Below the first a statement counts as unsupported, from the second on as supported.

On the development pairs one supported statement in twenty falls below, and three unsupported ones in ten.
"""

WEIGHTS: Final[Mapping[str, float]] = {
    "bias": -3.39,
    "shared": 2.36,
    "runs": 1.27,
    "cosine": 2.5,
    "numbers": -0.53,
    "names": -0.48,
    "negation": -0.1,
    "turned": -1.88,
}
"""Fitted by scripts/calibrate.py on one half of the development pairs, see docs/verification.md."""

WORDS: Final[Mapping[str, float]] = {
    "bias": -1.95,
    "shared": 2.41,
    "runs": 1.8,
    "numbers": -0.46,
    "names": -0.54,
    "negation": -0.13,
    "direction": -1.41,
}
"""The same without meaning, for when the embedder gives nothing in time."""


class Entailment(Protocol):
    """Estimates whether a source supports a statement."""

    async def __call__(self, premise: Premise, hypothesis: str) -> float:
        """Return the chance in [0, 1] that *premise* supports *hypothesis*. Raises `ModelError`."""
        ...


class SignScorer:
    """Weighs what can be read off words, numbers and names together with the closest sentence's meaning."""

    def __init__(self, embedder: Embedder, analyze: Analyze) -> None:
        self._embedder = embedder
        self._analyze = analyze

    async def __call__(self, premise: Premise, hypothesis: str) -> float:
        return weighed(await self.facts(premise, hypothesis), WEIGHTS)

    async def facts(self, premise: Premise, claim: str) -> dict[str, float]:
        """Return what speaks for and against *claim*, the meaning of the closest sentence included."""
        facts = await asyncio.to_thread(read_facts, premise, claim, None, self._analyze)
        ranks = await asyncio.to_thread(closest, premise, claim, self._analyze)
        if ranks:
            vectors = await self._embedder.embed_documents([claim, *(premise.sentences[r] for r in ranks)])
            cosines = vectors[1:] @ vectors[0]
            facts["cosine"] = float(cosines.max())
            nearest = ranks[int(cosines.argmax())]
            facts["turned"] = float(
                turned(frozenset(self._analyze(claim)), premise.tokens[nearest])
                and denies(claim) == denies(premise.sentences[nearest])  # “not allowed” is “forbidden”
            )
        return facts

    async def support(self, claim: str, references: Sequence[str]) -> float:
        """Return the same chance for texts that are no passages of a channel, for measuring."""
        premise = await asyncio.to_thread(read_premise, "\n\n".join(references), self._analyze)
        return await self(premise, claim)


def words_score(premise: Premise, claim: str, signals: Sequence[Signal], analyze: Analyze) -> float:
    """Return the chance that *premise* supports *claim*, judged by words alone."""
    return weighed(read_facts(premise, claim, signals, analyze), WORDS)


def closest(premise: Premise, claim: str, analyze: Analyze) -> list[int]:
    """Return which sentences of *premise* are worth comparing by meaning."""
    return [rank for _, rank in premise.covering(analyze(claim))[:COMPARED]]


def read_facts(
    premise: Premise, claim: str, signals: Sequence[Signal] | None, analyze: Analyze
) -> dict[str, float]:
    """Return what speaks for and against *claim*, each in [0, 1]; *signals* saves reading them again.

    ``shared`` is the share of its words that the source has, ``runs`` of its pairs of neighbouring words.
    """
    tokens = analyze(claim)
    own = frozenset(tokens)
    pairs = frozenset(pairwise(tokens))
    seen = inspect(claim, premise, analyze) if signals is None else signals
    found = {signal.kind: signal for signal in seen}
    return {
        "bias": 1.0,
        "shared": len(own & premise.words) / max(1, len(own)),
        "runs": len(pairs & premise.runs) / max(1, len(pairs)),
        "numbers": float("numbers" in found and bool(found["numbers"].missing)),
        "names": float(any(kind in found and found[kind].missing for kind in _NAMED)),
        "negation": float("negation" in found),
        "direction": float("direction" in found),
        "cosine": 0.0,
        "turned": 0.0,
    }


_NAMED: Final[tuple[Kind, ...]] = ("names", "codes")


def weighed(facts: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """Return the logistic of the weighted sum, in [0, 1]."""
    return 1 / (1 + math.exp(-sum(weight * facts.get(name, 0.0) for name, weight in weights.items())))
