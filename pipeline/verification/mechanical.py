"""What can be read off a statement and its source without any model: each sign speaks for itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import TYPE_CHECKING, Final, Literal

from pipeline.sentences import coverage, split, weights
from pipeline.verification import names, numbers, polarity
from pipeline.verification.derived import find_listings, is_counted, is_sum, is_worked_out, uncounted
from pipeline.verification.rows import read_rows, strays
from pipeline.verification.tongues import READ_TO, is_abroad, tongues

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline.verification.derived import Listing
    from pipeline.verification.figures import Figures, Number
    from pipeline.verification.rows import Row

    Analyze = Callable[[str], list[str]]

Kind = Literal["verbatim", "quotes", "numbers", "rows", "codes", "names", "negation", "direction"]

LIKE: Final = 0.6
"""Share of a statement's weight that a sentence must hold to be about the same thing."""

ALIKE: Final = 0.75
"""Share of either's weight that the other must hold for two sentences to say the same, or the opposite."""

SHORTEST_QUOTE: Final = 3
"""Words below which quotation marks name something, or keep it at arm's length."""

SHORTEST_VERBATIM: Final = 4
"""Words below which standing in the source letter by letter proves nothing."""

_QUOTED: Final = re.compile(
    r"“([^“”\n]+)”|„([^„“”\n]+)[“”]|«([^«»\n]+)»|»([^«»\n]+)«|「([^「」\n]+)」|(?<!\d)\"([^\"\n]+)\""
)
_GAP: Final = re.compile(r"\[\s*(?:…|\.\.\.)\s*\]|\(\s*(?:…|\.\.\.)\s*\)|…|\.{3}")
"""A straight mark behind a digit is inches."""

_WORD: Final = re.compile(r"\w+")
_SAID: Final = re.compile(r"(?:(?<![\w)])[-+])?\d+(?:[.,:/]\d+)*|\w+|[%‰$€£¥₹°<>≤≥=±]")
"""Words, and whatever makes a number another one: its sign, its marks, its unit."""


SMALL: Final = 100
"""Numbers up to this are written as words now and then."""

SUMMED: Final = 4
"""Sentences of a source whose numbers may add up to a statement's, those that share most words with it."""

_COMPARED: Final = re.compile(
    r"\b(?:than|more|less|fewer|over|under|above|below|between|(?:at|the) (?:least|most)|up to|until|instead"
    r"|rather|unlike|als|mehr|weniger|über|unter|zwischen|bis|statt|que|más|menos|plus|moins)\b",
    re.IGNORECASE,
)
_THAN: Final = re.compile(r"\b(?:than|als|que)\b", re.IGNORECASE)
_ALIKE_SIGNS: Final = str.maketrans({"’": "'", "−": "-"})


class Sign(StrEnum):
    """What one comparison says."""

    SUPPORTED = "supported"
    CONTRADICTED = "contradicted"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One comparison of a statement with its source."""

    kind: Kind
    sign: Sign
    missing: tuple[str, ...] = ()
    """What the statement has and the source has not, as the statement writes it."""
    converted: bool = False
    """It has a number in another unit than the source, so that words tell less."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Premise:
    """A source as it is compared: all of it, and sentence by sentence."""

    text: str
    sentences: tuple[str, ...]
    tokens: tuple[frozenset[str], ...]
    weight: dict[str, float]
    words: frozenset[str]
    runs: frozenset[tuple[str, str]]
    """Neighbouring words."""
    flat: str
    said: frozenset[tuple[str, bool]]
    """Its sentences as `flatten` writes them, each with whether it denies; questions say nothing."""
    figures: Figures
    rows: tuple[Row, ...]
    listings: tuple[Listing, ...]
    tongues: frozenset[str]
    """The languages that it may be written in."""

    def covering(self, claim: Sequence[str]) -> list[tuple[float, int]]:
        """Return the share of *claim* that each sentence holds, with its index, best first."""
        shares = [(coverage(claim, tokens, self.weight), rank) for rank, tokens in enumerate(self.tokens)]
        return sorted(shares, key=lambda share: (-share[0], share[1]))


