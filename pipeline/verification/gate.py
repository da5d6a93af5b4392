"""The verification gate: each statement of an answer against the sources it cites, cheapest layer first."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from pipeline.errors import ModelError
from pipeline.observability.metrics import CLAIMS, JUDGED, OBSERVED, SANITIZED
from pipeline.observability.trace import record
from pipeline.verdicts import CheckedClaim, Layer, Mode, Standing, Verification
from pipeline.verification.claims import find_claims, without
from pipeline.verification.entailment import BAND, words_score
from pipeline.verification.mechanical import Sign, inspect, read_premise
from pipeline.verification.tongues import is_abroad

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline.conversation import CitedSource
    from pipeline.ports import Judge
    from pipeline.verification.claims import Claim
    from pipeline.verification.entailment import Entailment
    from pipeline.verification.mechanical import Premise, Signal

    Analyze = Callable[[str], list[str]]

logger = logging.getLogger(__name__)

MOST: Final = 40
"""Statements of one answer that are looked at; what comes after them is uncertain."""

PATIENCE_S: Final = 3.0
"""Seconds that the entailment layer may take for one answer; after them words alone decide."""

JUDGE_S: Final = 20.0
"""Seconds that the judge may take for one answer, all its statements together."""

JUDGED_MOST: Final = 3
"""Statements of one answer that the judge is asked about."""

UNAVAILABLE: Final = "entailment:unavailable"
"""The code of an answer whose statements were weighed by words alone."""

ABROAD: Final = "language"
"""Why a statement stays uncertain that is in another language than its source."""

JUDGE_FAILED: Final = "judge:failed"
"""The code of an answer with a statement that the judge was to decide and did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """An answer that went through the gate."""

    answer: str
    """In verified mode without the statements that no source supports."""
    verification: Verification
    degraded: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class _Course:
    """What one answer has used up so far."""

    answer: str
    sources: dict[str, CitedSource]
    entailment_s: float
    judge_s: float
    premises: dict[tuple[str, ...], Premise] = field(default_factory=dict)
    judged: int = 0
    degraded: dict[str, None] = field(default_factory=dict)


class Gate:
    """Checks answers; one instance serves all questions at once. *analyze* is the tokenizer of the index."""

    def __init__(
        self,
        entailment: Entailment,
        analyze: Analyze,
        *,
        judge: Judge | None = None,
        judged_most: int = JUDGED_MOST,
        patience_s: float = PATIENCE_S,
        judge_s: float = JUDGE_S,
    ) -> None:
        """None: no language model is asked about what stays uncertain."""
        self._entailment = entailment
        self._analyze = analyze
        self._judge = judge
        self._judged_most = judged_most
        self._patience_s = patience_s
        self._judge_s = judge_s

    async def check(
        self,
        answer: str,
        sources: Sequence[CitedSource],
        *,
        mode: Mode = Mode.STREAMING,
        progress: Callable[[int, int], None] = lambda position, total: None,
    ) -> Checked:
        """Check every statement of *answer*; *progress* is told which one comes next, of how many."""
        claims = await asyncio.to_thread(find_claims, answer)
        course = _Course(
            answer=answer,
            sources={source.label: source for source in sources},
            entailment_s=self._patience_s,
            judge_s=self._judge_s,
        )
        checked = []
        for position, claim in enumerate(claims, start=1):
            progress(position, len(claims))
            checked.append(
                await self._check(claim, course)
                if position <= MOST
                else _checked(claim, Standing.UNCERTAIN, Layer.MECHANICAL, "too_many")
            )
        return _conclude(answer, checked, course, mode)

    async def _check(self, claim: Claim, course: _Course) -> CheckedClaim:
        labels = tuple(label for label in claim.labels if label in course.sources)
        premise = await self._premise(labels or tuple(course.sources), course)
        abroad, signals = await asyncio.to_thread(self._inspect, claim, premise, course.answer)
        decided = decide(claim, signals, cited=bool(labels))
        if decided is not None:
            return decided
        score = await self._score(premise, claim.text, signals, course)
        found = weigh(claim, signals, score, abroad=abroad)
        return await self._ask(found, labels, course) if found.verdict is Standing.UNCERTAIN else found

    def _inspect(self, claim: Claim, premise: Premise, answer: str) -> tuple[bool, list[Signal]]:
        """Return whether *claim* is in another language than its source, and its signs."""
        abroad = is_abroad(claim.text, answer, premise.tongues)
        return abroad, inspect(claim.text, premise, self._analyze, abroad=abroad, listed=claim.listed)

    async def _premise(self, labels: tuple[str, ...], course: _Course) -> Premise:
        if labels not in course.premises:
            text = "\n\n".join(_text(course.sources[label]) for label in labels)
            course.premises[labels] = await asyncio.to_thread(read_premise, text, self._analyze)
        return course.premises[labels]

    async def _score(self, premise: Premise, claim: str, signals: Sequence[Signal], course: _Course) -> float:
        """Return the entailment layer's estimate; by words alone once it failed or was slow."""
        clock = asyncio.get_running_loop().time
        if UNAVAILABLE not in course.degraded:
            began = clock()
            try:
                async with asyncio.timeout(course.entailment_s):
                    return await self._entailment(premise, claim)
            except (ModelError, TimeoutError):
                course.degraded[UNAVAILABLE] = None
            finally:
                course.entailment_s = max(0.0, course.entailment_s - (clock() - began))
        return await asyncio.to_thread(words_score, premise, claim, signals, self._analyze)

    async def _ask(self, claim: CheckedClaim, labels: tuple[str, ...], course: _Course) -> CheckedClaim:
        """Let the judge decide, within its bounds; what it does not decide stays uncertain."""
        if self._judge is None or course.judged >= self._judged_most or JUDGE_FAILED in course.degraded:
            return claim
        course.judged += 1
        clock = asyncio.get_running_loop().time
        began = clock()
        try:
            async with asyncio.timeout(course.judge_s):
                supported = await self._judge(claim.text, [course.sources[label] for label in labels])
        except (ModelError, TimeoutError):
            course.degraded[JUDGE_FAILED] = None
            JUDGED.labels("failed").inc()
            return claim
        finally:
            course.judge_s = max(0.0, course.judge_s - (clock() - began))
        return _judged(claim, supported)


