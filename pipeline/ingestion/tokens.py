"""Text to the tokens that both sparse indexes share: the same function for documents and for queries.

A token is a folded word, a whole code or a part of one, or one or two characters of a script that is written
without spaces. The order of the rules is the order of the functions below.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING

import Stemmer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

TOKENIZER_VERSION = 1
"""Kept with an index; tokens of another version are made anew."""

MAX_TOKEN = 64
"""Characters of the longest token; the rest of a longer run is cut, in documents and queries alike."""

_MAX_PARTS = 8
"""A run with more letter-digit changes than this is a hash or a key, and its parts mean nothing."""

# English function and question words. Words that are also names of things people look for (may, will, can)
# stay: their idf is low enough. The longer list was measured against Lucene's 33 words, see the docs.
_FUNCTION_WORDS = """
    a about am an and any are as at be been being but by could did do does doing done each else every for
    from had has have having he her here hers him his how i if in into is it its just let me my no nor not of
    on or our ours out please shall she should so some such tell than that the their theirs them then there
    these they this those to too up very was we were what when where which while who whom whose why with would
    you your yours
"""
_STOP = frozenset(_FUNCTION_WORDS.split())

# Scripts written without spaces between words, or (hangul) with particles glued to them.
_HAN = r"\u3005\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HANGUL = r"\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3"
_KANA = r"\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"
_SOUTHEAST_ASIA = (
    r"\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ecd\u0edc-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3"
)
_DENSE = _HAN + _HANGUL + _KANA + _SOUTHEAST_ASIA

_FOLDED_MARKS = re.compile(r"[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
"""Accents of Latin, Greek and Cyrillic, points of Hebrew and Arabic; vowel signs (Hindi, Thai) stay."""


def _marks() -> str:
    """Return the combining marks: no word characters to `re`, although words of many scripts hold them."""
    planes = (*range(0x300, 0x1CFF), *range(0xA800, 0xAC00), *range(0x11000, 0x12000))
    return "".join(chr(code) for code in planes if unicodedata.category(chr(code)) in {"Mn", "Mc"})


_JOIN = r"(?:_*[-.@]_*|_+|(?<=\d),(?=\d{3}(?!\d)))"


def _runs(letter: str) -> str:
    """Match a word, or words that single signs hold together, with the signs of .NET, C++ and C#."""
    return rf"(?:(?<![\w.])\.(?=[^\W\d_]))?{letter}+(?:{_JOIN}{letter}+)*(?:\+{{1,2}}(?!\w)|\#(?!\w))?"


_LETTER = rf"(?:[^\W_{_DENSE}]|[{_marks()}])"
_RUN = re.compile(rf"[{_DENSE}]+|{_runs(_LETTER)}")
_ASCII_RUN = re.compile(_runs("[A-Za-z0-9]"))
"""The same where all is ASCII, at a fifth of the time."""

_UNSPACED = re.compile(f"[{_DENSE}]")
_SINGLE = re.compile(f"[{_HAN}{_HANGUL}]")
_CLITIC = re.compile(r"(?<=\w)(?:n't|'(?:s|t|d|m|ll|re|ve))\b", re.IGNORECASE)
_PIECE = re.compile(r"[-._@,+#]+")
_PART = re.compile(r"\d+|[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|[^\W\dA-Za-z]+")
_PLURAL = re.compile(r"[A-Z]{2,}s")
_RELEASE = re.compile(r"v(?=\d)")

_SPELLING = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"),
        **dict.fromkeys("\u2018\u2019\u02bc", "'"),
        **dict.fromkeys("\u00ad\u200b\u200c\u200d\u2060\ufeff", None),
        **{chr(start + digit): str(digit) for start in (0x660, 0x6F0, 0x966) for digit in range(10)},
    }
)
_PLAIN_LETTERS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "ı": "i"}
)
_STEMMED_SCRIPTS = (("\u0620", "\u06d3", "arabic"), ("\u0400", "\u04ff", "russian"))


def analyze(text: str) -> list[str]:
    """Return the tokens of *text* in its order, repeats included; empty when it has no letter or digit.

    - NFKC, case folding, accents off: ``Café`` = ``cafe``, ``Größe`` = ``grosse``. The German ``groesse`` is
      not the same: a second token for it doubles the weight of such words and costs 3 points of recall@1.
    - A code stays whole and is also given in parts: ``ORA-00942`` → ``ora-00942 ora 00942``;
      ``getUserById`` → ``getuserbyid get user id``; ``C++``, ``C#`` and ``.NET`` keep their signs.
    - Scripts without spaces become overlapping pairs of characters; a single Han or hangul character is a
      token besides, because it is a word of its own and may be the whole query.
    - Words of ASCII letters are stemmed (Snowball English); so are Arabic and Cyrillic ones by their script.
      Codes never are.
    - Function words are dropped, unless nothing else is there or they are written as an acronym (``IT``).
    """
    normal = unicodedata.normalize("NFKC", text.translate(_SPELLING)).translate(_SPELLING)
    normal = _CLITIC.sub("", normal)
    return _Analysis(_STOP).tokens(normal) or _Analysis(frozenset()).tokens(normal)


