"""An answer without a language model: the sentences of the sources that are closest to the question."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pipeline.errors import ModelError
from pipeline.generation.embedders import unit
from pipeline.generation.keyed import is_keyed
from pipeline.generation.prompts import is_code
from pipeline.generation.quoting import phrase
from pipeline.generation.response import DEGRADED_KEY
from pipeline.generation.statements import statements
from pipeline.observability.trace import record
from pipeline.sentences import closeness, coverage, weights

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence

    from pipeline.conversation import CitedSource
    from pipeline.generation.lists import List
    from pipeline.generation.statements import Statement
    from pipeline.ports import Embedder

    Analyze = Callable[[str], list[str]]

QUOTED: Final = 2
"""Sentences in an answer: two held the wanted string for 20 of 20 development questions, one for 16."""

PER_SOURCE: Final = 8
"""Sentences of one source that are embedded, those that cover most of the question."""

IN_ALL: Final = 14
"""Sentences that are embedded for one answer, in about 0.2 s on one core; 20 found no more wanted strings."""

SOURCE_BUDGET: Final = 6000
"""Estimated tokens of sources that are read: more than any sensible number of chunks has."""

SAME: Final = 0.75
"""Share of common tokens from which a second sentence only repeats the first."""

SECOND_AT_LEAST: Final = 0.7
"""Share of the best sentence's closeness below which a second one is left out; 0.72 lost wanted strings."""

RECALLED: Final = np.float32(0.35)
"""Length of the memory's vector beside the question's, as in the search; in one text it drowns it."""

RANK_BONUS: Final = 0.1
"""What standing in the best source is worth; it falls off with the rank."""

_CODE_TOKEN: Final = re.compile(r"\d{2}")
"""Of the analyzer's tokens those that name one thing among many: years, numbers, codes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One sentence of one source."""

    label: str
    source: int
    """Rank of its source, from 0."""
    position: int
    """Place among the sentences of its source, from 0."""
    text: str
    heard: str
    """The text with the question that it answers."""
    tokens: frozenset[str]
    coverage: float
    """Share of the question's weight that it holds."""
    code: bool = False
    """It is a line of a program."""
    keyed: bool = False
    """It is a value with its keys."""
    list: List | None = None
    """What it is an item of, or leads in to."""


EXTRACTIVE: Final = "reader:extractive"
"""The code of an answer that was quoted, not worded."""

WORDS_ONLY: Final = "reader:extractive_by_words"
"""The code of one whose sentences were ranked without the embedder."""

PATIENCE_S: Final = 10.0
"""Seconds after which words alone rank the sentences."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quoted:
    """What a model's message is for a model: the text, and why it ended."""

    content: str
    degraded: tuple[str, ...] = (EXTRACTIVE,)
    usage_metadata: None = None

    @property
    def response_metadata(self) -> dict[str, Any]:
        return {"finish_reason": "stop", DEGRADED_KEY: self.degraded}


