"""Numbers and dates of a text in one form, however they are written.

A number is a set of readings, because ``1.000`` is a thousand in Berlin and one in London; two numbers agree
where a reading of one is a reading of the other.
"""

from __future__ import annotations

import re
from decimal import Decimal
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from pipeline.verification import measures
from pipeline.verification.dates import find_days
from pipeline.verification.figures import DATE, Figures, Number, digits
from pipeline.verification.numerals import as_clock, find_numerals
from pipeline.verification.shares import find_shares, without_ratios
from pipeline.verification.tongues import FREQUENT

if TYPE_CHECKING:
    from collections.abc import Iterator

LETTER: Final = r"A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u0370-\u052f"
"""Letters of scripts with spaces between words; signs of other scripts touch the numbers they belong to."""

NO_MILLIONS: Final = rf"(?!\d{{1,3}}(?:\.\d{{3}}){{2,}}(?![\d_{LETTER}-]|\.\d))"
"""Before a version: 1.234.567 is none."""

_GROUPED = r"\d{1,3}(?:(?P<mark>[.,'’\u00a0\u202f\u2009 ])\d{3})(?:(?P=mark)\d{3})*(?!\d)(?:[.,]\d+)?"
_NUMBER: Final = re.compile(
    rf"(?<![\d_{LETTER}.,])(?P<minus>(?<!\d )(?<![^\W_])[-−](?=\d))?"
    rf"(?P<front>[$€£¥]\s?)?(?P<digits>{_GROUPED}|\d+(?:[.,:]\d+)?)"
    r"(?![.,:]?\d)(?P<scale>(?:(?(front)\s?[mb]|(?:[mb](?=\s?(?:[$€£¥]|eur|usd|gbp|chf))|(?-i:[MB]))))\b"
    r"|\s?(?:(?:tsd|mio|mrd)\b\.?|(?:k|bn|mn|thousand|tausend|million(?:s|en)?|milliarden?"
    r"|billion(?:s|en)?|trillions?)\b|[百千]?[万萬億亿만억]|[千천]))?"
    r"(?P<back>\s?(?:[%‰$€£¥]|(?:per ?cent|prozent|euros?|eur|dollars?|usd|pounds?|gbp|chf|percentage points?"
    r"|prozentpunkten?|[ap]\.?m)\b"
    r"|欧元|歐元|ユーロ|유로|美元|ドル|달러))?"
    rf"(?![{LETTER}]*[\d_])",
    re.IGNORECASE,
)
_CODE: Final = re.compile(
    rf"(?<![\d_{LETTER}])(?:[{LETTER}][\d{LETTER}_./-]{{0,99}}\d[\d{LETTER}_./-]*"
    rf"|{NO_MILLIONS}\d+(?:\.\d+){{2,}}[\d{LETTER}_.-]*)"
)
"""INV-2026-1001, x86, 2.13.4: the digits in them count nothing. Bounded, so that noise takes linear time."""

_ENUMERATION: Final = re.compile(r"(?:^|(?<=[.!?:;\n]))\s{0,40}\(?\d{1,2}[.)]\s")
_SCALE: Final = re.compile(
    r"[\s-](million(?:s|en)?|milliarden?|billion(?:s|en)?|trillions?)\b", re.IGNORECASE
)
_FOLLOWING: Final = re.compile(r"[\s-]{1,2}[^\W\d_]{2,}(?: [^\W\d_]{2,}){0,2}")
_ONE_OF: Final = re.compile(
    rf"\b(?:an?|eine?[mnrs]?|une?|una)\s({measures.NAMES})(?!\w)",
    re.IGNORECASE,
)
_BEFORE_YEAR: Final = re.compile(
    r"\b(?:in|since|until|year|im|seit|jahr|en|depuis|desde|année|año)\s$", re.IGNORECASE
)

FEW: Final = 3
"""Numbers up to this, written as words, often count what a sentence goes on to tell ("in two ways")."""

_UNITS: Final = {
    "%": "%", "percent": "%", "per cent": "%", "prozent": "%",
    "percentage point": "%", "percentage points": "%", "prozentpunkte": "%", "prozentpunkten": "%",
    "$": "$", "dollar": "$", "dollars": "$", "usd": "$",
    "€": "€", "euro": "€", "euros": "€", "eur": "€",
    "£": "£", "pound": "£", "pounds": "£", "gbp": "£",
    "欧元": "€", "歐元": "€", "ユーロ": "€", "유로": "€", "美元": "$", "ドル": "$", "달러": "$",
    "am": "am", "pm": "pm",
}  # fmt: skip

