"""Numbers that a source holds without writing them: how many things it lists, sums of two of its numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import combinations, groupby
from typing import TYPE_CHECKING, Final

from pipeline.verification.lines import ITEM, is_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from decimal import Decimal

    from pipeline.verification.figures import Figures, Number

LISTED: Final = range(2, 31)
"""Things that somebody may have counted."""

ADDED: Final = 20
"""Numbers that are added up with each other, at most."""

_ADDED_UP: Final = re.compile(
    r"\b(?:together|total|in all|altogether|sums?|combined|difference|more|less|fewer|longer|left|remain\w*"
    r"|points|extra|plus|minus|zusammen|insgesamt|gesamt\w*|summe|differenz|mehr|weniger|länger|übrig|bleib\w*"
    r"|juntos|suma|diferencia|más|menos|ensemble|somme|différence|moins)\b|[共总總合]计?|差",
    re.IGNORECASE,
)
"""Tells that a number was worked out."""

_CLAUSE: Final = re.compile(r"[.:;()!?]\s|[:(]")
_BETWEEN: Final = re.compile(r",?\s(?:and|or|und|oder|et|ou|y|o|e)\s|[,、]\s?")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Listing:
    """Things that stand one after the other."""

    size: int
    words: frozenset[str]
    """What leads in to it says, in lower case and the singular: “the sizes are:”."""

    def counts(self, number: Number) -> bool:
        """Tell whether *number* says how many they are, and of what."""
        return number.counts(self.size) and not self.words.isdisjoint(number.things)


def find_listings(text: str) -> Iterator[Listing]:
    """Yield what *text* lists: “S, M and L” in a sentence, the items of a list, the rows of a table."""
    lines = [line for line in text.splitlines() if line.strip() and not is_rule(line)]
    led = ""
    for kind, block in groupby(lines, _kind):
        run = list(block)
        if kind == "prose":
            led = run[-1]
            yield from (listing for line in run for listing in _series(line))
        else:
            words = _words(f"{led} {run[0]}" if kind == "row" else led)
            sizes = {len(run), len(run) - 1} if kind == "row" else {len(run)}  # a table's head is no row
            yield from (Listing(size=size, words=words) for size in sizes & set(LISTED))


def is_counted(number: Number, listings: Iterable[Listing]) -> bool:
    """Tell whether *number* counts what one of *listings* lists."""
    return any(listing.counts(number) for listing in listings)


def uncounted(known: Figures, claimed: Figures, claim: str, listings: Iterable[Listing]) -> list[Number]:
    """Return the numbers of *claim* that *known* has not, and that count neither of the lists.

    *listings* are the source's. The claim's own list proves nothing where the source counts the same things.
    """
    absent = known.absent(claimed)
    told = {own.noun for own in known.numbers} if absent else set()
    return [
        each
        for each in absent
        if not is_counted(each, listings)
        and (each.noun in told or not is_counted(each, find_listings(claim)))
    ]


def is_worked_out(claim: str) -> bool:
    """Tell whether *claim* says that it adds up, or takes away."""
    return bool(_ADDED_UP.search(claim))


def is_sum(number: Number, known: Sequence[Number]) -> bool:
    """Tell whether *number* is the sum or the difference of two *known* ones that count the same."""
    like = [each for each in known if _alike(number, each)][:ADDED]
    wanted = _values(number)
    return any(
        kind == other and {(kind, one + two), (kind, abs(one - two))} & wanted
        for first, second in combinations(like, 2)
        for kind, one in _values(first)
        for other, two in _values(second)
    )


def _kind(line: str) -> str:
    return "item" if ITEM.match(line) else "row" if "|" in line else "prose"


def _series(line: str) -> Iterator[Listing]:
    sizes = {len(_BETWEEN.split(clause)) for clause in _CLAUSE.split(line)}
    yield from (Listing(size=size, words=_words(line)) for size in sizes & set(LISTED))


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower().removesuffix("s") for word in _WORD.findall(text))


def _alike(number: Number, other: Number) -> bool:
    """Tell whether two numbers count the same thing, which has to be told."""
    told = number.unit or number.measure or (number.noun and number.noun == other.noun)
    return bool(told) and number.of_a_kind(other)


def _values(number: Number) -> frozenset[tuple[str, Decimal]]:
    return number.amounts or frozenset(("", reading) for reading in number.readings)