class ExtractiveReader:
    """Quotes the best two sentences with their markers.

    It always quotes the best there is; whether to answer at all is decided before. *analyze* is the tokenizer
    of the sparse index. Words come *pace* seconds apart, so that the reply grows.
    """

    def __init__(
        self,
        embedder: Embedder,
        analyze: Analyze,
        *,
        pace: float = 0.01,
        patience_s: float = PATIENCE_S,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._embedder = embedder
        self._patience_s = patience_s
        self._analyze = analyze
        self._pace = pace
        self._sleep = sleep

    @property
    def name(self) -> str:
        return "extractive"

    @property
    def source_budget(self) -> int:
        return SOURCE_BUDGET

    def read(
        self,
        question: str,
        sources: Sequence[CitedSource],
        summary: str,
        *,
        waiting: Callable[[int], None],
    ) -> ExtractiveReading:
        return ExtractiveReading(lambda: self._answer(question, sources, summary), self._pace, self._sleep)

    async def _answer(self, question: str, sources: Sequence[CitedSource], summary: str) -> Quoted | None:
        found = await asyncio.to_thread(candidates, question, summary, sources, self._analyze)
        if not found:
            return None
        cosines = await self._cosines(question, summary, found)
        codes = frozenset(token for token in self._analyze(question) if _CODE_TOKEN.search(token))
        chosen = choose(found, cosines or [0.0] * len(found), codes=codes)
        record("generation.extracted", candidates=len(found), quoted=len(chosen), by_words=cosines is None)
        degraded = (EXTRACTIVE,) if cosines else (EXTRACTIVE, WORDS_ONLY)
        return Quoted(content=phrase(chosen), degraded=degraded)

    async def _cosines(self, question: str, summary: str, found: Sequence[Candidate]) -> list[float] | None:
        """Return how close each sentence is to the question; None: the embedder cannot tell."""
        try:
            async with asyncio.timeout(self._patience_s):
                aim = await self._embedder.embed_query(question)
                if summary:
                    aim = unit(aim + RECALLED * await self._embedder.embed_query(summary))
                vectors = await self._embedder.embed_documents([candidate.heard for candidate in found])
        except (ModelError, TimeoutError):
            return None
        return [float(cosine) for cosine in vectors @ aim]


class ExtractiveReading:
    """One quoted answer on its way, word by word."""

    def __init__(
        self,
        answer: Callable[[], Awaitable[Quoted | None]],
        pace: float,
        sleep: Callable[[float], Awaitable[None]],
    ) -> None:
        self._answer = answer
        self._pace = pace
        self._sleep = sleep
        self._message: Quoted | None = None

    def __aiter__(self) -> AsyncIterator[str]:
        return self._words()

    @property
    def message(self) -> Quoted | None:
        return self._message

    async def _words(self) -> AsyncGenerator[str, None]:
        self._message = await self._answer()
        if self._message is None:
            return
        for word in re.findall(r"\S+\s*|\s+", self._message.content):
            yield word
            await self._sleep(self._pace)


def candidates(
    question: str, summary: str, sources: Sequence[CitedSource], analyze: Analyze
) -> list[Candidate]:
    """Return the sentences that are worth embedding, those that cover most of the question first.

    Sentences that only ask are among them where there is nothing else.
    """
    split_up = [[(said, analyze(said.heard)) for said in statements(source.chunk)] for source in sources]
    weight = weights(tokens for sentences in split_up for _, tokens in sentences)
    asked = analyze(question)
    recalled = analyze(summary)
    only_asks = all(said.asks for sentences in split_up for said, _ in sentences)
    found: list[Candidate] = []
    for rank, (source, sentences) in enumerate(zip(sources, split_up, strict=True)):
        own = [
            _candidate(source, rank, position, said, tokens, _covered(asked, recalled, tokens, weight))
            for position, (said, tokens) in enumerate(sentences)
            if only_asks or not said.asks
        ]
        found += sorted(own, key=_by_coverage)[:PER_SOURCE]
    return sorted(found, key=_by_coverage)[:IN_ALL]


def _candidate(
    source: CitedSource, rank: int, position: int, said: Statement, tokens: list[str], covered: float
) -> Candidate:
    name = source.chunk.display_name
    return Candidate(
        label=source.label,
        source=rank,
        position=position,
        text=said.text,
        heard=said.heard,
        tokens=frozenset(tokens),
        coverage=covered,
        code=is_code(name),
        keyed=is_keyed(name),
        list=said.list,
    )


def _covered(asked: list[str], recalled: list[str], tokens: list[str], weight: dict[str, float]) -> float:
    """Cover the question; what only the memory names counts as a fifth."""
    own = coverage(asked, tokens, weight)
    return 0.8 * own + 0.2 * coverage(recalled, tokens, weight) if recalled else own


def _by_coverage(candidate: Candidate) -> tuple[float, int, int]:
    return -candidate.coverage, candidate.source, candidate.position


def choose(
    found: Sequence[Candidate], cosines: Sequence[float], *, codes: frozenset[str] = frozenset()
) -> list[Candidate]:
    """Return the best one or two: the best first, but neighbours in the order in which they stand.

    *cosines* are to the question. A second sentence that lacks one of its *codes* that the first one holds is
    about another thing of the same kind: the next invoice, the next error.
    """
    score = {
        candidate: closeness(cosine, candidate.coverage) + RANK_BONUS / (1 + candidate.source)
        for candidate, cosine in zip(found, cosines, strict=True)
    }
    ranked = sorted(found, key=lambda candidate: -score[candidate])
    chosen = ranked[:1]
    for candidate in ranked[1:]:
        if len(chosen) == QUOTED or score[candidate] < SECOND_AT_LEAST * score[ranked[0]]:
            break
        same_thing = codes & ranked[0].tokens <= candidate.tokens
        if same_thing and not any(_repeats(candidate, other) for other in chosen):
            chosen.append(candidate)
    return sorted(chosen, key=lambda each: each.position) if _reads_on(chosen) else chosen


def _reads_on(chosen: Sequence[Candidate]) -> bool:
    """Tell whether the sentences read on from one to the next where they stand."""
    positions = [candidate.position for candidate in chosen]
    apart = max(positions) - min(positions) if positions else 0
    one_list = chosen[:1] and chosen[0].list is not None and len({id(each.list) for each in chosen}) == 1
    one_source = len({candidate.source for candidate in chosen}) == 1
    return one_source and not chosen[0].keyed and (apart < QUOTED or bool(one_list))


def _repeats(candidate: Candidate, other: Candidate) -> bool:
    union = candidate.tokens | other.tokens
    return not union or len(candidate.tokens & other.tokens) / len(union) >= SAME
