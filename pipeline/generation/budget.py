"""What fits into a model's context window; what does not is left out here, never cut by the server."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from pipeline.observability.trace import record
from pipeline.sentences import spans

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.domain import Chunk

DROPPED: Final = "context:dropped"
"""The code of an answer for which passages were left out."""

QUESTION_RESERVE: Final = 256
"""Tokens kept free for a question; a longer one takes the rest from the sources."""

TEMPLATE_TOKENS: Final = 48
"""What chat templates add around two messages: role marks, start and end tokens (Llama 3 needs 20)."""

SOURCE_TOKENS: Final = 40
"""A source's element, its file name and its place."""

MIN_TRIMMED: Final = 64
"""A source that would keep fewer tokens than this is left out instead."""

SUMMARY_SHARE: Final = 0.25
"""The most that a summary may take from the sources."""

_CLASSES: Final[tuple[tuple[re.Pattern[str], float, float], ...]] = (
    # (characters, tokens each at most, tokens each at least), from what byte-pair vocabularies of 32,000 to
    # 250,000 entries make of them: 1.1 to 1.5 tokens for an English word, up to 2.1 for a German one,
    # 0.6 to 1 for a Chinese character, one for a digit or for three of them
    (re.compile(r"[A-Za-z]"), 0.33, 0.20),
    (re.compile(r"[0-9]"), 1.0, 0.30),
    (re.compile(r"[ \t]"), 0.05, 0.0),
    (re.compile(r"[\r\n]"), 0.5, 0.1),
    (re.compile(r"[!-/:-@\[-`{-~]"), 0.8, 0.3),
    (re.compile(r"[\u00a0-\u024f]"), 0.8, 0.25),
    (re.compile(r"[\u0370-\u052f]"), 0.6, 0.2),
    (re.compile(r"[\u0590-\u06ff]"), 0.9, 0.25),
    (re.compile(r"[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]"), 1.1, 0.5),
    (re.compile(r"[\uac00-\ud7af]"), 1.2, 0.4),
    (re.compile(r"[\u0700-\u1fff]"), 1.5, 0.3),
)
_OTHER: Final = (2.0, 0.3)


def estimate_tokens(text: str) -> int:
    """Return about how many tokens *text* is, on the high side for any current vocabulary."""
    return _weigh(text, 0)


def least_tokens(text: str) -> int:
    """Return how many tokens *text* is in the vocabulary that suits it best."""
    return _weigh(text, 1)


def _weigh(text: str, column: int) -> int:
    total = 0.0
    left = len(text)
    for pattern, *rates in _CLASSES:
        count = len(pattern.findall(text))
        total += count * rates[column]
        left -= count
    return int(total + left * _OTHER[column]) + 1


class HasChunk(Protocol):
    """A ranked or labelled chunk."""

    @property
    def chunk(self) -> Chunk:
        """The chunk itself."""
        ...


Found = TypeVar("Found", bound=HasChunk)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted(Generic[Found]):
    """What goes into the prompt, in the given order, and what stays out."""

    kept: tuple[Found, ...]
    dropped: tuple[Found, ...]
    summary: str
    trimmed: bool
    """The last one kept was cut at the end of a sentence."""
    tokens: int
    """Estimated tokens of what is kept, summary included."""


def room(*, num_ctx: int, num_predict: int, prompt_tokens: int) -> int:
    """Return the tokens left for sources and summary beside prompt, usual question and answer."""
    return max(0, num_ctx - num_predict - prompt_tokens - TEMPLATE_TOKENS - QUESTION_RESERVE)


def fit(found: Sequence[Found], *, summary: str, question: str, budget: int) -> Fitted[Found]:
    """Choose what goes into the prompt, and record what does not.

    Keep of *found*, best first, what fits into *budget* tokens together with *summary*.

    *budget* is a reader's `source_budget`. Sources are left out whole from the lowest rank up; the last one
    kept may lose its last sentences. Of the best source every sentence that fits is kept.
    """
    fitted = _select(found, summary, question, budget)
    _report(fitted, budget)
    return fitted


def refit(found: Sequence[Found], *, summary: str, question: str, budget: int) -> Fitted[Found]:
    """Fit once more what was fitted already; it changes nothing then, and records nothing."""
    fitted = _select(found, summary, question, budget)
    if fitted.dropped or fitted.trimmed:
        _report(fitted, budget)
    return fitted


def _select(found: Sequence[Found], summary: str, question: str, budget: int) -> Fitted[Found]:
    left = budget - max(0, estimate_tokens(question) - QUESTION_RESERVE)
    summary = _shorten(summary, int(left * SUMMARY_SHARE))
    left -= estimate_tokens(summary) if summary else 0
    available = left
    kept: list[Found] = []
    trimmed = False
    for item in found:
        cost = source_tokens(item)
        if cost > left:
            shortened = _trim(item, left, at_least=0 if not kept else MIN_TRIMMED)
            trimmed = shortened is not None
            if shortened is not None:
                kept.append(shortened)
                left -= source_tokens(shortened)
            break
        kept.append(item)
        left -= cost
    return Fitted(
        kept=tuple(kept),
        dropped=tuple(found[len(kept) :]),
        summary=summary,
        trimmed=trimmed,
        tokens=available - left + (estimate_tokens(summary) if summary else 0),
    )


def source_tokens(item: HasChunk) -> int:
    """Return the estimated tokens of one source as it stands in the prompt."""
    place = item.chunk.place.section or ""
    return estimate_tokens(item.chunk.text) + estimate_tokens(item.chunk.display_name + place) + SOURCE_TOKENS


def _trim(item: Found, tokens: int, *, at_least: int) -> Found | None:
    """Return *item* with as many whole sentences as fit into *tokens*; None: too few to be worth it."""
    text = _shorten(item.chunk.text, tokens - (source_tokens(item) - estimate_tokens(item.chunk.text)))
    if not text or estimate_tokens(text) < at_least:
        return None
    # every bound of Found is a dataclass with this field; a Protocol cannot say so
    trimmed: Any = replace(item, chunk=replace(item.chunk, text=text))  # type: ignore[type-var]  # see above
    kept: Found = trimmed
    return kept


def _shorten(text: str, tokens: int) -> str:
    """Return the longest beginning of *text* that ends with a sentence and fits into *tokens*."""
    if estimate_tokens(text) <= tokens:
        return text
    ends = [end for _, end in spans(text)]
    while ends and estimate_tokens(text[: ends[-1]]) > tokens:
        ends.pop()
    return text[: ends[-1]] if ends else ""


def _report(fitted: Fitted[Found], budget: int) -> None:
    record(
        "generation.budget",
        budget=budget,
        tokens=fitted.tokens,
        kept=len(fitted.kept),
        dropped=len(fitted.dropped),
        trimmed=fitted.trimmed,
    )
