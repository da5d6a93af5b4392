"""Whether what was found is enough to answer from, judged by signals that cost nothing."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from pipeline.language import foreign, is_latin, own_words
from pipeline.observability.trace import record
from pipeline.retrieval.doubt import undenied
from pipeline.retrieval.fusion import knows_only_english
from pipeline.retrieval.kinship import Kinship

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipeline.domain import RankedChunk, Retrieval

_AMOUNT = re.compile(r"\d[\d.]*-?[a-z]+(?:-[a-z]+)*")
"""20th, 1990s, 50mb, 60-minute."""

_NUMBER = re.compile(r"\d+")
_VERSION = re.compile(r"\d+(?:\.\d+){2,}")

Why = Literal["found", "nothing_found", "unrelated", "code_not_found", "other_language"]
"""*other_language*: unrelated for all that words can tell between two languages, and meaning cannot."""

COVERAGE_SHARE: Final = 0.4
"""What a full coverage of the question's words is worth beside a cosine of 1."""

# A logistic regression over six development sets that count alike. Fitted without one of them and tried on
# that one it does as well; see docs/retrieval.md, also for what else was tried.
_BIAS: Final = -4.6
_NEAR: Final = 4.9
"""For each 1 of cosine + `COVERAGE_SHARE` x coverage of the chunk that has most of both."""
_AGREED: Final = 1.1
"""Divided by the place in the dense arm's ranking of the chunk that is first in the sparse arm's."""
_RARE: Final = 0.28
"""For the weight of the question's words in one chunk: two rare words say more than one common one."""

# What speaks against an answer, set by hand from how often it is seen with and without one.
_UNDENIED: Final = -4.0
"""For a question that takes a denial for granted, where the sentence nearest to it denies nothing."""
_UNNAMED: Final = -3.0
"""For the share of names and numbers that the chunk with most of the words lacks."""
_FLOOR: Final = -2.8
"""The score under which missing words do not count, for people also ask in words of their own."""
_MISSED: Final = 0.1
"""How much of what is above `_FLOOR` each word takes that no chunk holds: about a tenth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where to give up. An answer refused in error costs more than a weak one; see docs/retrieval.md."""

    score: float | None = -2.45
    """Of all signals together; None: for this embedder it was not measured."""
    leaning_score: float | None = -2.5
    """The same for follow-ups, whose own words say less of what they are about."""
    few: int = 5
    """Chunks that are so few that none of them is near by chance; more are found wherever there are more."""
    few_cosine: float = 0.3
    """Best cosine that is enough by itself among them, for people who ask in other words than the files."""
    sure: float | None = -1.6
    """Score below which what was found is answered from with a word of caution."""
    related: float = 0.48
    """Best cosine + `COVERAGE_SHARE` x best coverage, where there is no score."""
    coverage: float = 0.15
    """Share of the question's weight in the best chunk, where its meaning was not looked at."""
    foreign_share: float = 0.26
    """Share of the words in the best chunk, in any form, for a question in a language that the model never
    learned, so that its cosines say little: more than one word of four."""
    foreign_cosine: float = 0.5
    """Best cosine from which such a question is related all the same, if its letters are Latin."""
    across_share: float = 0.2
    """Share of the words where question and chunk are in two languages: what they have in common are names,
    numbers and words that sound alike, and each of them says much."""
    english_only: bool = True
    """Whether the model finds meaning in English only."""
    cosine: float = 0.2
    """Best cosine, where nothing is known of the words."""
    code_cosine: float = 0.6
    """Above it a chunk is so close that the code of the question may be spelled otherwise in it."""


_MEASURED: Final = re.compile(r"all-minilm")
"""Embedders whose cosines `Limits` was calibrated on, with English; those of others lie elsewhere."""

_UNMEASURED: Final = Limits(score=None, leaning_score=None, sure=None, related=0.2, cosine=0.1)

_LEANING: Final = Limits(related=0.12, cosine=0.1, coverage=0.0)
"""For follow-ups where there is no score."""


def limits_for(embedder: str) -> Limits:
    """Return the limits for the vectors of *embedder*; careful ones where they were not measured."""
    if _MEASURED.search(embedder.lower()):
        return Limits()
    return replace(_UNMEASURED, english_only=knows_only_english(embedder))


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The decision, its reason as a code, and what it was taken from."""

    sufficient: bool
    why: Why
    signals: Mapping[str, float | int | None]
    """Numbers by name, ``cosine`` and ``score`` for instance; None for what is not known."""
    weak: bool = False
    """Whether it is enough, and people should know that it may not be what they asked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Signals:
    """What the search knows already when it has found something."""

    chunks: int
    cosine: float | None
    coverage: float
    near: float | None
    agreed: float
    rare: float
    unnamed: float
    missing: int
    undenied: bool

    @property
    def score(self) -> float | None:
        if self.near is None:
            return None
        held = _BIAS + _NEAR * self.near + _AGREED * self.agreed + _RARE * self.rare
        above = held + _UNDENIED * self.undenied + _UNNAMED * self.unnamed - _FLOOR
        return _FLOOR + (above * math.exp(-_MISSED * self.missing) if above > 0 else above)

    def noted(self) -> dict[str, float | int | None]:
        values = {**asdict(self), "score": self.score}
        return {
            name: round(value, 3) if isinstance(value, float) else value for name, value in values.items()
        }


