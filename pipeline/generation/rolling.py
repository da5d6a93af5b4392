"""A thread's memory without a language model: what was asked, and what the answer said of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from pipeline import markers
from pipeline.sentences import coverage, split, weights

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.conversation import TokenUsage

    Analyze = Callable[[str], list[str]]

LONGEST_SENTENCE: Final = 240
"""Three of them stay under what the check of summaries lets through."""


class ExtractiveSummarizer:
    """Keeps one sentence of the conversation so far, the question, and the answer's key sentence."""

    def __init__(self, analyze: Analyze) -> None:
        self._analyze = analyze

    async def summarize(self, previous: str, question: str, answer: str) -> tuple[str, TokenUsage | None]:
        """Return at most three sentences, without markers; no tokens are spent."""
        asked = _sentence(question)
        key = self._key_sentence(question, markers.without_markers(answer))
        kept = self._carried(previous, f"{asked} {key}")
        return " ".join(part for part in (kept, asked, key) if part), None

    def _key_sentence(self, question: str, answer: str) -> str:
        """Return the answer's sentence that covers most of the question; the first of several."""
        sentences = split(answer)
        if not sentences:
            return ""
        return _sentence(max(sentences, key=self._covering(question, sentences)))

    def _carried(self, previous: str, new: str) -> str:
        """Return the old memory's sentence that has most to do with the turn; none after a new subject."""
        sentences = [text for text in split(previous) if text not in new]
        if not sentences:
            return ""
        covering = self._covering(new, [*sentences, new])
        best = max(sentences, key=covering)
        return _sentence(best) if covering(best) > 0 else ""

    def _covering(self, question: str, sentences: list[str]) -> Callable[[str], float]:
        tokens = {text: self._analyze(text) for text in sentences}
        weight = weights(tokens.values())
        asked = self._analyze(question)
        return lambda text: coverage(asked, tokens[text], weight)


def _sentence(text: str) -> str:
    """Bring *text* onto one line, without markers, of bounded length, with an end."""
    line = markers.defused(" ".join(text.split()))
    if len(line) > LONGEST_SENTENCE:
        line = line[
            : line.rfind(" ", 0, LONGEST_SENTENCE) if " " in line[:LONGEST_SENTENCE] else LONGEST_SENTENCE
        ]
    return line if not line or line[-1] in ".!?。！？…" else f"{line}."
