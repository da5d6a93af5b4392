"""Which sentence of which source stands behind a sentence of the answer."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from pipeline import markers
from pipeline.errors import ModelError
from pipeline.observability.metrics import DEGRADED, OBSERVED, SANITIZED
from pipeline.observability.trace import record
from pipeline.sentences import closeness, coverage, spans, split, weights
from pipeline.verification.narrowing import cited_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from pipeline.conversation import CitedSource
    from pipeline.domain import Chunk
    from pipeline.ports import Embedder

    Analyze = Callable[[str], list[str]]
    Vectors = NDArray[np.float32]

PER_SOURCE: Final = 6
"""Sentences of one source that are compared, those that share most words with what is claimed."""

IN_ALL: Final = 36
"""Sentences that are compared for one answer: about half a second on one core, much of it already known."""

CLAIMS: Final = 12
"""Unmarked sentences of one answer that are looked at; an answer has rarely half as many."""

SUPPORTED: Final = 0.58
MARGIN: Final = 0.10
"""Closeness that a source must reach, and its lead over the next one, for a marker to be added.

Measured on 413 claims of the citation development set, each against its own source and the three most similar
others: about half of the supported claims get their source, 2 in 100 another one.
"""

SHORTEST_CLAIM: Final = 3
"""Tokens below which a sentence claims too little to be attributed ("Yes.")."""

PATIENCE_S: Final = 3.0
"""Seconds after which words alone decide."""

LONGEST_QUOTE: Final = 300

QUESTION_SHARE: Final = 0.5
"""Weight of the question beside the claim; it tells which of two matching sentences was meant."""

_NUMBER: Final = re.compile(r"\d+(?:[.,]\d+)*")
_END: Final = re.compile(r"(?:[.!?。！？…]+[\"'”’»)*_」』]*)?$")
_FENCED: Final = re.compile(r"(?:```|~~~).*?(?:```|~~~|\Z)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """One sentence of one source."""

    source: int
    """Rank of its source, from 0."""
    text: str
    tokens: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The best that one source offers for one claim."""

    source: int
    score: float
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The sentence of a source that stands behind what cites it."""

    text: str
    lines: tuple[int, int] | None = None
    """Where it stands, with what else the answer says of the source; None: somewhere in the source."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Repaired:
    """An answer with the markers that could be added without guessing."""

    text: str
    added: int
    uncited: int
    """Sentences that claim something and stay without a marker."""


class Attributor:
    """Compares sentences by meaning and words; falls back to words where the embedder fails or is slow.

    *analyze* is the tokenizer of the sparse index.
    """

    def __init__(self, embedder: Embedder, analyze: Analyze, *, patience_s: float = PATIENCE_S) -> None:
        self._embedder = embedder
        self._analyze = analyze
        self._patience_s = patience_s

    async def choose_quote(self, chunk: Chunk, question: str, sentence: str) -> str | None:
        """Return the sentence of *chunk* that is closest to the answer's *sentence*; None: it has none."""
        found = await self._closest([chunk], [sentence], question)
        best = found[0]
        return clip(best[0].evidence.text) if best else None

    async def choose_quotes(
        self, answer: str, sources: Sequence[CitedSource], question: str
    ) -> dict[str, Quote]:
        """Return a quote for each label of *sources*, closest to the sentences of *answer* that cite it.

        A label that no sentence cites is compared with the question alone.
        """
        claims = [_cited_by(answer, source.label) or question for source in sources]
        found = await self._closest([source.chunk for source in sources], claims, question)
        return await asyncio.to_thread(self._quotes, sources, claims, found)

    def _quotes(
        self, sources: Sequence[CitedSource], claims: Sequence[str], found: Sequence[Sequence[Support]]
    ) -> dict[str, Quote]:
        quotes = {}
        for rank, (source, claim, supports) in enumerate(zip(sources, claims, found, strict=True)):
            sentence = next((each.evidence.text for each in supports if each.source == rank), None)
            if sentence is not None:
                said = markers.without_markers(claim)
                lines = cited_lines(source.chunk, sentence, said, self._analyze)
                quotes[source.label] = Quote(text=clip(sentence), lines=lines)
        return quotes

    async def repair_markers(self, answer: str, sources: Sequence[CitedSource], question: str) -> Repaired:
        """Add the marker of a source to each unmarked sentence that it clearly supports, and it alone."""
        coded = markers.code_spans(answer)  # a marker within code is code
        spans = [span for span in claim_spans(answer) if not any(a < span[1] < b for a, b in coded)]
        unmarked = [span for span in spans if self._claims(answer[slice(*span)])]
        looked_at = unmarked[:CLAIMS] if sources else []
        claims = [answer[slice(*span)] for span in looked_at]
        found = await self._closest([source.chunk for source in sources], claims, question) if claims else []
        added: list[tuple[int, str]] = []
        for (start, end), supports in zip(looked_at, found, strict=True):
            winner = clear_winner(supports)
            if winner is not None and numbers_occur(answer[start:end], sources[winner].chunk.text):
                added.append((end, sources[winner].label))
        _report(len(added), len(unmarked) - len(added))
        return Repaired(
            text=insert_markers(answer, added), added=len(added), uncited=len(unmarked) - len(added)
        )

    def _claims(self, sentence: str) -> bool:
        plain = sentence.rstrip("*_ \t\n")
        return not plain.endswith((":", "?", "？", "：")) and len(self._analyze(sentence)) >= SHORTEST_CLAIM

    async def _closest(
        self, chunks: Sequence[Chunk], claims: Sequence[str], question: str
    ) -> list[list[Support]]:
        """Return for each claim what each source offers, best first."""
        bare = [markers.without_markers(claim) for claim in claims]
        wanted = [self._analyze(claim) for claim in bare]
        asked = self._analyze(question)
        evidence, weight = await asyncio.to_thread(
            gather, chunks, [*asked, *(token for tokens in wanted for token in tokens)], self._analyze
        )
        cosines = await self._cosines(bare, question, evidence)
        return [
            rank_supports(evidence, row, tokens, asked, weight)
            for row, tokens in zip(cosines, wanted, strict=True)
        ]

    async def _cosines(self, claims: list[str], question: str, evidence: Sequence[Evidence]) -> Vectors:
        """Return shape (claims, evidence); zeros where the embedder gives nothing in time."""
        try:
            async with asyncio.timeout(self._patience_s):
                vectors = await self._embedder.embed_documents([*claims, *(one.text for one in evidence)])
                asked = await self._embedder.embed_query(question)
        except (ModelError, TimeoutError):
            record("attribution.degraded", reason="embedder")
            DEGRADED.labels("attribution:words_only").inc()
            return np.zeros((len(claims), len(evidence)), dtype=np.float32)
        aims = vectors[: len(claims)] + np.float32(QUESTION_SHARE) * asked
        aims /= np.maximum(np.linalg.norm(aims, axis=1, keepdims=True), np.float32(1e-12))
        cosines: Vectors = aims @ vectors[len(claims) :].T
        return cosines


