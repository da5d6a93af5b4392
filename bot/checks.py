"""What the verification gate found, in words: one line below an answer, and all of it on request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bot.citations import literal
from pipeline.verdicts import CheckedClaim, Mode, Standing, Verification

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

NAMED = 2
"""Statements that the line below an answer quotes; the rest is counted."""
LISTED = 20
"""Statements that an explanation lists; the rest is counted."""
_LENGTH = 120

_SIGNS: dict[str, str] = {
    Standing.SUPPORTED: "✓",
    Standing.UNSUPPORTED: "⚠",
    Standing.UNCERTAIN: "?",
    Standing.UNCITED: "–",
}
_WHY = {
    "verbatim": "stands there word for word",
    "uncited": "cites no source",
    "too_many": "was not looked at: the answer has too many statements",
    "judge": "by the judgement of the language model",
    "negation": "one of the two says “not”",
    "direction": "the source points the other way",
    "rows": "the source has this number in another row",
    "language": "its source is in another language, so only numbers, codes and quotations were compared",
}
_MISSING = {"numbers": "number", "codes": "code", "quotes": "quotation", "names": "name"}
_OUTCOMES = {
    Standing.SUPPORTED: "supported",
    Standing.UNSUPPORTED: "not supported",
    Standing.UNCERTAIN: "uncertain",
    Standing.UNCITED: "without a source",
}


def remark(verification: Verification | None) -> str:
    """Return the line that belongs below an answer; empty where nothing needs saying."""
    if verification is None or not verification.claims:
        return ""
    if verification.mode is Mode.VERIFIED:
        return _remark_on_checked(verification)
    doubtful = verification.doubtful
    if not doubtful:
        return ""
    quoted = "; ".join(_quoted(claim) for claim in doubtful[:NAMED])
    more = f" and {len(doubtful) - NAMED} more" if len(doubtful) > NAMED else ""
    stand = (
        "is not clearly supported by its source"
        if len(doubtful) == 1
        else ("are not clearly supported by their sources")
    )
    return f"⚠ {_of(len(doubtful), verification)} {stand}: {quoted}{more}"


def _remark_on_checked(verification: Verification) -> str:
    counts = verification.counts
    said = []
    if verification.removed:
        was = (
            "was left out because its source does"
            if verification.removed == 1
            else ("were left out because their sources do")
        )
        said.append(f"{_of(verification.removed, verification)} {was} not support it.")
    open_ = counts[Standing.UNCERTAIN] + counts[Standing.UNCITED]
    if open_:
        said.append(f"{_of(open_, verification)} could not be confirmed.")
    return f"⚠ {' '.join(said)}" if said else ""


def _of(number: int, verification: Verification) -> str:
    total = len(verification.claims)
    return f"{number} of {total} statement{'' if total == 1 else 's'}"


def _quoted(claim: CheckedClaim) -> str:
    missing = f" (not there: {_listed(claim.missing)})" if claim.missing else ""
    return f"“{literal(claim.text, _LENGTH)}”{missing}"


def _listed(missing: Sequence[str]) -> str:
    return ", ".join(literal(each, 40) for each in missing[:3])


def account(verification: Mapping[str, Any] | None) -> Iterator[str]:
    """Yield the lines of an explanation, from what the journal keeps of a verification."""
    claims = (verification or {}).get("claims") or ()
    if not verification or not claims:
        return
    counts = verification.get("counts") or {}
    told = ", ".join(f"{counts[each]} {word}" for each, word in _OUTCOMES.items() if counts.get(each))
    removed = f"; {verification['removed']} left out" if verification.get("removed") else ""
    yield f"- Checked {len(claims)} statement{'' if len(claims) == 1 else 's'}: {told}{removed}"
    yield from (f"  - {_line(claim)}" for claim in claims[:LISTED])
    if len(claims) > LISTED:
        yield f"  - … and {len(claims) - LISTED} more"


def _line(claim: Mapping[str, Any]) -> str:
    sign = _SIGNS.get(str(claim.get("verdict")), "–")
    labels = "".join(f"[{label}]" for label in claim.get("labels") or ())
    said = f"{sign} “{literal(str(claim.get('text', '')), _LENGTH)}” {labels}".rstrip()
    why = _reason(claim)
    return f"{said}: {why}" if why else said


def _reason(claim: Mapping[str, Any]) -> str:
    code, missing = str(claim.get("why", "")), claim.get("missing") or ()
    if missing and code in _MISSING:
        noun = _MISSING[code] + ("s" if len(missing) > 1 else "")
        return f"its source lacks the {noun} {_listed(missing)}"
    if code in _WHY:
        return _WHY[code]
    score = claim.get("score")
    return f"likely to be supported: {score:.0%}" if isinstance(score, float) else ""
