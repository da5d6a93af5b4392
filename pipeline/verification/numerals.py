"""Numbers that are written as words: English and German to the thousands, Chinese signs, a few others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_ENGLISH_TENS: Final = dict(
    zip(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
        range(20, 100, 10),
        strict=True,
    )
)
_ENGLISH_NINE: Final = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
_ENGLISH_TEENS: Final = [
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_ENGLISH: Final = {
    **{word: value for value, word in enumerate([*_ENGLISH_NINE, *_ENGLISH_TEENS], start=1)},
    **_ENGLISH_TENS,
}

_GERMAN_TENS: Final = {
    "zwanzig": 20, "dreißig": 30, "dreissig": 30, "vierzig": 40, "fünfzig": 50, "sechzig": 60,
    "siebzig": 70, "achtzig": 80, "neunzig": 90,
}  # fmt: skip
_GERMAN_NINE: Final = ["ein", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun"]
_GERMAN_TEENS: Final = [
    "zehn",
    "elf",
    "zwölf",
    "dreizehn",
    "vierzehn",
    "fünfzehn",
    "sechzehn",
    "siebzehn",
    "achtzehn",
    "neunzehn",
]
_GERMAN: Final = {
    **{word: value for value, word in enumerate([*_GERMAN_NINE, *_GERMAN_TEENS], start=1)},
    **_GERMAN_TENS,
}

_OTHERS: Final = {
    "cuatro": 4, "cinco": 5, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "doce": 12, "trece": 13,
    "catorce": 14, "quince": 15, "dieciséis": 16, "diecisiete": 17, "dieciocho": 18, "diecinueve": 19,
    "veinte": 20, "quatre": 4, "cinq": 5, "huit": 8, "onze": 11, "douze": 12, "treize": 13,
    "quatorze": 14, "vingt": 20,
}  # fmt: skip
"""Spanish and French words to twenty that are a number and nothing else in any of the languages."""

_MAYBE: Final[Mapping[str, tuple[str, ...]]] = {
    "once": ("1", "11"), "single": ("1",), "twice": ("2",), "both": ("2",), "dozen": ("12",),
    "hundred": ("100",), "thousand": ("1000",), "first": ("1",), "second": ("2",), "third": ("3",),
    "fourth": ("4",), "fifth": ("5",), "half": ("50", "0.5"), "quarter": ("25", "0.25"),
    "halb": ("0.5",), "halbe": ("0.5",), "halbes": ("0.5",), "halben": ("0.5",), "halber": ("0.5",),
    "anderthalb": ("1.5",), "eineinhalb": ("1.5",),
    "eine": ("1",), "einen": ("1",), "einer": ("1",), "eins": ("1",), "beide": ("2",), "dutzend": ("12",),
    "uno": ("1",), "una": ("1",), "un": ("1",), "une": ("1",), "dos": ("2",), "tres": ("3",), "seis": ("6",),
    "deux": ("2",), "trois": ("3",), "sept": ("7",), "neuf": ("9",), "dix": ("10",), "seize": ("16",),
}  # fmt: skip
"""Words that may stand for a number where a claim writes it in digits."""

_UNSURE: Final = frozenset(["one", "ein", "elf", "hundert", "tausend"])
"""Number words that a claim also uses for other things, or for “very many”."""


def _any(words: Mapping[str, int] | list[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_BELOW_100: Final = (
    rf"(?:(?:{_any(_ENGLISH_TENS)})(?:[\s-](?:{_any(_ENGLISH_NINE)})\b)?"
    rf"|{_any(_ENGLISH_TEENS)}|{_any(_ENGLISH_NINE)})"
)
_BELOW_1000: Final = rf"(?:{_BELOW_100}[\s-]hundred(?:\s(?:and\s)?{_BELOW_100})?|{_BELOW_100})"
_SPELT_ENGLISH: Final = re.compile(
    rf"\b(?:{_BELOW_1000}[\s-]thousand(?:\s(?:and\s)?{_BELOW_1000})?|{_BELOW_1000})\b"
    r"(?!-(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)\b)",
    re.IGNORECASE,
)

_UNDER_100: Final = (
    rf"(?:(?:{_any(_GERMAN_NINE)})und(?:{_any(_GERMAN_TENS)})"
    rf"|{_any(_GERMAN_TENS)}|{_any(_GERMAN_TEENS)}|{_any(_GERMAN_NINE)})"
)
_UNDER_1000: Final = rf"(?:(?:{_any(_GERMAN_NINE)})?hundert(?:(?:und)?{_UNDER_100})?|{_UNDER_100})"
_SPELT_GERMAN: Final = re.compile(
    rf"\b(?:{_UNDER_1000}?tausend(?:(?:und)?{_UNDER_1000})?|{_UNDER_1000})\b", re.IGNORECASE
)
_GERMAN_PART: Final = re.compile(rf"tausend|hundert|{_any(_GERMAN)}", re.IGNORECASE)
_WORD: Final = re.compile(r"[^\W\d_]+")

_SIGNS: Final = {sign: value for value, sign in enumerate("一二三四五六七八九", start=1)} | {"两": 2, "兩": 2}
_POWERS: Final = {"十": 10, "百": 100, "千": 1000}
_CHINESE: Final = re.compile(rf"[{''.join((*_SIGNS, *_POWERS))}]+")


_HOUR: Final = rf"(?P<hour>\d{{1,2}}|[{''.join((*_SIGNS, *_POWERS))}]{{1,3}})"
_MINUTE: Final = rf"(?P<minute>\d{{1,2}}|[{''.join((*_SIGNS, *_POWERS))}]{{1,3}})"
_CLOCK: Final = re.compile(
    rf"(?P<later>午後|下午|晚上|오후)?\s?{_HOUR}\s?(?:[時时點点시](?!間|间|간)\s?(?:{_MINUTE}\s?[分분]|(?P<half>半))?"
    r"|(?:h|uhr)\s?(?P<past>\d\d)(?!\d))",
    re.IGNORECASE,
)
"""七時四十五分, 下午3点, 7h45, 7 Uhr 45."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numeral:
    """A number as words say it, and where it stands."""

    text: str
    end: int
    readings: frozenset[Decimal]


