"""Names and codes that a claim mentions, and whether a source has them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pipeline.verification.dates import find_days
from pipeline.verification.numbers import LETTER, NO_MILLIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    Analyze = Callable[[str], list[str]]

_LETTERS: Final = rf"[{LETTER}]"
CODE: Final = re.compile(
    rf"(?<![\d_{LETTER}])(?:{_LETTERS}++[-./]?\d[\d{LETTER}_./-]*"
    rf"|{_LETTERS}++(?:[-_]{_LETTERS}++){{0,9}}[-_]\d[\d{LETTER}_./-]*"
    rf"|{NO_MILLIONS}\d+(?:\.\d+){{2,}}[\d{LETTER}_-]*|(?<![^\W\d_])[^\W\d_]++(?:_[^\W\d_]++)+|[a-z]++(?:[A-Z][a-z]++)+)"
)
"""ORA-00942, INV-2026-1001, x86, 2.13.4, max_bytes, getUser.

No run is read twice, so that noise takes linear time.
"""

_VERSION: Final = re.compile(r"\d+(?:\.\d+){2,}")
_NUMBERED: Final = re.compile(r"^[vV](?=\d+(?:\.\d+){2})")
_WORD: Final = re.compile(r"[^\W\d_][\w'’&-]*")
_OPENING: Final = re.compile(r"(?:[.!?:;•|>]|\d[.)]|^)[\s\"'“”„«»‘’(\[*_#-]*$")
_NO_NAMES: Final = """
    i mon tue wed thu fri sat sun monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december english mr mrs ms dr
"""
_SMALL: Final = frozenset(_NO_NAMES.split())
_FREQUENT: Final = """
    the of and to in is are was were for that with as by it on be from this an or which has have not a at
"""
_ENGLISH: Final = frozenset(_FREQUENT.split())
_BEFORE: Final = 40
"""Characters before a word that may open its sentence."""

MANY: Final = 0.4
"""Share of capitalised words above which capitals name nothing: a heading, or a language like German."""


def find_codes(text: str) -> list[str]:
    """Return the codes of *text*: words with digits after letters, versions, names of programs' things.

    A version is one without its v. A date is none, though it may look like a version: 03.05.2024.
    """
    codes = (_NUMBERED.sub("", match[0].rstrip(".-/")) for match in CODE.finditer(text))
    return [code for code in codes if find_days(code)[1].strip()]


def is_telling(code: str) -> bool:
    """Tell whether *code* names one thing among many of its kind, as INV-2026-1001 and 2.13.4 do."""
    return sum(map(str.isdigit, code)) >= 4 or bool(_VERSION.fullmatch(code))


def find_names(text: str) -> list[str]:
    """Return the capitalised words of *text* that begin no sentence; none where it is not English.

    German writes every noun with a capital, and other scripts have none.
    """
    words = list(_WORD.finditer(text))
    if not is_english([word[0] for word in words]):
        return []
    inner = [word for word in words if not _opens(text, word.start())]
    capital = [word[0] for word in inner if word[0][0].isupper()]
    if len(capital) > MANY * len(inner):
        return []
    return [_bare(word) for word in capital if _bare(word).lower() not in _SMALL]


def _opens(text: str, start: int) -> bool:
    """Tell whether what begins at *start* opens a sentence."""
    return bool(_OPENING.search(text, max(0, start - _BEFORE), start))


def is_english(words: Collection[str]) -> bool:
    """Tell whether *words* read like English: every eighth is one of its most frequent words."""
    frequent = sum(word.lower() in _ENGLISH for word in words)
    return bool(words) and frequent * 8 >= len(words)


def missing(names: Collection[str], known: str, analyze: Analyze) -> list[str]:
    """Return those of *names* of which *known* has no spelling: as it stands, or in its parts."""
    flat, tokens = _flat(known), frozenset(analyze(known))
    lost = (name for name in dict.fromkeys(names) if _flat(name) not in flat)
    return [name for name in lost if not _in_parts(name, flat, tokens, analyze)]


def _in_parts(name: str, flat: str, tokens: frozenset[str], analyze: Analyze) -> bool:
    """Look for a name among the analyzer's tokens, and for its telling parts: Rad53 of Rad53-dependent."""
    own = analyze(name)
    if own and own[0] in tokens:
        return True
    telling = [part for part in re.split(r"[-/]", name) if re.search(r"[A-Z\d]", part)]
    return len(telling) > 0 and telling != [name] and all(_flat(part) in flat for part in telling)


def _flat(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()


def _bare(word: str) -> str:
    return re.sub(r"['’]s?$", "", word)
