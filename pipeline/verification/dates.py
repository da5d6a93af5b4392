"""Dates of a text in one form: 2024-03-05, 5 March 2024, March 5th, 5. März 2024, 05.03.24, 3/5/2024."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

_MONTHS: Final = {
    name: number
    for number, names in enumerate(
        (
            "january januar jänner jan",
            "february februar feber feb",
            "march märz maerz mar mär",
            "april apr",
            "may mai",
            "june juni jun",
            "july juli jul",
            "august aug",
            "september sept sep",
            "october oktober oct okt",
            "november nov",
            "december dezember dec dez",
        ),
        start=1,
    )
    for name in names.split()
}
_NAMED: Final = rf"(?P<name>{'|'.join(sorted(_MONTHS, key=len, reverse=True))})\b\.?"
_DAY: Final = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_YEAR: Final = r"(?P<year>1[5-9]\d\d|20\d\d)"

_FORMS: Final = (
    re.compile(rf"(?<!\d){_YEAR}-(?P<month>0[1-9]|1[0-2])-{_DAY}(?!\d)"),
    re.compile(
        rf"(?<![\d.,/-]){_DAY}(?P<mark>[./])[ ]?(?P<month>0?[1-9]|[12]\d|3[01])(?P=mark)"
        r"[ ]?(?P<year>1[5-9]\d\d|20\d\d|\d\d)(?![\d/])"
    ),
    re.compile(
        r"(?:(?<!\d)(?P<year>1[5-9]\d\d|20\d\d)\s?[年년]\s?)?(?<!\d)(?P<month>1[0-2]|0?[1-9])\s?[月월]"
        rf"(?:\s?{_DAY}\s?[日号號일])?"
    ),
    re.compile(rf"(?<!\d){_DAY}(?:st|nd|rd|th|\.)?(?: of)? {_NAMED}(?:,? {_YEAR}\b)?", re.IGNORECASE),
    re.compile(rf"\b{_NAMED} {_DAY}(?:st|nd|rd|th)?\b(?!\s?[%€$:])(?:,? {_YEAR}\b)?", re.IGNORECASE),
    re.compile(rf"\b{_NAMED}(?: of)?,? {_YEAR}\b", re.IGNORECASE),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """A date as it was written; what is None was not said."""

    text: str
    month: int
    day: int | None = None
    year: int | None = None
    swapped: bool = False
    """Day and month may stand the other way round, as in 03/04/2024."""

    def parts(self) -> list[int]:
        """Return the numbers that it says."""
        return [part for part in (self.year, self.day) if part is not None]

    def agrees(self, known: Day, years: Collection[Decimal]) -> bool:
        """Tell whether *known* is this date; a year it does not name may be one of *years*."""
        if self.year is not None and known.year is not None and known.year != self.year:
            return False
        # a year that is left out here may stand in another sentence
        if self.year is not None and known.year is None and Decimal(self.year) not in years:
            return False
        return bool(self._pairs() & known._pairs()) if self.day is not None else self.month in known._months()

    def _pairs(self) -> set[tuple[int, int | None]]:
        pairs: set[tuple[int, int | None]] = {(self.month, self.day)}
        return pairs | {(self.day, self.month)} if self.swapped and self.day is not None else pairs

    def _months(self) -> set[int | None]:
        return {month for month, _ in self._pairs()}


def find_days(text: str) -> tuple[list[Day], str]:
    """Return the dates of *text*, and the text without them."""
    days: list[Day] = []
    for form in _FORMS:
        for match in form.finditer(text):
            day = _day(match)
            if day is not None:
                days.append(day)
                text = text[: match.start()] + " " * len(match[0]) + text[match.end() :]
    return days, text


def _day(match: re.Match[str]) -> Day | None:
    """Read one date; None: a month beyond twelve, as in the version 1.30.20."""
    said = match.groupdict()
    day = int(said["day"]) if said.get("day") else None
    month = _MONTHS[said["name"].lower()] if said.get("name") else int(said["month"])
    year = _year(said.get("year"))
    slashed = said.get("mark") == "/"
    if month > 12 and slashed and day is not None and day <= 12:
        day, month, slashed = month, day, False
    if month > 12:
        return None
    swapped = slashed and day is not None and day <= 12
    return Day(text=match[0].strip(), month=month, day=day, year=year, swapped=swapped)


def _year(written: str | None) -> int | None:
    if written is None:
        return None
    year = int(written)
    return year if len(written) == 4 else year + (2000 if year < 70 else 1900)
