"""Which language a text is in, and which of its words say nothing alone; told by words and scripts."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

from stopwordsiso import stopwords

_ENGLISH_WORDS: Final = """
    a about am an and any are as at be been being but by can could did do does doing for from had has have he
    her here hers him his how i if in into is it its just let me my no nor not of on or our ours out please
    shall she should so some such tell than that the their theirs them then there these they this those to too
    up very was we were what when where which who whom whose why will with would you your yours
"""
_ENGLISH: Final = frozenset(_ENGLISH_WORDS.split())
"""The list of stopwordsiso holds 1,298 words, names of countries and of months among them."""

_LATIN: Final = ("de", "es", "fr", "it", "pt", "nl", "sv", "da", "no", "fi", "pl", "cs", "hu", "ro", "tr")
_SCRIPTS: Final = (
    (re.compile(r"[\u3040-\u30ff]"), ("ja",)),
    (re.compile(r"[\uac00-\ud7a3]"), ("ko",)),
    (re.compile(r"[\u3400-\u9fff]"), ("zh",)),
    (re.compile(r"[\u0620-\u06ff]"), ("ar", "fa", "ur")),
    (re.compile(r"[\u0400-\u04ff]"), ("ru", "uk", "bg")),
    (re.compile(r"[\u0370-\u03ff]"), ("el",)),
    (re.compile(r"[\u0590-\u05ff]"), ("he",)),
    (re.compile(r"[\u0900-\u097f]"), ("hi",)),
    (re.compile(r"[\u0e00-\u0e7f]"), ("th",)),
)
"""Scripts and the languages that are told apart in each; kana first, for Japanese is written in Han too."""
_UNSPACED: Final = frozenset({"ja", "ko", "zh", "th"})
_ALIKE: Final = (frozenset(_LATIN), *(frozenset(codes) for _, codes in _SCRIPTS), frozenset({"ja", "zh"}))
"""Languages that a short question is not enough to tell apart."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_SPOKEN: Final = re.compile(r"\w+(?:'\w+)?")
_LATIN_WORD: Final = re.compile(r"[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]+")
_ACCENTED: Final = re.compile(r"[^\W\d_a-zA-Z]")
_OTHER_LETTER: Final = re.compile(r"[^\W\d_A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")


def language_of(text: str) -> str | None:
    """Return the ISO 639-1 code of the language that *text* is written in; None: it does not show.

    In words of Latin letters its function words tell: two of them, and more than are English ones; with an
    accent one is enough, and as many. Elsewhere the script tells, and function words where languages share
    it. Measured in docs/retrieval.md.
    """
    words = _words(text)
    if not is_latin(text):
        candidates = next((codes for script, codes in _SCRIPTS if script.search(text)), ())
        return max(candidates, key=lambda code: _count(words, code), default=None)
    english = _count(words, "en")
    likeliest = max(_LATIN, key=lambda code: _count(words, code))
    least = max(english, 1) if _ACCENTED.search(text) else max(english, 1) + 1
    if _count(words, likeliest) >= least:
        return likeliest
    return "en" if english else None


def is_latin(text: str) -> bool:
    """Tell whether *text* has at least as many Latin words as it has letters of other scripts."""
    return len(_OTHER_LETTER.findall(text)) <= len(_LATIN_WORD.findall(text))


def foreign(text: str) -> bool:
    """Tell whether *text* shows that it is not English; in doubt it is English.

    A borrowed word in a text without function words is taken for a sign of another language, so a wrong
    answer must cost little.
    """
    language = language_of(text)
    return language != "en" if language else _ACCENTED.search(text) is not None


def differ(one: str, other: str) -> bool:
    """Tell whether two texts are certainly in different languages; Spanish may be taken for Portuguese."""
    codes = {language_of(one), language_of(other)}
    return len(codes) > 1 and None not in codes and not any(codes <= alike for alike in _ALIKE)


def without_function_words(text: str) -> str:
    """Return *text* without the words that say nothing alone in its language; all of it in doubt."""
    language = language_of(text)
    if language is None:
        return text
    if language in _UNSPACED:
        return _glued(language).sub(" ", text)
    words = _function_words(language)
    return _WORD.sub(lambda word: " " if word[0].casefold() in words else word[0], text)


def own_words(text: str) -> list[str]:
    """Return the words of *text* that are not among the commonest of its language.

    "leave" in "When does it leave?", none in "Whom do I ask?".
    """
    language = language_of(text) or "en"
    if language in _UNSPACED:
        return _WORD.findall(without_function_words(text))
    return [
        word for word in _SPOKEN.findall(text.casefold().replace("’", "'")) if word not in _common(language)
    ]


def _words(text: str) -> list[str]:
    """Return the words of *text* that may be function words: ``IT`` and ``MIT`` are none."""
    shouted = text.isupper()
    return [
        word.casefold() for word in _WORD.findall(text) if shouted or len(word) == 1 or not word.isupper()
    ]


def _count(words: list[str], language: str) -> int:
    known = _function_words(language)
    return sum(word in known for word in words)


@cache
def _function_words(language: str) -> frozenset[str]:
    """Return the function words of *language*; where English has the word too, it is English."""
    if language == "en":
        return _ENGLISH
    return frozenset(word for word in stopwords(language) if len(word) > 1) - _ENGLISH


@cache
def _common(language: str) -> frozenset[str]:
    """Return the commonest words of *language*, "first" and "take" and "need" among those of English."""
    return frozenset(stopwords(language))


@cache
def _glued(language: str) -> re.Pattern[str]:
    """Match a function word of a language that is written without spaces, the longest first."""
    words = sorted(stopwords(language), key=lambda word: (-len(word), word))
    return re.compile("|".join(map(re.escape, words)))