def gather(
    chunks: Sequence[Chunk], wanted: Sequence[str], analyze: Analyze
) -> tuple[list[Evidence], dict[str, float]]:
    """Return the sentences worth comparing, and the weight of each token among all sentences."""
    sentences = [
        [Evidence(source=rank, text=text, tokens=frozenset(analyze(text))) for text in split(chunk.text)]
        for rank, chunk in enumerate(chunks)
    ]
    weight = weights(one.tokens for own in sentences for one in own)

    def covering(one: Evidence) -> float:
        return coverage(wanted, one.tokens, weight)

    best = [one for own in sentences for one in sorted(own, key=covering, reverse=True)[:PER_SOURCE]]
    # every source keeps its best sentence, whatever the others offer
    firsts = {one.source: one for one in reversed(best)}
    others = sorted((one for one in best if firsts[one.source] is not one), key=covering, reverse=True)
    return [*firsts.values(), *others[: max(0, IN_ALL - len(firsts))]], weight


def rank_supports(
    evidence: Sequence[Evidence],
    cosines: Sequence[float] | Vectors,
    claim: Sequence[str],
    question: Sequence[str],
    weight: Mapping[str, float],
) -> list[Support]:
    """Return the best sentence of each source for *claim*, best source first; pure scoring."""
    best: dict[int, Support] = {}
    for one, cosine in zip(evidence, cosines, strict=True):
        covered = coverage(claim, one.tokens, weight)
        hinted = coverage(question, one.tokens, weight)
        words = (covered + QUESTION_SHARE * hinted) / (1 + QUESTION_SHARE)
        support = Support(source=one.source, score=closeness(float(cosine), words), evidence=one)
        if one.source not in best or support.score > best[one.source].score:
            best[one.source] = support
    return sorted(best.values(), key=lambda support: (-support.score, support.source))


def clear_winner(supports: Sequence[Support]) -> int | None:
    """Return the source that supports a claim well and clearly better than the others; None: a guess.

    A second source that holds the same sentence is no rival: the first of them is as right.
    """
    if not supports or supports[0].score < SUPPORTED:
        return None
    best = supports[0]
    rivals = [other for other in supports[1:] if other.evidence.tokens != best.evidence.tokens]
    if rivals and best.score - rivals[0].score < MARGIN:
        return None
    return best.source


def numbers_occur(claim: str, source: str) -> bool:
    """Tell whether every number of *claim* stands in *source*; digits grouped otherwise count as equal."""
    present = {_digits(number) for number in _NUMBER.findall(source)}
    return all(_digits(number) in present for number in _NUMBER.findall(claim))


def _digits(number: str) -> str:
    return re.sub(r"[.,]", "", number)


def claim_spans(answer: str) -> list[tuple[int, int]]:
    """Return where the sentences without a marker stand, code left out."""
    code = [match.span() for match in _FENCED.finditer(answer)]
    return [
        (start, end)
        for start, end in spans(answer)
        if not markers.MARKER.search(answer, start, end) and not any(a < end and start < b for a, b in code)
    ]


def insert_markers(answer: str, added: Sequence[tuple[int, str]]) -> str:
    """Put each label before the end mark of the sentence that ends there; *added* is in order."""
    for end, label in reversed(added):
        stop = _END.search(answer, 0, end)
        place = stop.start() if stop else end
        answer = f"{answer[:place]} [{label}]{answer[place:]}"
    return answer


def clip(text: str) -> str:
    """Shorten a quote to what fits under an answer."""
    if len(text) <= LONGEST_QUOTE:
        return text
    gap = text.rfind(" ", LONGEST_QUOTE // 2, LONGEST_QUOTE)
    return text[: gap if gap > 0 else LONGEST_QUOTE].rstrip() + " …"


def _cited_by(answer: str, label: str) -> str:
    """Return the sentences of *answer* that cite *label*."""
    return " ".join(
        sentence
        for sentence in split(answer)
        if any(label in markers.labels_of(marker) for marker in markers.MARKER.finditer(sentence))
    )


def _report(added: int, uncited: int) -> None:
    if added:
        SANITIZED.labels("marker_added").inc(added)
    if uncited:
        OBSERVED.labels("uncited_sentence").inc(uncited)
    record("attribution.repaired", added=added, uncited=uncited)