def read_premise(text: str, analyze: Analyze) -> Premise:
    """Read a source once for all statements that cite it; takes some ms a page."""
    sentences = tuple(split(text))
    tokens = tuple(frozenset(analyze(sentence)) for sentence in sentences)
    return Premise(
        text=text,
        sentences=sentences,
        tokens=tokens,
        weight=weights(tokens),
        words=frozenset().union(*tokens),
        runs=frozenset(pairwise(analyze(text))),
        flat=flatten(text),
        said=frozenset(
            (flatten(one), polarity.denies(one)) for one in sentences if not one.endswith(("?", "？"))
        ),
        figures=numbers.known_figures(text),
        rows=read_rows(text, analyze),
        listings=tuple(find_listings(text)),
        tongues=tongues(text),
    )


def inspect(
    claim: str, premise: Premise, analyze: Analyze, *, abroad: bool = False, listed: int = 0
) -> list[Signal]:
    """Return every sign that applies to *claim*; one that has nothing to compare is left out.

    *abroad*: it is in another language than its source, so that words and names are not compared. *listed* is
    the number of things that the answer lists behind it.
    """
    claimed = numbers.claimed_figures(claim)
    counted = compare_numbers(claim, claimed, premise, analyze, abroad=abroad, listed=listed)
    if is_verbatim(claim, premise) and (counted is None or not counted.missing):
        return [Signal(kind="verbatim", sign=Sign.SUPPORTED)]
    signals = [
        compare_quotes(claim, premise, abroad=abroad),
        counted,
        compare_rows(claim, claimed, premise, analyze),
        compare_codes(claim, premise, analyze),
    ]
    if not abroad:
        signals += [compare_names(claim, premise, analyze), *compare_sense(claim, premise, analyze)]
    return [signal for signal in signals if signal is not None]


def is_verbatim(claim: str, premise: Premise) -> bool:
    """Tell whether *claim* is a whole sentence of the source; a part of one may say the opposite."""
    flat = flatten(claim)
    return len(flat.split()) >= SHORTEST_VERBATIM and (flat, polarity.denies(claim)) in premise.said


def compare_quotes(claim: str, premise: Premise, *, abroad: bool = False) -> Signal | None:
    """Look for each quotation, its parts in order where something was left out; None: nothing is quoted.

    *abroad*: what is absent may be translated, unless it is in the source's language.
    """
    quotes = [quote for quote in quotations(claim) if len(_WORD.findall(quote)) >= SHORTEST_QUOTE]
    if not quotes:
        return None
    absent = tuple(quote for quote in quotes if not _occurs(quote, premise.flat))
    if abroad and all(is_abroad(quote, claim, premise.tongues) for quote in absent):
        return Signal(kind="quotes", sign=Sign.UNKNOWN, missing=absent) if absent else None
    return Signal(kind="quotes", sign=_sign(absent), missing=absent)


def compare_numbers(
    claim: str, claimed: Figures, premise: Premise, analyze: Analyze, *, abroad: bool, listed: int
) -> Signal | None:
    """Look for each number and date of *claim*, which are *claimed*; None: there is none.

    A minus on one side may be a dash, a number may be rounded or the sum of two, and *abroad*, that is in
    another language than the source, a small one may be a word that is not read: these make doubtful.
    """
    if not claimed:
        return None
    missing = uncounted(premise.figures, claimed, claim, premise.listings)
    absent = [each for each in missing if not each.counts(listed)]
    lost = tuple(each.text for each in absent)
    others = premise.figures.lacks_besides(claimed, abroad=abroad)
    turned = tuple(premise.figures.turns(claimed))
    if others or any(not _may_stand(each, claim, premise, analyze, abroad=abroad) for each in absent):
        return Signal(kind="numbers", sign=Sign.CONTRADICTED, missing=(*lost, *others))
    doubtful = lost or turned
    return Signal(
        kind="numbers",
        sign=Sign.UNKNOWN if doubtful else Sign.SUPPORTED,
        missing=doubtful,
        converted=not doubtful and premise.figures.converts(claimed),
    )