_SCALES: Final = {
    "k": 3, "tsd": 3, "thousand": 3, "tausend": 3,
    "m": 6, "mn": 6, "b": 9, "mio": 6, "million": 6, "millions": 6, "millionen": 6,
    "bn": 9, "mrd": 9, "milliarde": 9, "milliarden": 9, "billions": 9,
    "billionen": 12, "trillion": 12, "trillions": 12,
    "千": 3, "천": 3, "万": 4, "萬": 4, "만": 4, "百万": 6, "千万": 7, "億": 8, "亿": 8, "억": 8, "千億": 11,
}  # fmt: skip

_PLACE: Final = re.compile(
    r"(?:\b(?:pages?|pp?\.|seiten?|s\.|sources?|quellen?|documents?|dokumente?|sections?|abschnitte?|chapters?"
    r"|kapiteln?|paragraphs?|articles?|artikel|art\.|figures?|fig\.|tables?|tabellen?|appendix|anhang|lines?"
    r"|zeilen?|página|sección|capítulo)|§§?|第|제)\s?\(?#?\d{1,3}(?:\.\d{1,3})*(?![\d%]|[.,]\d)"
    r"(?:\s?(?:[-–,&]|and|und|to|bis)\s?\d{1,3}(?:\.\d{1,3})*(?![\d%]|[.,]\d))*",
    re.IGNORECASE,
)
"""Page 3, Section 2.3.1, source 1: where something stands, not what it says."""

_PHONE: Final = re.compile(
    r"(?<![\w.,])(?<!\d\W)(?:(?:\+ ?\d|\(?0)[\d ()/-]{5,25}\d|\(?\d{3}\)?[-. ]\d{3}[-. ]\d{4})(?![\w,]|\.\d)"
)
_SEASON: Final = re.compile(r"(?<!\d)((?:19|20)\d\d)\s?[/–]\s?(\d\d)(?![\d/–-])")
_FRACTIONS: Final = str.maketrans({"½": " 1/2 ", "¼": " 1/4 ", "¾": " 3/4 "})
_MIXED: Final = re.compile(r"(?<![\d.,/])(\d{1,3}) (?:(1)/(2|4)|(3)/(4))(?![\d/])")
_VERSION: Final = re.compile(r"(?<![\w.])v?(\d+\.\d+)\.\d")

_SCORED: Final = re.compile(r"(?<![\w.])\d{1,3}(?:_\d{3})+(?!\w)")
"""1_000_000, as programs group digits."""

_NONE: Final[frozenset[tuple[str, Decimal]]] = frozenset()

SHORTEST_DIALLED: Final = 7
"""Digits below which a run of them is no telephone number."""


def claimed_figures(text: str) -> Figures:
    """Return the numbers and dates that *text* asserts, in digits and in words from two on.

    The numbers of a list's items are none, and neither are those that name a page, a section or a source.
    """
    return _figures(without_places(_ENUMERATION.sub(" ", text)), sure=True)


def without_places(text: str) -> str:
    """Return *text* without what names a page, a section or a source by its number."""
    return _PLACE.sub(" ", text)


def known_figures(text: str) -> Figures:
    """Return what *text* can stand for: numbers in digits and words, dates, parts of dates and versions."""
    figures = _figures(text, sure=False)
    parts = [
        Number(text=day.text, readings=frozenset({Decimal(part)}), unit=DATE)
        for day in figures.days
        for part in day.parts()
    ]
    versions = [Number(text=v[0], readings=frozenset({Decimal(v[1])})) for v in _VERSION.finditer(text)]
    # a telephone number may as well be a sum: what is known is read both ways
    dialled = [number for phone in figures.phones for number in _written(phone)]
    return Figures(
        numbers=(*figures.numbers, *parts, *versions, *dialled, *_single(text)),
        days=figures.days,
        phones=figures.phones,
        digits=digits(text),
        shares=figures.shares,
    )


def _figures(text: str, *, sure: bool) -> Figures:
    """Return the figures of *text*; *sure*: as a statement means them.

    A source's “one in four” is a share and nothing else; a statement's is looked for in both forms.
    """
    days, rest = find_days(as_clock(_MIXED.sub(_mixed, _grouped(text.translate(_FRACTIONS)))))
    phones = [match[0] for match in _PHONE.finditer(rest) if len(digits(match[0])) >= SHORTEST_DIALLED]
    for phone in phones:
        rest = rest.replace(phone, " ")
    rest = _CODE.sub(" ", _SEASON.sub(_both_years, rest))
    counted = rest if sure else without_ratios(rest)
    return Figures(
        numbers=(*_written(counted), *_spelt(counted, sure=sure)),
        days=tuple(days),
        phones=tuple(phones),
        shares=tuple(find_shares(rest)),
    )


