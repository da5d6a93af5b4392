"""What the verification gate found about an answer, statement by statement."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any


class Mode(StrEnum):
    """When people see an answer."""

    STREAMING = "streaming"
    """While it is written; what the gate finds is said below it."""
    VERIFIED = "verified"
    """Once it is checked, without the statements that no source supports."""


class Standing(StrEnum):
    """How a statement stands to the sources that it cites."""

    SUPPORTED = "supported"
    UNSUPPORTED = "unsupported"
    UNCERTAIN = "uncertain"
    """Nothing speaks clearly for it or against it."""
    UNCITED = "uncited"
    """It cites nothing, and nothing in the passages speaks against it."""


class Layer(StrEnum):
    """Which part of the gate decided, the cheapest first."""

    MECHANICAL = "mechanical"
    ENTAILMENT = "entailment"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedClaim:
    """One statement of an answer, and what was found about it."""

    text: str
    """Without its markers."""
    span: tuple[int, int]
    """Where it stood in the answer that was checked, as a half-open range of characters."""
    labels: tuple[str, ...]
    """The sources that it cites."""
    verdict: Standing
    layer: Layer
    why: str
    """A code: ``verbatim``, ``numbers``, ``quotes``, ``names``, ``negation``, ``score``, ``judge`` …"""
    missing: tuple[str, ...] = ()
    """What the cited source has not: numbers, names or quotations, as the answer writes them."""
    score: float | None = None
    """The estimated chance that the source supports it, in [0, 1]; None: no layer estimated one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """All statements of an answer in their order; those that were taken out of it included."""

    mode: Mode = Mode.STREAMING
    claims: tuple[CheckedClaim, ...] = ()
    removed: int = 0
    """Statements that were taken out of the answer."""
    judged: int = 0
    """Statements that a language model was asked about."""

    @property
    def counts(self) -> Counter[Standing]:
        """How many statements stand how."""
        return Counter(claim.verdict for claim in self.claims)

    @property
    def doubtful(self) -> tuple[CheckedClaim, ...]:
        """The statements that their source does not support."""
        return tuple(claim for claim in self.claims if claim.verdict is Standing.UNSUPPORTED)

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON can hold it, with the counts that can be read off the statements."""
        return {
            "mode": self.mode,
            "counts": {standing: self.counts[standing] for standing in Standing},
            "removed": self.removed,
            "judged": self.judged,
            "claims": [{**asdict(claim), "span": list(claim.span)} for claim in self.claims],
        }