def find_numerals(text: str, *, sure: bool) -> Iterator[Numeral]:
    """Yield the numbers that words of *text* say; *sure*: only words that hardly mean anything else."""
    for form, value_of in ((_SPELT_ENGLISH, _english), (_SPELT_GERMAN, _german), (_CHINESE, _chinese)):
        for match in form.finditer(text):
            if not sure or _is_sure(match[0]):
                yield _numeral(match, [str(value_of(match[0].lower()))])
    for match in _WORD.finditer(text):
        word = match[0].lower()
        if word in _OTHERS:
            yield _numeral(match, [str(_OTHERS[word])])
        elif word in _MAYBE and not sure:
            yield _numeral(match, _MAYBE[word])


def as_clock(text: str) -> str:
    """Return *text* with the times of day that words or signs tell as ``7:45`` or ``3:00 pm``."""
    return _CLOCK.sub(_clock, text)


def _clock(match: re.Match[str]) -> str:
    said = match.groupdict()
    minute = "30" if said["half"] else said["minute"] or said["past"] or "0"
    hour, minutes = (int(each) if each.isdigit() else _chinese(each) for each in (said["hour"], minute))
    return f" {hour}:{minutes:02}{' pm' if said['later'] else ''} "


def _is_sure(said: str) -> bool:
    if _CHINESE.fullmatch(said):  # one sign alone is part of many other words
        return len(said) > 1 and any(sign in _POWERS for sign in said)
    return said.lower() not in _UNSURE


def _numeral(match: re.Match[str], readings: list[str] | tuple[str, ...]) -> Numeral:
    return Numeral(text=match[0], end=match.end(), readings=frozenset(map(Decimal, readings)))


def _english(said: str) -> int:
    return _added([part for part in re.split(r"[\s-]+", said) if part != "and"], _ENGLISH)


def _german(said: str) -> int:
    return _added(_GERMAN_PART.findall(said), _GERMAN)


def _added(parts: list[str], values: Mapping[str, int]) -> int:
    """Return what number words say one after the other: two hundred and four is 2 × 100 + 4."""
    thousands = rest = 0
    for part in parts:
        if part in ("thousand", "tausend"):
            thousands, rest = (rest or 1) * 1000, 0
        elif part in ("hundred", "hundert"):
            rest = (rest or 1) * 100
        else:
            rest += values[part]
    return thousands + rest


def _chinese(said: str) -> int:
    total = sign = 0
    for each in said:
        if each in _POWERS:
            total, sign = total + (sign or 1) * _POWERS[each], 0
        else:
            sign = _SIGNS[each]
    return total + sign