def _may_stand(number: Number, claim: str, premise: Premise, analyze: Analyze, *, abroad: bool) -> bool:
    """Tell whether an absent number may be rounded, a sum, a part of a list, or a word that is not read."""
    value = max(number.readings)
    if is_counted(number, find_listings(claim)) or any(map(number.rounds, premise.figures.numbers)):
        return True
    if abroad and max((READ_TO.get(tongue, 0) for tongue in premise.tongues), default=0) < value <= SMALL:
        return True
    if not is_worked_out(claim):
        return False
    nearest = [premise.sentences[rank] for _, rank in premise.covering(analyze(claim))[:SUMMED]]
    return is_sum(number, [own for one in nearest for own in numbers.known_figures(one).numbers])


def compare_rows(claim: str, claimed: Figures, premise: Premise, analyze: Analyze) -> Signal | None:
    """Look whether a number of the claim stands in another row of a table than the one it names.

    Where something is compared or denied, the other row's number may have its place.
    """
    if not premise.rows or not claimed.numbers:
        return None
    if not strays(claim, claimed, frozenset(analyze(claim)), premise.rows, premise.figures):
        return None
    compared = _COMPARED.search(claim) or polarity.denies(claim)
    return Signal(kind="rows", sign=Sign.UNKNOWN if compared else Sign.CONTRADICTED)


def compare_codes(claim: str, premise: Premise, analyze: Analyze) -> Signal | None:
    """Look for each code that names one thing among many of its kind; None: there is none."""
    codes = [code for code in names.find_codes(numbers.without_places(claim)) if names.is_telling(code)]
    if not codes:
        return None
    absent = tuple(names.missing(codes, premise.text, analyze))
    return Signal(kind="codes", sign=_sign(absent), missing=absent)


def compare_names(claim: str, premise: Premise, analyze: Analyze) -> Signal | None:
    """Look for each name and other code. One that is absent may be spelled otherwise: it proves nothing."""
    codes = [code for code in names.find_codes(claim) if not names.is_telling(code)]
    named = [*(name for name in names.find_names(claim) if not names.CODE.search(name)), *codes]
    if not named:
        return None
    absent = tuple(names.missing(named, premise.text, analyze))
    return Signal(kind="names", sign=Sign.UNKNOWN if absent else Sign.SUPPORTED, missing=absent)


def compare_sense(claim: str, premise: Premise, analyze: Analyze) -> list[Signal]:
    """Compare with the sentence that is about the same: one of the two may deny, or point the other way.

    Between sentences that have nearly the same words this decides; between others it only makes doubtful.
    """
    own = analyze(polarity.affirmed(claim))
    share, rank = next(iter(premise.covering(own)), (0.0, 0))
    if share < LIKE:
        return []
    back = coverage(analyze(polarity.affirmed(premise.sentences[rank])), own, premise.weight)
    sign = Sign.CONTRADICTED if min(share, back) >= ALIKE else Sign.UNKNOWN
    denied = polarity.denies(claim) != polarity.denies(premise.sentences[rank])
    turned = polarity.turned(frozenset(own), premise.tokens[rank])
    if denied == turned:  # neither, or “not allowed” for “forbidden”
        return []
    if turned and _THAN.search(claim):  # lower in May than in June: the two may have changed places
        sign = Sign.UNKNOWN
    return [Signal(kind="negation" if denied else "direction", sign=sign)]


def quotations(text: str) -> list[str]:
    """Return what stands between quotation marks in *text*."""
    return [next(filter(None, match.groups())) for match in _QUOTED.finditer(text)]


def flatten(text: str) -> str:
    """Return words and numbers of *text*, in lower case: quotes, spaces, dashes and emphasis do not count.

    Numbers keep what makes them what they are: -5, 1.000, 5 %, 5 €.
    """
    return " ".join(_SAID.findall(text.translate(_ALIKE_SIGNS).casefold()))


def _occurs(quote: str, flat: str) -> bool:
    position = 0
    for part in filter(None, map(flatten, _GAP.split(quote))):
        position = f" {flat} ".find(f" {part} ", position)
        if position < 0:
            return False
    return True


def _sign(absent: tuple[str, ...]) -> Sign:
    return Sign.CONTRADICTED if absent else Sign.SUPPORTED
