"""Numbers and dates of a text in one form, however they are written.

A number is a set of readings, because ``1.000`` is a thousand in Berlin and one in London; two numbers agree
where a reading of one is a reading of the other.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from pipeline.verification.dates import Day, find_days

if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUPED = r"\d{1,3}(?:(?P<mark>[.,'’\u00a0\u202f\u2009 ])\d{3})(?:(?P=mark)\d{3})*(?!\d)(?:[.,]\d+)?"
_NUMBER: Final = re.compile(
    rf"(?<![\w.,])(?P<front>[$€£¥]\s?)?(?P<digits>{_GROUPED}|\d+(?:[.,:]\d+)?)"
    r"(?![.,:]?\d)(?P<scale>\s?(?:k|bn|tsd\.?|mio\.?|mrd\.?|thousand|tausend|million(?:s|en)?|milliarden?"
    r"|billion(?:s|en)?|trillions?)\b)?"
    r"(?P<back>\s?(?:[%‰$€£¥]|per ?cent\b|prozent\b|euros?\b|eur\b|dollars?\b|usd\b|pounds?\b|gbp\b|chf\b))?"
    r"(?=\W|[a-zA-Z]{1,4}(?:\W|$)|$)",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_CODE: Final = re.compile(r"(?<!\w)(?:[^\W\d_]+[\w./-]*\d[\w./-]*|\d+(?:\.\d+){2,}[\w.-]*)")
"""INV-2026-1001, x86, 2.13.4: the digits in them count nothing."""

_ENUMERATION: Final = re.compile(r"(?:^|(?<=[.!?:;\n]))\s*\(?\d{1,2}[.)]\s")
_FOLLOWING: Final = re.compile(r"[\s-]{1,2}([^\W\d_]{2,})")

FEW: Final = 3
"""Numbers up to this, written as words, often count what a sentence goes on to tell ("in two ways")."""

_UNITS: Final = {
    "%": "%", "percent": "%", "per cent": "%", "prozent": "%",
    "$": "$", "dollar": "$", "dollars": "$", "usd": "$",
    "€": "€", "euro": "€", "euros": "€", "eur": "€",
    "£": "£", "pound": "£", "pounds": "£", "gbp": "£",
}  # fmt: skip

_SCALES: Final = {
    "k": 3, "tsd": 3, "thousand": 3, "tausend": 3,
    "mio": 6, "million": 6, "millions": 6, "millionen": 6,
    "bn": 9, "mrd": 9, "milliarde": 9, "milliarden": 9, "billions": 9,
    "billionen": 12, "trillion": 12, "trillions": 12,
}  # fmt: skip

_WORDS: Final = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12,
    "zwei": 2, "drei": 3, "vier": 4, "fünf": 5, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10,
    "zwölf": 12,
}  # fmt: skip
"""Words that are numbers and hardly anything else."""

_SPOKEN: Final = {
    **_WORDS,
    "one": 1, "once": 1, "single": 1, "twice": 2, "both": 2, "dozen": 12, "twenty": 20, "thirty": 30,
    "forty": 40, "fifty": 50, "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90, "hundred": 100,
    "thousand": 1000, "first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "half": 50,
    "quarter": 25,
    "ein": 1, "eine": 1, "einen": 1, "einer": 1, "eins": 1, "elf": 11, "beide": 2, "dutzend": 12,
    "zwanzig": 20, "dreißig": 30, "vierzig": 40, "fünfzig": 50, "hundert": 100, "tausend": 1000,
}  # fmt: skip
"""Words that may stand for a number where a claim writes it in digits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number as it was written, and what it may mean."""

    text: str
    readings: frozenset[Decimal]
    unit: str | None = None
    """``%`` or a currency's sign; None: bare, or a unit that is not told apart."""
    noun: str = ""
    """The word behind it, in lower case."""
    few: bool = False
    """It is written as a word and so small that it may only count what the text goes on to tell."""

    def agrees(self, other: Number) -> bool:
        """Tell whether *other* may be the same number; a unit that is missing fits every one."""
        fits = self.unit is None or other.unit is None or self.unit == other.unit
        return fits and not self.readings.isdisjoint(other.readings)


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All numbers and dates of one text."""

    numbers: tuple[Number, ...]
    days: tuple[Day, ...]

    def lacks(self, claimed: Figures) -> list[str]:
        """Return what *claimed* has and this has not, as it was written there."""
        counted = {own.noun for own in self.numbers if own.noun}
        missing = [
            each.text
            for each in claimed.numbers
            if not (each.few and each.noun not in counted)
            and not any(each.agrees(own) for own in self.numbers)
        ]
        return missing + [each.text for each in claimed.days if not self._knows(each)]

    def _knows(self, day: Day) -> bool:
        """Tell whether a date stands here, its year perhaps elsewhere than its day."""
        years = {reading for number in self.numbers for reading in number.readings}
        return any(day.agrees(own, years) for own in self.days)


def claimed_figures(text: str) -> Figures:
    """Return the numbers and dates that *text* asserts; a word counts from two to twelve.

    The numbers of a list's items are none.
    """
    return _figures(_ENUMERATION.sub(" ", text), _WORDS)


def known_figures(text: str) -> Figures:
    """Return the numbers and dates that *text* can stand for, in digits, words and parts of dates."""
    figures = _figures(text, _SPOKEN)
    parts = [
        Number(text=day.text, readings=frozenset({Decimal(part)}))
        for day in figures.days
        for part in day.parts()
    ]
    return Figures(numbers=(*figures.numbers, *parts), days=figures.days)


def _figures(text: str, words: dict[str, int]) -> Figures:
    days, rest = find_days(text)
    rest = _CODE.sub(" ", rest)
    return Figures(numbers=(*_written(rest), *_spelt(rest, words)), days=tuple(days))


def _written(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        unit = (match["front"] or match["back"] or "").strip().lower()
        yield Number(
            text=match[0].strip(),
            readings=frozenset(_scaled(_readings(match["digits"]), match["scale"])),
            unit=_UNITS.get(unit),
            noun=_noun(text, match.end()),
        )


def _readings(digits: str) -> set[Decimal]:
    """Return what *digits* may mean: a mark before three digits groups or divides, a later one divides."""
    bare = re.sub(r"['’\s]", "", digits).replace(":", ".")
    marks = [character for character in bare if character in ".,"]
    if not marks:
        return {Decimal(bare)}
    whole, fraction = re.sub(r"[.,]", "", bare), bare.rpartition(marks[-1])[2]
    divided = Decimal(f"{whole[: len(whole) - len(fraction)]}.{fraction}")
    if len(set(marks)) == 2 or (len(fraction) != 3 and len(marks) == 1):
        return {divided}
    return {Decimal(whole)} if len(marks) > 1 else {Decimal(whole), divided}


def _scaled(readings: set[Decimal], scale: str | None) -> set[Decimal]:
    word = (scale or "").strip().rstrip(".").lower()
    if word == "billion":  # a thousand millions in English, a million of them in German
        return {reading.scaleb(power) for reading in readings for power in (9, 12)}
    return {reading.scaleb(_SCALES[word]) for reading in readings} if word else readings


def _spelt(text: str, words: dict[str, int]) -> Iterator[Number]:
    for match in _WORD.finditer(text):
        value = words.get(match[0].lower())
        if value is not None:
            yield Number(
                text=match[0],
                readings=frozenset({Decimal(value)}),
                noun=_noun(text, match.end()),
                few=value <= FEW,
            )


def _noun(text: str, end: int) -> str:
    """Return the word that follows, in the singular as far as an s tells."""
    following = _FOLLOWING.match(text, end)
    return following[1].lower().removesuffix("s") if following else ""
