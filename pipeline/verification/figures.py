"""The numbers and dates of one text as values, and which of a statement's stand in a source's."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Final

from pipeline.verification.measures import amounts
from pipeline.verification.shares import near

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.verification.dates import Day
    from pipeline.verification.shares import Share

DIALLED: Final = 8
"""Last digits of a telephone number that are compared: what comes before depends on who calls."""

DATE: Final = "date"
"""The unit of a number that is part of a date: no sum of money and no share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """One number as it was written, and what it may mean."""

    text: str
    readings: frozenset[Decimal]
    unit: str | None = None
    """``%``, a currency's sign or `DATE`; None: bare, or another unit."""
    measure: str = ""
    """The unit of time, length, weight, volume or data behind it, see `measures`."""
    period: str = ""
    """The unit of time that it is for, as in “10 € per month”."""
    total: frozenset[tuple[str, Decimal]] = frozenset()
    """What the time that it is a part of comes to, as in “1 hour and 30 minutes”, like `amounts`."""
    things: tuple[str, ...] = ()
    """The words behind it, in lower case and the singular."""
    negative: bool = False
    """A minus stands before it, which may as well be a dash."""
    few: bool = False
    """It is written as a word and so small that it may only count what the text goes on to tell."""

    @property
    def noun(self) -> str:
        """The word behind it; empty: none."""
        return self.things[0] if self.things else ""

    @property
    def amounts(self) -> frozenset[tuple[str, Decimal]]:
        """What it is in the smallest unit of its kind; empty where it has no measure."""
        return amounts(self.readings, self.measure)

    def agrees(self, other: Number) -> bool:
        """Tell whether *other* may be the same number; a unit that is missing fits every one."""
        if self.unit is not None and other.unit is not None and self.unit != other.unit:
            return False
        if self._weighs_otherwise(other) or other._weighs_otherwise(self):
            return False
        if self._differs_in_period(other):
            return False
        alike = not self.readings.isdisjoint(other.readings)
        measured = (self.measure or self.total) and (other.measure or other.total)
        if measured and not (self.amounts | self.total).isdisjoint(other.amounts | other.total):
            return True
        if self.measure and other.measure:  # a single letter may as well be another unit, or a million
            unsure = min(len(self.measure), len(other.measure)) == 1
            return unsure and alike and not self.of_a_kind(other)
        return alike

    def _weighs_otherwise(self, other: Number) -> bool:
        """Tell whether it is in pounds, which may be a weight, and *other* in kilograms."""
        if self.unit != "£" or len(other.measure) <= 1 or other.measure.startswith("lb"):
            return False
        return any(kind == "weight" for kind, _ in other.amounts)

    def _differs_in_period(self, other: Number) -> bool:
        if not (self.period and other.period):
            return False
        periods = [amounts([Decimal(1)], each.period) for each in (self, other)]
        return periods[0].isdisjoint(periods[1])

    def rounds(self, other: Number) -> bool:
        """Tell whether it is *other*, rounded to a scale: 1.23 million of 1,234,567."""
        exponents = ((each, int(each.as_tuple().exponent)) for each in self.readings)
        fits = self.unit is None or other.unit is None or self.unit == other.unit
        return fits and any(
            abs(each - own) <= Decimal(5).scaleb(exponent - 1)
            for each, exponent in exponents
            if exponent > 0
            for own in other.readings
        )

    def counts(self, size: int) -> bool:
        """Tell whether it says how many things there are, and these are *size*."""
        told = bool(self.things) and self.unit is None and not self.measure
        return told and size > 1 and size in self.readings

    def of_a_kind(self, other: Number) -> bool:
        """Tell whether the two count the same: a currency, per cent, days and hours, or what is not told."""
        if self.measure and other.measure:
            return bool({kind for kind, _ in self.amounts} & {kind for kind, _ in other.amounts})
        return (self.unit, self.measure) == (other.unit, other.measure)

    def shares(self) -> Iterator[Decimal]:
        """Yield which part of a whole it may be: 25 % and 0.25."""
        for reading in self.readings:
            if self.unit == "%" and reading < 100:
                yield reading / 100
            elif self.unit is None and 0 < reading < 1:
                yield reading


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """All numbers and dates of one text."""

    numbers: tuple[Number, ...]
    days: tuple[Day, ...]
    phones: tuple[str, ...] = ()
    digits: str = ""
    """All digits of the text."""
    shares: tuple[Share, ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there is anything to compare."""
        return bool(self.numbers or self.days or self.phones)

    def lacks(self, claimed: Figures, *, abroad: bool = False) -> list[str]:
        """Return what *claimed* has and this has not, as it was written there.

        *abroad*: the two are in different languages, and names of months are not compared.
        """
        absent = [each.text for each in self.absent(claimed)]
        return absent + self.lacks_besides(claimed, abroad=abroad)

    def lacks_besides(self, claimed: Figures, *, abroad: bool = False) -> list[str]:
        """Return the dates, telephone numbers and shares of *claimed* that do not stand here."""
        days = [each.text for each in claimed.days if not self._knows(each, abroad=abroad)]
        return (
            days
            + self._other_shares(claimed)
            + [each for each in claimed.phones if digits(each)[-DIALLED:] not in self.digits]
        )

    def absent(self, claimed: Figures) -> list[Number]:
        """Return the numbers of *claimed* that do not stand here."""
        counted = {own.noun for own in self.numbers if own.noun}
        parts = frozenset[Decimal]().union(
            *(share.parts for share in claimed.shares if self._holds(share.value))
        )
        return [
            each
            for each in claimed.numbers
            if not (each.few and each.noun not in counted)
            and not each.readings & parts
            and not any(each.agrees(own) for own in self.numbers)
            and not any(map(self._holds_part, each.shares()))
        ]

    def converts(self, claimed: Figures) -> bool:
        """Tell whether *claimed* has a number of this in another unit only: 1.8 m for 180 cm."""
        return any(
            any(each.agrees(own) for own in self.numbers)
            and all(each.readings.isdisjoint(own.readings) for own in self.numbers)
            for each in claimed.numbers
        )

    def turns(self, claimed: Figures) -> list[str]:
        """Return the numbers of *claimed* that this has with the other sign only."""
        return [
            each.text
            for each in claimed.numbers
            if {own.negative for own in self.numbers if each.agrees(own)} == {not each.negative}
        ]

    def _other_shares(self, claimed: Figures) -> list[str]:
        """Return the shares of *claimed* of which this tells another one: three of three servers, not two."""
        told = {share.things for share in self.shares if share.things}
        return [
            share.text
            for share in claimed.shares
            if share.things in told and not self._holds(share.value) and not self._holds(1 - share.value)
        ]

    def _holds(self, value: Decimal) -> bool:
        """Tell whether a share stands here, in two numbers or in one."""
        return self._holds_part(value) or any(near(value, each) for each in self._parts())

    def _holds_part(self, value: Decimal) -> bool:
        """Tell whether a part of a whole stands here as two numbers, or as the same one with or without %."""
        return value in self._parts() or any(near(value, share.value) for share in self.shares)

    def _parts(self) -> set[Decimal]:
        return {part for each in self.numbers for part in each.shares()}

    def _knows(self, day: Day, *, abroad: bool) -> bool:
        """Tell whether a date stands here, its year perhaps elsewhere than its day."""
        values = {reading for number in self.numbers for reading in number.readings}
        if abroad and day.parts() and values.issuperset(map(Decimal, day.parts())):
            return True
        return any(day.agrees(own, values) for own in self.days)


def digits(text: str) -> str:
    """Return the digits of *text* alone."""
    return re.sub(r"\D", "", text)
