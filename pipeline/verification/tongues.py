"""Whether a statement and its source are written in different languages, as far as a few words tell."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

_FREQUENT: Final = {
    "en": """the of and to in is are was were be been for on with that this it as by from not or at have
        has you your we our they their can will may must if which when who how what an a i no do does
        every each than but per am die war hat son plus con pro door met par also me so los las""",
    "de": """der die das und ist in zu den dem des ein eine einen einem einer nicht mit von für auf im am
        an bei sich sind wird werden es sie wir er auch als nach oder aus zum zur kann können muss
        müssen darf dürfen hat haben war beträgt kostet gibt wenn nur bis vor pro ihre ihr kein keine
        dass""",
    "fr": """le la les de des du un une et est en à au aux dans que qui pour par sur pas ne ce cette ces il
        elle ils sont avec son sa ses ou être vous nous leur leurs se plus peut doit""",
    "es": """el la los las de del un una y es en a al que por para con no se su sus lo como más o este esta
        son está ser hay cada puede debe cuesta""",
    "it": """il lo la i gli le di del della dei delle un una uno e è in a al alla che per con non si su
        sono da dal nel nella come più o ogni questo questa può""",
    "pt": """o a os as de do da dos das um uma e é em no na nos nas que por para com não se seu sua são ao
        à mais ou cada pode deve""",
    "nl": """de het een en is in van op te dat die voor met niet aan zijn er om bij of door naar worden
        wordt ook als uit kan moet per was heeft""",
}  # fmt: skip
"""Frequent words; those that are English words too stand in both, so that one of them proves nothing."""

_SCRIPTS: Final = {
    "ja": r"\u3040-\u30ff",
    "zh": r"\u4e00-\u9fff",
    "ko": r"\uac00-\ud7af",
    "cyrillic": r"\u0400-\u052f",
    "greek": r"\u0370-\u03ff",
    "arabic": r"\u0600-\u06ff\u0750-\u077f",
    "hebrew": r"\u0590-\u05ff",
    "indic": r"\u0900-\u0dff",
    "thai": r"\u0e00-\u0e7f",
}
_SIGNS: Final = {tongue: re.compile(f"[{signs}]") for tongue, signs in _SCRIPTS.items()}
_TONGUES: Final = {tongue: frozenset(words.split()) for tongue, words in _FREQUENT.items()}
FREQUENT: Final = frozenset().union(*_TONGUES.values())
"""Words that name nothing."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_LETTER: Final = re.compile(r"[^\W\d_]")

ENOUGH: Final = 2
"""Frequent words of a language from which a sentence shows that it is written in it."""

PART: Final = 0.2
"""Share of the letters from which a script counts as one that a text is written in."""

READ_TO: Final = {"en": 1000, "de": 1000, "zh": 1000, "ja": 1000, "es": 20, "fr": 20}
"""Up to which number words are read in a language, see `pipeline.verification.numerals`."""


def tongues(text: str) -> frozenset[str]:
    """Return the languages that *text* may be written in; none where it has no letters.

    Languages with a script of their own are told by it, the others by their most frequent words:
    those of which at least half as many stand there as of the first. Few Latin letters may be any of these.
    """
    found, counts = _scripts(text), _counts(text)
    most = max(counts.values(), default=0)
    if most >= ENOUGH:
        found |= {tongue for tongue, count in counts.items() if 2 * count >= most}
    return frozenset(found or (_TONGUES if _LETTER.search(text) else ()))


def statement_tongues(statement: str, answer: str) -> frozenset[str]:
    """Return the languages of a statement; one too short to show its own has those of its answer."""
    for text, enough in ((statement, ENOUGH), (answer, 1)):
        found, counts = _scripts(text), _counts(text)
        most = max(counts.values(), default=0)
        if found or most >= enough:
            return frozenset(found or {tongue for tongue, count in counts.items() if count == most})
    return tongues(statement)


def is_abroad(statement: str, answer: str, known: frozenset[str]) -> bool:
    """Tell whether a statement of *answer* is in none of the languages of its source, which are *known*."""
    own = statement_tongues(statement, answer)
    return bool(own and known) and own.isdisjoint(known)


def _scripts(text: str) -> set[str]:
    if text.isascii():
        return set()
    letters = max(1, len(_LETTER.findall(text)))
    found = {tongue for tongue, sign in _SIGNS.items() if len(sign.findall(text)) >= PART * letters}
    return found - {"zh"} if "ja" in found else found  # Japanese is written with Chinese signs too


def _counts(text: str) -> Counter[str]:
    words = _WORD.findall(text.lower())
    return Counter(tongue for word in words for tongue, own in _TONGUES.items() if word in own)