class _Analysis:
    """One pass over one text; it owns its stemmers, which must not be shared between threads."""

    def __init__(self, stop: frozenset[str]) -> None:
        self._stop = stop
        self._stemmers: dict[str, Stemmer.Stemmer] = {}
        self._seen: dict[str, list[str]] = {}
        self._shouting = False

    def tokens(self, text: str) -> list[str]:
        self._shouting = text.isupper()
        found: list[str] = []
        for word in text.split():
            if word not in self._seen:
                # a lone accent folds to nothing
                self._seen[word] = [token for token in self._spaced(word) if token]
            found += self._seen[word]
        return found

    def _spaced(self, word: str) -> Iterable[str]:
        """Yield the tokens of what stands between two spaces."""
        if not word.isascii():
            return (token for run in _RUN.findall(word) for token in self._run(run))
        if word.isalpha() and word.islower():
            return () if word in self._stop else (self._stemmed(word[:MAX_TOKEN], "english"),)
        return (token for run in _ASCII_RUN.findall(word) for token in self._run(run))

    def _run(self, run: str) -> Iterable[str]:
        if _UNSPACED.match(run):
            return _pairs(run)
        if _PLURAL.fullmatch(run):
            return self._word(run[:-1], keep=True)  # PDFs, which the stemmer does not take for a plural
        if not run.isalpha() or _is_mixed_case(run):
            return self._code(run)
        acronym = len(run) > 1 and run.isupper() and not self._shouting
        return self._word(run, keep=acronym)

    def _word(self, word: str, *, keep: bool = False) -> Iterator[str]:
        lower = word.casefold()
        if lower in self._stop and not keep:
            return
        yield self._stem(_fold(lower)[:MAX_TOKEN])

    def _stem(self, word: str) -> str:
        if word.isascii():
            return self._stemmed(word, "english") if word.isalpha() else word
        for first, last, language in _STEMMED_SCRIPTS:
            if first <= word[0] <= last:
                return self._stemmed(word, language)
        return word

    def _stemmed(self, word: str, language: str) -> str:
        if language not in self._stemmers:
            # Size 0: the library's cache would be filled anew for every text and costs more than it saves.
            self._stemmers[language] = Stemmer.Stemmer(language, 0)
        return str(self._stemmers[language].stemWord(word))

    def _code(self, run: str) -> Iterator[str]:
        if "@" in run:
            yield _fold(run)[:MAX_TOKEN]
            for side in run.split("@"):
                yield from self._run(side)
            return
        pieces = [piece for piece in _PIECE.split(run) if piece]
        wholes = _wholes(run, pieces)
        yield from (self._stem(whole[:MAX_TOKEN]) for whole in wholes)
        for piece in pieces:
            yield from self._piece(piece, wholes)

    def _piece(self, piece: str, wholes: list[str]) -> Iterator[str]:
        """Yield a piece between two joints of a code, and what it is made of."""
        parts = [piece[:-1]] if _PLURAL.fullmatch(piece) else _PART.findall(piece)
        if len(parts) > _MAX_PARTS:
            parts = [piece]
        if len(parts) > 1 and _fold(piece) not in wholes:
            yield self._stem(_fold(piece)[:MAX_TOKEN])
        for part in parts:
            if (len(part) > 1 or part.isdigit()) and part.casefold() not in wholes:
                yield from self._word(part)


def _is_mixed_case(word: str) -> bool:
    return not (word.islower() or word.isupper() or word[1:].islower()) and word.casefold() != word


def _wholes(run: str, pieces: list[str]) -> list[str]:
    """Return the forms in which a whole code is looked for."""
    whole = _fold(run).replace(",", "")
    joined = _fold("".join(pieces))
    if len(pieces) > 1 and all(len(piece) == 1 and piece.isalpha() for piece in pieces):
        return [joined]  # U.S.A. is USA
    if "-" not in run:
        release = _RELEASE.match(whole)
        return [whole, whole[release.end() :]] if release and len(pieces) > 1 else [whole]
    if joined.isalpha():
        return [joined]  # e-mail is email
    return [whole, joined] if len(pieces) == 2 and not joined.isdigit() else [whole]


def _fold(word: str) -> str:
    lower = word.casefold()
    if lower.isascii():
        return lower
    bare = _FOLDED_MARKS.sub("", unicodedata.normalize("NFD", lower)).translate(_PLAIN_LETTERS)
    return unicodedata.normalize("NFC", bare)


def _pairs(run: str) -> Iterator[str]:
    """Overlapping pairs of characters, and each character that can be a word alone."""
    for index, character in enumerate(run):
        if len(run) == 1 or _SINGLE.match(character):
            yield character
        if index + 1 < len(run):
            yield run[index : index + 2]
