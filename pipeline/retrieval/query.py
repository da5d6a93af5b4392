"""What is searched for: the question, and as much of the thread's summary as concerns it.

Measured, see docs/retrieval.md: in one plain text, three sentences of summary drown a short question. So the
two are weighed in the query, and after a change of topic the summary is left out.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from pipeline.errors import ModelError
from pipeline.language import own_words
from pipeline.observability.trace import record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.ports import Embedder

FAR_COSINE = 0.15
"""Below it, question and summary are about different things."""

FAR_OVERLAP = 0.25
"""If more of the question's tokens stand in the summary, the two are about the same thing in any case."""

ALONE_TOKENS = 3
"""A question of fewer different tokens leans on what was said before, unless it is far from all of that."""

ALONE_WORDS = 4
"""From so many words on it may be a whole question all the same: "What is the capital of Mongolia?"."""

ALIEN_COSINE = 0.05
"""Below it, and with no token in common, a short whole question is about something else."""

PATIENCE_S = 5.0
"""Seconds after which words alone tell a change of topic."""

_REFERRING = """
    it its itself they them their theirs he him his she her hers this that these those there such same another
    other others else also too instead above former latter previous earlier again
    er sie es ihn ihm ihr ihre ihren ihrem ihrer seine seinen seinem seiner dessen deren diese dieser dieses
    diesem diesen jene jener dort dazu damit davon dafür darüber dabei daran darauf dann auch
    il elle ils elles lui leur leurs ce cet cette ces cela ça celui celle ceux celles aussi
    él ella ellos ellas su sus este esta esto estos estas ese esa eso esos esas aquel aquella allí también
    ele ela eles elas isso isto esse essa aquilo seu sua também lui lei loro questo questa quello quella suo
    он она оно они его её ее их этот эта это эти тот там также
    هو هي هم هذا هذه ذلك تلك هؤلاء هناك
    그것 이것 저것 그는 그녀 그들 거기 여기
"""
"""Words that stand for something said before. One too many does little harm: the summary stays."""

_REFERRING_WORDS = frozenset(_REFERRING.split())
_REFERRING_SIGNS = (
    re.compile("[它他她这那其该此]|これ|それ|あれ|この|その|あの|ここ|そこ|彼"),
    re.compile(r"\b(?:which|the|each|any|every|first|second|last|next|other) ones?\b", re.IGNORECASE),
)
_CONNECTIVE = re.compile(
    r"\W*(?:and|but|or|so|then|what about|how about|und|aber|oder|et|mais|ou|y|pero|e|ma|mas|и|а|но)\b",
    re.IGNORECASE,
)
_EXPLETIVE = re.compile(
    r"^\W*(?:is|are|was|were) there\b|\bhow (?:many|much)\b[^?]*\b(?:is|are|was|were) there\b", re.IGNORECASE
)
"""Where "there" stands for nothing."""

_WORD = re.compile(r"\w+")


class Topic(StrEnum):
    """How a question stands to its thread."""

    FIRST = "first"
    """There is nothing before it."""
    SAME = "same"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What is searched for. A plain search is `SearchQuery(question=…)`."""

    question: str
    summary: str = ""
    """What the thread has been about; empty at its beginning and after a change of topic."""
    topic: Topic = Topic.FIRST
    vectors: Mapping[str, NDArray[np.float32]] = field(default_factory=dict)
    """Vectors that were made on the way, by their text."""

    @property
    def text(self) -> str:
        """Both in one text."""
        return f"{self.summary}\n{self.question}" if self.summary else self.question


class TopicGate:
    """Tells a change of topic from a question that goes on."""

    def __init__(
        self,
        *,
        analyze: Callable[[str], Sequence[str]],
        embedder: Embedder | None = None,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._analyze = analyze
        self._embedder = embedder
        self._patience_s = patience_s

    async def judge(self, summary: str, question: str) -> tuple[Topic, dict[str, NDArray[np.float32]]]:
        """Return how *question* stands to *summary*, and the vectors that were needed to tell."""
        tokens, before = self._analyze(question), frozenset(self._analyze(summary))
        alone, whole = stands_alone(question, tokens), _is_whole(question)
        overlap = len(before & set(tokens)) / max(1, len(set(tokens)))
        vectors = await self._vectors(summary, question)
        cosine = float(vectors[summary] @ vectors[question]) if vectors else None
        far = overlap <= FAR_OVERLAP and cosine < FAR_COSINE if cosine is not None else overlap == 0
        alien = overlap == 0 and cosine is not None and cosine < ALIEN_COSINE
        says = bool(own_words(question))  # "Whom do I ask?" is a whole question, and names no topic
        topic = Topic.CHANGED if says and ((alone and far) or (whole and alien)) else Topic.SAME
        seen = {"alone": alone, "whole": whole, "overlap": round(overlap, 2), "cosine": _short(cosine)}
        record("retrieval.topic", topic=topic, **seen)
        return topic, vectors

    async def _vectors(self, summary: str, question: str) -> dict[str, NDArray[np.float32]]:
        if self._embedder is None:
            return {}
        try:
            async with asyncio.timeout(self._patience_s):
                found = await asyncio.gather(*map(self._embedder.embed_query, (summary, question)))
        except (ModelError, TimeoutError):
            return {}  # the dense arm will say so
        return {summary: found[0], question: found[1]}


async def build_query(summary: str, question: str, gate: TopicGate) -> SearchQuery:
    """Join *question* with the thread's *summary*, unless the topic has changed."""
    question, summary = question.strip(), summary.strip()
    if not summary:
        return SearchQuery(question=question)
    topic, vectors = await gate.judge(summary, question)
    kept = "" if topic is Topic.CHANGED else summary
    return SearchQuery(question=question, summary=kept, topic=topic, vectors=vectors)


def stands_alone(question: str, tokens: Sequence[str]) -> bool:
    """Tell whether *question* can be understood without what was said before.

    It names nothing by a pronoun, does not go on from something and has something to say; *tokens* are the
    analyzer's. In doubt it does not stand alone: then the summary is kept, which costs little.
    """
    return not _goes_on(question) and len(set(tokens)) >= ALONE_TOKENS


def _is_whole(question: str) -> bool:
    """Tell a question that is short from a mere keyword or the rest of a sentence."""
    return not _goes_on(question) and len(_WORD.findall(question)) >= ALONE_WORDS


def _goes_on(question: str) -> bool:
    """Tell whether *question* names something by a pronoun or goes on from what was said."""
    asked = _EXPLETIVE.sub(" ", question)
    words = {word.casefold() for word in _WORD.findall(asked)}
    refers = words & _REFERRING_WORDS or any(sign.search(asked) for sign in _REFERRING_SIGNS)
    return bool(refers or _CONNECTIVE.match(question))


def is_vague(question: str, tokens: Sequence[str]) -> bool:
    """Tell whether *question* leans on what was said before and has one word of its own at most."""
    return not stands_alone(question, tokens) and len(own_words(question)) <= 1


def leans(query: SearchQuery, analyze: Callable[[str], Sequence[str]]) -> bool:
    """Tell whether the question can only be understood through the summary that goes with it."""
    return bool(query.summary) and not stands_alone(query.question, analyze(query.question))


def _short(cosine: float | None) -> float | None:
    return None if cosine is None else round(cosine, 3)
