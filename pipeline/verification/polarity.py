"""Whether two sentences say the opposite of each other: one denies, or turns the direction round."""

from __future__ import annotations

import re
from typing import Final

_DENIAL: Final = re.compile(
    r"\b(?:not|no(?!-)|never|none|nobody|nothing|nowhere|neither|nor|cannot|without|unable"
    r"|fail(?:s|ed)? to|lacks?|(?:wrong|false|untrue|incorrect|a myth) that"
    r"|nicht|kein(?:e[nmrs]?)?|nie|niemals|niemand|nichts|weder|ohne|falsch,? dass"
    r"|forbid(?:s|den)?|prohibit(?:s|ed)?|bann?ed|verboten|untersagt|prohibid[oa]s?|interdite?s?"
    r"|ne [\w']+ pas|n'\w+ pas|jamais|sans|faux que|nunca|sin|falso que|non(?!-))\b|n[’']t\b"
    r"|\bim(?=possib)|\bun(?=(?:available|möglich|gültig|zulässig)\b)|\bin(?=valid\b)"
    r"|[不没沒未]|禁止|ない|ません|[않못없]|금지",
    re.IGNORECASE,
)
_ALLOWING: Final = re.compile(
    r"\b(?:allow(?:s|ed)?|permit(?:s|ted)?|erlaubt|gestattet|permit(?:e|en|ido|ida)|se permite|permise?)\b"
    r"|允许|允許|許可",
    re.IGNORECASE,
)
_NO_DENIAL: Final = re.compile(
    r"^\W*(?:no|nein|non)\s*[,.:;–—-]|\bnot only\b|\bnot just\b|\bno\. ?\d|\bnicht nur\b|\bsans serif\b"
    r"|\bwhether or not\b|\bno later\b|\bno more than\b|\bno less than\b|\bno fewer than\b|(?<=[\w,] )nor\b"
    r"|不(?:同|过|過|仅|僅|但|断|斷|久|论|論|管|少)|差不多|对不起|没关系|未(?:来|來|満|滿)|少ない"
    r"|な(?:ければ|くては|いと)(?:な|い)\w{0,4}?(?:ない|ません|けない|けません)|かもしれ(?:ない|ません)",
    re.IGNORECASE,
)
"""Looks like a denial and is none; a “No,” answers the question and leaves the sentence as it is.

A “nor” goes on with the denial before it.
"""

_OPPOSITES: Final = (
    ("increas rais ris higher greater grow grew gain more enhanc elev upregul promot improv accelerate"
     " steig erhöh mehr höher",
     "decreas reduc lower less fewer declin fall fell drop diminish lessen inhibit suppress impair downregul"
     " worsen prevent slow sink senk wenig niedrig"),
    ("before vor earlier", "after nach later"),
    ("maximum most höchstens", "minimum least mindestens"),
    ("allow permit enabl erlaub", "disabl deni"),
    ("accept approv", "reject refus"),
    ("positiv better", "negativ wors poor"),
    ("begin start open", "end stop close"),
    ("includ", "exclud"),
    ("active aktiv", "inactive inaktiv"),
    ("protect", "vulner expos suscept"),
    ("internal", "external"),
    ("optional", "mandatori requir oblig"),
)  # fmt: skip


def affirmed(sentence: str) -> str:
    """Return *sentence* without the words that deny or allow: what it is about can then be compared."""
    return _ALLOWING.sub(" ", _DENIAL.sub(" ", sentence))


def denials(sentence: str) -> int:
    """Count the words of *sentence* that deny something, in the languages that it knows."""
    return len(_DENIAL.findall(_NO_DENIAL.sub(" ", sentence)))


def denies(sentence: str) -> bool:
    """Tell whether *sentence* denies: an odd number of denials, for two of them cancel out."""
    return denials(sentence) % 2 == 1


def turned(claim: frozenset[str], sentence: frozenset[str]) -> bool:
    """Tell whether the words of *claim* point up where those of *sentence* point down, or the like."""
    return any(
        _against(claim, sentence, *sides) or _against(claim, sentence, *sides[::-1]) for sides in _SIDES
    )


def _against(
    claim: frozenset[str], sentence: frozenset[str], side: frozenset[str], other: frozenset[str]
) -> bool:
    return bool(claim & side and sentence & other and not claim & other and not sentence & side)


_SIDES: Final = tuple((frozenset(one.split()), frozenset(other.split())) for one, other in _OPPOSITES)
