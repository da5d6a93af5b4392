"""Whether two sentences say the opposite of each other: one denies, or turns the direction round."""

from __future__ import annotations

import re
from typing import Final

_DENIAL: Final = re.compile(
    r"\b(?:not|no(?!-)|never|none|nobody|nothing|nowhere|neither|nor|cannot|without|unable"
    r"|fail(?:s|ed)? to|lacks?|nicht|kein(?:e[nmrs]?)?|nie|niemals|niemand|nichts|weder|ohne"
    r"|ne [\w']+ pas|n'\w+ pas|jamais|sans|nunca|sin|non(?!-))\b|n[’']t\b",
    re.IGNORECASE,
)
_NO_DENIAL: Final = re.compile(
    r"^\W*(?:no|nein|non)\s*[,.:;–—-]|\bnot only\b|\bnot just\b|\bno\. ?\d|\bnicht nur\b|\bsans serif\b"
    r"|\bwhether or not\b|\bno later\b|\bno more than\b|\bno less than\b|\bno fewer than\b",
    re.IGNORECASE,
)
"""Looks like a denial and is none; a “No,” answers the question and leaves the sentence as it is."""

_OPPOSITES: Final = (
    ("increas rais ris higher greater grow grew gain more enhanc elev upregul promot improv accelerate"
     " steig erhöh mehr höher",
     "decreas reduc lower less fewer declin fall fell drop diminish lessen inhibit suppress impair downregul"
     " worsen prevent slow sink senk wenig niedrig"),
    ("before vor earlier", "after nach later"),
    ("maximum most höchstens", "minimum least mindestens"),
    ("allow permit enabl erlaub", "forbid prohibit disabl deni ban verboten"),
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
    """Return *sentence* without the words that deny, so that only what it is about can be compared."""
    return _DENIAL.sub(" ", sentence)


def denials(sentence: str) -> int:
    """Count the words of *sentence* that deny something, in English, German, French and Spanish."""
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