def decide(claim: Claim, signals: Sequence[Signal], *, cited: bool) -> CheckedClaim | None:
    """Decide what the mechanical layer can decide alone; None: the next layer is needed.

    A statement without a marker was compared with all that the model was shown.
    """
    against = next((s for s in signals if s.sign is Sign.CONTRADICTED and s.kind in _CONCLUSIVE), None)
    if against is not None:
        return _checked(claim, Standing.UNSUPPORTED, Layer.MECHANICAL, against.kind, missing=against.missing)
    if not cited:
        return _checked(claim, Standing.UNCITED, Layer.MECHANICAL, "uncited")
    if any(signal.kind == "verbatim" for signal in signals):
        return _checked(claim, Standing.SUPPORTED, Layer.MECHANICAL, "verbatim", score=1.0)
    return None


_CONCLUSIVE: Final = frozenset({"numbers", "rows", "codes", "quotes", "negation", "direction"})
"""Signs that decide alone where they contradict: what stands nowhere in the source, or is turned round."""

_OPPOSING: Final = frozenset({"numbers", "rows", "negation", "direction"})
"""Signs that let no score support a statement where they are in doubt."""


def weigh(claim: Claim, signals: Sequence[Signal], score: float, *, abroad: bool = False) -> CheckedClaim:
    """Turn *score* into a verdict, and name the sign that speaks against the statement if there is one.

    Where only one of the two denies, points the other way or has a minus, no score makes it supported.
    A low score says nothing where it says little, has a number in another unit than its source, or is
    *abroad*: in another language than its source.
    """
    low, high = BAND
    standing = Standing.UNCERTAIN
    opposed = any(s.kind in _OPPOSING and (s.missing or s.sign is not Sign.SUPPORTED) for s in signals)
    if score >= high and not opposed:
        standing = Standing.SUPPORTED
    elif score < low and not (abroad or claim.mild or any(s.converted for s in signals)):
        standing = Standing.UNSUPPORTED
    doubt = None
    if standing is not Standing.SUPPORTED:
        doubt = next((s for s in signals if s.missing or s.sign is not Sign.SUPPORTED), None)
    why = doubt.kind if doubt is not None else ABROAD if abroad and score < high else "score"
    missing = doubt.missing if doubt is not None else ()
    return _checked(claim, standing, Layer.ENTAILMENT, why, missing=missing, score=score)


def _checked(
    claim: Claim,
    standing: Standing,
    layer: Layer,
    why: str,
    *,
    missing: tuple[str, ...] = (),
    score: float | None = None,
) -> CheckedClaim:
    return CheckedClaim(
        text=claim.text,
        span=claim.span,
        labels=claim.labels,
        verdict=standing,
        layer=layer,
        why=why,
        missing=missing,
        score=None if score is None else round(score, 3),
    )


def _judged(claim: CheckedClaim, supported: bool | None) -> CheckedClaim:
    if supported is None:
        JUDGED.labels("unclear").inc()
        return claim
    standing = Standing.SUPPORTED if supported else Standing.UNSUPPORTED
    JUDGED.labels(standing).inc()
    return replace(claim, verdict=standing, layer=Layer.JUDGE, why="judge")


def _conclude(answer: str, claims: list[CheckedClaim], course: _Course, mode: Mode) -> Checked:
    gone = [claim.span for claim in claims if claim.verdict is Standing.UNSUPPORTED]
    removed = len(gone) if mode is Mode.VERIFIED else 0
    verification = Verification(mode=mode, claims=tuple(claims), removed=removed, judged=course.judged)
    for standing, number in verification.counts.items():
        CLAIMS.labels(standing).inc(number)
    if not claims:
        OBSERVED.labels("nothing_stated").inc()
    if removed:
        SANITIZED.labels("unsupported_claim").inc(removed)
    record(
        "verification.checked",
        mode=mode,
        **{standing.value: verification.counts[standing] for standing in Standing},
        removed=removed,
        judged=course.judged,
    )
    return Checked(
        answer=without(answer, gone) if removed else answer,
        verification=verification,
        degraded=tuple(course.degraded),
    )


def _text(source: CitedSource) -> str:
    """Return what a source says, the names of its file and section included: an answer may repeat them."""
    chunk = source.chunk
    return f"{chunk.display_name}\n\n{chunk.place.section or ''}\n\n{chunk.text}"
