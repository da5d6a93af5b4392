"""Whether what was found is enough to answer from, judged by signals that cost nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from pipeline.observability.trace import record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipeline.domain import RankedChunk, Retrieval

_AMOUNT = re.compile(r"\d[\d.]*[a-z]{1,3}")
"""20th, 1990s, 50mb."""

_VERSION = re.compile(r"\d+(?:\.\d+){2,}")

Why = Literal["found", "nothing_found", "unrelated", "code_not_found"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Where to give up. An answer refused in error costs more than a weak one; see docs/retrieval.md."""

    related: float = 0.48
    """Best cosine + `COVERAGE_SHARE` x best coverage below which the chunks are about something else."""
    coverage: float = 0.15
    """The same, where the dense arm did not look: share of the question's weight in the best chunk."""
    cosine: float = 0.2
    """The same, where nothing is known of the words."""
    code_cosine: float = 0.45
    """Above it a chunk is so close that the code of the question may be spelled otherwise in it."""


COVERAGE_SHARE: Final = 0.4
"""What a full coverage of the question's words is worth beside a cosine of 1."""

_MEASURED: Final = re.compile(r"all-minilm")
"""Embedders whose cosines `Limits` was calibrated on; those of others lie elsewhere."""

_UNMEASURED: Final = Limits(related=0.2, cosine=0.1)

_LEANING: Final = Limits(related=0.12, cosine=0.1, coverage=0.0)
"""For follow-ups, whose own words and direction say little of what they are about."""


def limits_for(embedder: str) -> Limits:
    """Return the limits for the vectors of *embedder*; careful ones where they were not measured."""
    return Limits() if _MEASURED.search(embedder.lower()) else _UNMEASURED


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The decision, its reason as a code, and what it was taken from."""

    sufficient: bool
    why: Why
    signals: Mapping[str, float | int | None]


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
    bounds = _LEANING if leaning else limits or Limits()
    signals = _signals(retrieval.ranked)
    why = _why(question, retrieval, analyze, bounds)
    record("retrieval.sufficiency", why=why, leaning=leaning, **signals)
    return Verdict(sufficient=why == "found", why=why, signals=signals)


def _why(question: str, retrieval: Retrieval, analyze: Callable[[str], Sequence[str]], limits: Limits) -> Why:
    if not retrieval.ranked:
        return "nothing_found"
    if _unrelated(retrieval, limits):
        return "unrelated"
    cosine = _best_cosine(retrieval.ranked)
    if (cosine is None or cosine < limits.code_cosine) and _lacks_codes(question, retrieval.ranked, analyze):
        return "code_not_found"
    return "found"


def _unrelated(retrieval: Retrieval, limits: Limits) -> bool:
    """Tell whether neither meaning nor words connect the question with anything that was found."""
    cosine, coverage = _best_cosine(retrieval.ranked), _best_coverage(retrieval.ranked)
    if cosine is None:
        return coverage < limits.coverage
    if not coverage and "sparse:unavailable" in retrieval.degraded:
        return cosine < limits.cosine
    return cosine + COVERAGE_SHARE * coverage < limits.related


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
    return not any(codes & set(analyze(f"{each.chunk.display_name}\n{each.chunk.text}")) for each in ranked)


def _is_code(token: str) -> bool:
    if _VERSION.fullmatch(token):
        return True
    digits = sum(map(str.isdigit, token))
    return digits >= 2 and any(map(str.isalpha, token)) and not _AMOUNT.fullmatch(token)


def _best_cosine(ranked: Sequence[RankedChunk]) -> float | None:
    return max((each.cosine for each in ranked if each.cosine is not None), default=None)


def _best_coverage(ranked: Sequence[RankedChunk]) -> float:
    return max((each.coverage for each in ranked), default=0.0)


def _signals(ranked: Sequence[RankedChunk]) -> dict[str, float | int | None]:
    cosine = _best_cosine(ranked)
    both = sum(each.dense_rank is not None and each.sparse_rank is not None for each in ranked)
    return {
        "chunks": len(ranked),
        "cosine": None if cosine is None else round(cosine, 3),
        "coverage": round(_best_coverage(ranked), 3),
        "agreed": both,
    }
