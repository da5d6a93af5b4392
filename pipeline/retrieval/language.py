"""Whether a question is written in English, for models and figures that know nothing else."""

from __future__ import annotations

import re
from typing import Final

_ENGLISH_WORDS: Final = """
    a an and are at by can did do does for from had has have how i in is it my of on or that the their there
    they this to was we were what when where which who whom whose why will with would you your
"""
_OTHER_WORDS: Final = """
    aber auch auf aus bei das dass dem der eine einem einen einer eines für ist nach nicht oder sich sie sind
    und vom von wann warum welche welchem welchen welcher welches wem wen wer werden wie wieviel wir wird wo
    wurde wurden zu zum zur
    aux avec ce cette dans du elle et leur nous où pas quand que quel quelle quelles quels qui quoi sont une
    vous
    como cual cuales cuando cuanto cuantos desde donde ella entre esta fue los las para pero por quien una
    che chi cosa dei della delle gli nella perche qual quale quali quando sono
    foi não onde quem uma
    een het hoe niet wat welke zijn
"""
"""Function words of German, French, Spanish, Italian, Portuguese and Dutch that are no English words."""

_ENGLISH: Final = frozenset(_ENGLISH_WORDS.split())
_OTHERS: Final = frozenset(_OTHER_WORDS.split())
_WORD: Final = re.compile(r"[^\W\d_]+")


def foreign(text: str) -> bool:
    """Tell whether *text* shows that it is not English: a letter that English lacks, or function words.

    In doubt it is English. A borrowed word or a name with an accent is taken for a sign of another language,
    so a wrong answer must cost little. Measured in docs/retrieval.md.
    """
    if any(character.isalpha() and not character.isascii() for character in text):
        return True
    words = _WORD.findall(text.lower())
    return sum(word in _OTHERS for word in words) > sum(word in _ENGLISH for word in words)