def _grouped(text: str) -> str:
    return _SCORED.sub(lambda match: match[0].replace("_", ""), text)


def _mixed(match: re.Match[str]) -> str:
    """Write one and a half, ``1 1/2``, as 1.5."""
    whole, part, of = filter(None, match.groups())
    return str(int(whole) + Decimal(part) / Decimal(of))


def _both_years(match: re.Match[str]) -> str:
    """Write 2023/24 as two years; what are no neighbours stays as it is."""
    first, second = int(match[1]), int(match[2])
    return f"{first} / {first + 1}" if (first + 1) % 100 == second else match[0]


def _written(text: str) -> Iterator[Number]:
    parts = measures.compounds(text)
    for match in _NUMBER.finditer(text):
        unit = (match["front"] or match["back"] or "").strip().lower().replace(".", "")
        if _goes_on(text, match):
            continue
        yield Number(
            text=match[0].strip(),
            readings=frozenset(_of_the_day(_meant(match, unit), unit)),
            unit=_UNITS.get(unit) or (DATE if _is_year(text, match) else None),
            measure="" if unit in _UNITS else measures.measure_behind(text, match.end()),
            period=measures.period_behind(text, match.end()),
            total=parts.get(match.start("digits"), _NONE) | _as_duration(match["digits"]),
            things=_things(text, match.end()),
            negative=match["minus"] is not None,
        )


def _as_duration(digits: str) -> frozenset[tuple[str, Decimal]]:
    """Return what 1:30 is in seconds, for it may be as long."""
    hours, colon, minutes = digits.partition(":")
    return (
        frozenset({("time", (Decimal(hours) * 3600 + Decimal(minutes) * 60).normalize())}) if colon else _NONE
    )


def _meant(match: re.Match[str], unit: str) -> set[Decimal]:
    """Return the readings with their scale; an M without a currency may as well be another unit."""
    plain, scale = _amounts(match["digits"], unit), match["scale"]
    scaled = _scaled(plain, scale)
    return scaled | plain if scale in ("M", "B") and _UNITS.get(unit) not in ("€", "$", "£") else scaled


def _goes_on(text: str, match: re.Match[str]) -> bool:
    """Tell whether it is a part of 2万5千, whose sum is not known here."""
    signs = "百千万萬億亿만억천"
    before, behind = text[max(0, match.start() - 1) : match.start()], text[match.end() : match.end() + 1]
    return bool(before and before in signs) or bool(behind and behind in signs)


def _amounts(digits: str, unit: str) -> set[Decimal]:
    """Return the readings of *digits*; money has no three decimals, so 1.000 € is a thousand."""
    readings = _readings(digits)
    return {max(readings)} if _UNITS.get(unit) in ("€", "$", "£") else readings


def _of_the_day(readings: set[Decimal], unit: str) -> set[Decimal]:
    """Add what a clock with 24 hours shows: 2 pm is 14:00."""
    if unit == "pm":
        return readings | {reading + 12 for reading in readings if reading < 12}
    return readings | {reading - 12 for reading in readings if reading >= 12} if unit == "am" else readings


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


def _spelt(text: str, *, sure: bool) -> Iterator[Number]:
    for numeral in find_numerals(text, sure=sure):
        scale = _SCALE.match(text, numeral.end)
        yield Number(
            text=numeral.text,
            readings=frozenset(_scaled(set(numeral.readings), scale[1] if scale else None)),
            measure=measures.measure_behind(text, numeral.end),
            things=_things(text, numeral.end),
            few=max(numeral.readings) <= FEW and scale is None,
        )


def _things(text: str, end: int) -> tuple[str, ...]:
    """Return the words that follow, up to three, in the singular as far as an s tells."""
    following = _FOLLOWING.match(text, end)
    words = following[0].lower().replace("-", " ").split() if following else []
    told = takewhile(lambda word: word not in FREQUENT, words[1:])
    return tuple(word.removesuffix("s") for word in (*words[:1], *told))


def _single(text: str) -> Iterator[Number]:
    """Yield the one that “a year” says."""
    for match in _ONE_OF.finditer(text):
        yield Number(text=match[0], readings=frozenset({Decimal(1)}), measure=match[1].lower())


def _is_year(text: str, match: re.Match[str]) -> bool:
    """Tell whether a bare number is a year by what stands before it: in 2024, since 1998."""
    year = re.fullmatch(r"(?:19|20)\d\d", match["digits"]) and not match["scale"]
    return bool(year) and bool(_BEFORE_YEAR.search(text, 0, match.start()))
