"""Text as eyes read it, whatever characters it is written with: for rules that look for words and signs."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_HIDDEN: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff]"
)
"""Default-ignorable characters of Unicode. The last range can spell a whole text that nobody sees."""

_LOOKALIKES: Final = str.maketrans(
    "аеорсухіѕјһԁԛԝкмтпгАВЕКМНОРСТУХІЅЈοανιρτυκγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",  # lookalikes are the point
    "aeopcyxisjhdqwkmtnrABEKMHOPCTYXISJoaviptukyABEZHIKMNOPTYX",
)
"""Cyrillic and Greek letters that look like Latin ones."""

_MIXED: Final = re.compile(
    r"(?=[^\W\d_]*[A-Za-z])(?=[A-Za-z]*[\u0370-\u03ff\u0400-\u052f])[A-Za-z\u0370-\u03ff\u0400-\u052f]+"
)
"""A word with letters of two scripts, which no language writes."""

_LOOSE_MARKS: Final = re.compile(r"(?<=[A-Za-z])[\u0300-\u036f]+")


def visible(text: str) -> str:
    """Return *text* without the characters that nobody sees."""
    return _HIDDEN.sub("", text)


def folded(text: str) -> str:
    """Return *text* in the plainest characters that look like it; its length may change.

    Full-width, circled and mathematical letters become plain ones, as do Cyrillic and Greek ones in the midst
    of Latin letters. Text that is written in another script stays as it is.
    """
    plain = _LOOSE_MARKS.sub("", unicodedata.normalize("NFKC", visible(text)))
    return _MIXED.sub(lambda word: word[0].translate(_LOOKALIKES), plain)
