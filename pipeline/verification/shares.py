"""Shares of a whole, however they are written: a quarter, 1/4, one in four, 25 %."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_WORDS: Final = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "ein": 1, "eine": 1, "einem": 1, "einer": 1, "zwei": 2, "drei": 3, "vier": 4,
    "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
}  # fmt: skip
_PARTS: Final = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "eighth": 8,
    "tenth": 10, "hälfte": 2, "drittel": 3, "viertel": 4, "fünftel": 5, "achtel": 8, "zehntel": 10,
}  # fmt: skip
_COUNT: Final = rf"(?:{'|'.join(_WORDS)}|\d{{1,3}})"
_FORMS: Final = (
    re.compile(r"(?<![\d./])(\d{1,2})\s?/\s?(\d{1,3})(?![\d./])"),
    re.compile(
        rf"(?<!\w)({_COUNT})\s(?:in|out of|of every|of|von|aus|sur|de cada)\s({_COUNT})(?!\w)"
        r"(?:\s([^\W\d_]+))?",
        re.IGNORECASE,
    ),
    re.compile(rf"(?<!\w)(?:({_COUNT})[\s-])?({'|'.join(_PARTS)})s?(?!\w)", re.IGNORECASE),
)
_RATIO: Final = re.compile(
    r"(^|[.!?:;,(|\n]\s?|\b(?:about|around|nearly|almost|roughly|only|for|that|and|than|to|is|the|etwa|fast|nur)\s)"
    r"(?:1|one|two|three|ein|eine[rs]?|zwei|drei)\s(?:in|out of every|von je|sur)\s"
    rf"{_COUNT}(?!\w)(?!\s?(?:second|minute|hour|day|week|month|year|tag|woche|monat|jahr))",
    re.IGNORECASE,
)

_ALL: Final = re.compile(rf"\b(?:all|alle)\s(?:of\s)?(?:the\s)?{_COUNT}\b", re.IGNORECASE)

NEAR: Final = Decimal("0.021")
"""By which part of themselves two shares may differ and be the same: a third is 33 %, a sixth 17 %."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """A part of a whole."""

    value: Decimal
    """Between 0 and 1."""
    parts: frozenset[Decimal]
    """The numbers that it is written with."""
    things: str = ""
    """What it is a part of, as in “two of three servers”; empty: not told."""
    text: str = ""


def find_shares(text: str) -> Iterator[Share]:
    """Yield the shares of *text* that are written as two numbers, or as a number and a word."""
    for form in _FORMS:
        for match in form.finditer(text):
            part, whole = _value(match[1] or "one"), _value(match[2])
            things = (match[3] or "").lower() if form.groups == 3 else ""
            if 0 < part < whole or (things and 0 < part == whole):
                parts = frozenset({part, whole})
                yield Share(value=part / whole, parts=parts, things=things, text=match[0])
    for match in _ALL.finditer(text):
        yield Share(value=Decimal(1), parts=frozenset(), text=match[0])


def without_ratios(text: str) -> str:
    """Return *text* without shares like “one in four”, whose second number counts nothing."""
    return _RATIO.sub(r"\1 ", text)


def near(one: Decimal, other: Decimal) -> bool:
    """Tell whether two shares are the same but for rounding."""
    return abs(one - other) <= NEAR * max(one, other)


def _value(said: str) -> Decimal:
    word = said.lower()
    return Decimal(_WORDS.get(word) or _PARTS.get(word) or word)