def judge(
    question: str,
    retrieval: Retrieval,
    analyze: Callable[[str], Sequence[str]],
    limits: Limits | None = None,
    *,
    leaning: bool = False,
) -> Verdict:
    """Decide whether *retrieval* holds enough to answer *question* from, and note it in the trace.

    A question that is *leaning* on what was said before is held to careful limits.
    """
    signals = _signals(question, retrieval.ranked, analyze)
    if leaning:  # "And for annual ones, in Essen?" names what it asks of, and the thread what it asks
        signals = replace(signals, unnamed=0.0)
    limits = limits or Limits()
    kinship = Kinship(question, [each.chunk for each in retrieval.ranked], analyze)
    why = _why(question, retrieval, analyze, limits, signals, kinship, leaning=leaning)
    weak = why == "found" and not leaning and _is_weak(question, limits, signals, kinship)
    noted = signals.noted()
    record("retrieval.sufficiency", why=why, leaning=leaning, weak=weak, **noted)
    return Verdict(sufficient=why == "found", why=why, signals=noted, weak=weak)


def _is_weak(question: str, limits: Limits, signals: _Signals, kinship: Kinship) -> bool:
    """Tell whether what connects question and passages may be chance; what was not measured never is."""
    if limits.sure is None or signals.score is None:
        return False
    return kinship.apart if foreign(question) else signals.score < limits.sure


def _why(
    question: str,
    retrieval: Retrieval,
    analyze: Callable[[str], Sequence[str]],
    limits: Limits,
    signals: _Signals,
    kinship: Kinship,
    *,
    leaning: bool,
) -> Why:
    if not retrieval.ranked:
        return "nothing_found"
    cosine = signals.cosine
    if (cosine is None or cosine < limits.code_cosine) and _lacks_codes(question, retrieval.ranked, analyze):
        return "code_not_found"
    if _unrelated(question, retrieval, limits, signals, kinship, leaning=leaning):
        barred = limits.english_only and signals.cosine is not None
        return "other_language" if barred and kinship.apart else "unrelated"
    return "found"


def _unrelated(
    question: str,
    retrieval: Retrieval,
    limits: Limits,
    signals: _Signals,
    kinship: Kinship,
    *,
    leaning: bool,
) -> bool:
    """Tell whether neither meaning nor words connect the question with anything that was found."""
    cosine, coverage, score = signals.cosine, signals.coverage, signals.score
    least = limits.leaning_score if leaning else limits.score
    worded = not any(code.startswith("sparse:") for code in retrieval.degraded)
    bounds = _LEANING if leaning else limits
    if cosine is None:
        return coverage < bounds.coverage
    if least is not None and score is not None and worded:
        if foreign(question):
            return not leaning and not _akin(question, kinship, limits, cosine)
        if leaning and not own_words(question):
            return False  # "And how often?" is about what was answered from the files before
        lone = signals.chunks <= limits.few and cosine >= limits.few_cosine
        return score < least and not lone and kinship.across < limits.across_share
    if not coverage and "sparse:unavailable" in retrieval.degraded:
        return cosine < bounds.cosine
    return cosine + COVERAGE_SHARE * coverage < bounds.related


def _akin(question: str, kinship: Kinship, limits: Limits, cosine: float) -> bool:
    """Tell whether words connect a question that the model cannot understand with what was found."""
    if kinship.across >= limits.across_share or kinship.within >= limits.foreign_share:
        return True
    return is_latin(question) and not kinship.apart and cosine >= limits.foreign_cosine


def _lacks_codes(
    question: str, ranked: Sequence[RankedChunk], analyze: Callable[[str], Sequence[str]]
) -> bool:
    """Tell whether the question names things by codes, and no chunk holds one of them.

    A code has letters and digits (INV-2026-1001) or is a version (2.13.4). A bare number, an ordinal or an
    amount with its unit may be worded differently in an answer, so they do not count.
    """
    codes = {token for token in analyze(question) if _is_code(token)}
    if not codes:
        return False
    texts = (f"{each.chunk.display_name}\n{each.chunk.text}" for each in ranked)
    return not any(_holds(frozenset(analyze(text)), code) for text in texts for code in codes)


def _holds(words: frozenset[str], code: str) -> bool:
    """Tell whether *words* hold *code*, or all of its numbers: "Panic number 999" is PANIC-0999."""
    if code in words or _VERSION.fullmatch(code):
        return code in words
    numbers = {number.lstrip("0") for number in _NUMBER.findall(code)}
    return numbers <= {word.lstrip("0") for word in words if word.isdigit()}


def _is_code(token: str) -> bool:
    if _VERSION.fullmatch(token):
        return True
    digits = sum(map(str.isdigit, token))
    return digits >= 2 and any(map(str.isalpha, token)) and not _AMOUNT.fullmatch(token)


def _signals(
    question: str, ranked: Sequence[RankedChunk], analyze: Callable[[str], Sequence[str]]
) -> _Signals:
    near = [each.cosine + COVERAGE_SHARE * each.coverage for each in ranked if each.cosine is not None]
    worded = [each for each in ranked if each.sparse_rank is not None]
    first = min(worded, key=lambda each: each.sparse_rank or 0, default=None)
    return _Signals(
        chunks=len(ranked),
        cosine=max((each.cosine for each in ranked if each.cosine is not None), default=None),
        coverage=max((each.coverage for each in ranked), default=0.0),
        near=max(near, default=None),
        agreed=1 / first.dense_rank if first is not None and first.dense_rank else 0.0,
        rare=max((each.weight for each in ranked), default=0.0),
        unnamed=max(ranked, key=lambda each: each.coverage).unnamed if ranked else 0.0,
        missing=min((each.missing for each in ranked), default=0),
        undenied=undenied(question, [each.chunk.text for each in ranked], analyze),
    )
