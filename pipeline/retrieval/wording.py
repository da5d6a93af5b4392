"""Where a question says in plain words that it is to be looked up: in a file that it names, in an upload.

Only what leaves no doubt narrows a search: a name that two files share, a file that is named beside another
one, or an exclusion ("not in …") change nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from datetime import timedelta
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from pipeline.domain import Document

_LEAD: Final = re.compile(
    r"(?:\b(?:only|just|nur|solo|solamente)\s+)?"
    r"\b(?:in|from|within|inside|per|according\s+to|laut|gemäß|aus|en|según|dans|selon)\s+"
    r"(?:(?:the|our|der|die|das|dem|el|la|le)\s+)?"
    r"(?:(?P<kind>file|document|datei|dokument|archivo|documento|fichier)\s+)?"
    r"(?:(?:called|named|namens)\s+)?[\"'“”„‘’«`(*]*$",
    re.IGNORECASE,
)
"""What stands before the name of a file that is to be looked into."""
_OPENING: Final = frozenset("\"'“”„‘«`")
_AND: Final = re.compile(
    r"[\"'”“’»`)*]*(?:\s*,)?\s*(?:(?:and|or|und|oder|y|o|et|ou|&)\s+)?(?:(?:in|from|aus|en)\s+)?[\"'“”„‘«`(*]*",
    re.IGNORECASE,
)
"""What stands between two such names."""
_MORE: Final = re.compile(
    r"(?:\s*,)?\s+(?:and|or|und|oder|y|o|et|ou|&)\s+(?:in\s+)?(?:the|our|my|der|die|das|dem|el|la|le)\s+\w",
    re.IGNORECASE,
)
"""What else is to be looked into, without the name of a file."""
_EXCLUDED: Final = re.compile(
    r"\b(?:not|n['’]t|except|besides|without|outside|excluding|other\s+than|nicht|außer|ohne|excepto|sauf)\b"
    r"[^.?!;]{0,24}$",
    re.IGNORECASE,
)
_CLOSING: Final = re.compile(r"[\"'”“’»`)*]+")
_PART_OF_NAME: Final = re.compile(r"[\w\-]")

_PERIOD: Final = r"(?P<period>today|yesterday|(?:this|last)\s+(?:week|month))"
_THINGS: Final = r"(?:uploads?|files?|documents?|attachments?)"
_PERIODS: Final = (
    re.compile(rf"\b(?:only\s+|just\s+)?(?:in|from)\s+{_PERIOD}['’]s?\s+{_THINGS}\b", re.IGNORECASE),
    re.compile(
        rf"\b(?:only\s+|just\s+)?(?:in|from)\s+(?:the\s+)?{_THINGS}\s+(?:that\s+)?(?:(?:I|we|was|were)\s+)?"
        rf"(?:uploaded|shared|posted|added|from|of)\s+{_PERIOD}\b",
        re.IGNORECASE,
    ),
)
_LATEST: Final = re.compile(
    r"\b(?:only\s+|just\s+)?(?:in|from)\s+the\s+(?:latest|newest|last|most\s+recent)\s+"
    r"(?P<thing>uploads?|file|document|attachment)\b",
    re.IGNORECASE,
)
_LIMITED: Final = re.compile(
    r"\b(?:only|just|nur|solo|solamente)\s+(?:in|from|within|inside|aus|en)\s+[^?!;:\n]{0,80}?\.[a-z]\w{0,7}\b",
    re.IGNORECASE,
)
_TOGETHER: Final = timedelta(minutes=1)
"""Files that came within this time of each other are one upload."""

_SAYING: Final = """
    what's what whats is are does do it say says said there stands written about the a an me us tell give show
    summarize summarise summary overview content contents please can you s of main points
    was ist steht stehen worum geht es fasse fass zusammen zusammenfassung inhalt bitte über gib mir eine den
    qué que dice hay resume resumen di quoi dit résume résumé contenu
"""
_ANYTHING: Final = frozenset(_SAYING.split())
"""Words of a question that asks for no more than what a file is about."""

_QUICK: Final = re.compile(
    rf"\.\w|[\"“„«`]|{_THINGS}|\b(?:only|just|nur|solo|solamente|file|document|datei|dokument|archivo|documento)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowing:
    """The documents that a question is to be answered from, and what it asks of them."""

    document_ids: frozenset[str] | None
    """None: there is a limit in the question, and it cannot be told which files are meant."""
    names: tuple[str, ...]
    """As people know them, in order; what a reply says that it searched."""
    question: str
    """The question without those words, which would be looked for in the files; empty: nothing is left."""


def may_narrow(question: str) -> bool:
    """Tell quickly whether it is worth looking at the catalog; True promises nothing."""
    return _QUICK.search(question) is not None


MOST_MENTIONS: Final = 20
"""A question that names more files is no question."""
_REACH: Final = 80
"""How far before a name the words stand that lead to it."""


def narrowing(question: str, documents: Sequence[Document], now: datetime) -> Narrowing | None:
    """Return what *question* narrows its search to; None: to nothing, or to all the *documents* there are.

    *now* carries the time zone in which days begin; a week begins on Monday.
    """
    question = unicodedata.normalize("NFC", question)
    found = _named(question, documents) or _uploaded(question, documents, now)
    if found is None:
        return Narrowing(document_ids=None, names=(), question=question) if _is_limited(question) else None
    return None if len(found.document_ids or ()) == len(documents) else found


def _is_limited(question: str) -> bool:
    """Tell whether it is said in so many words that not all files are to be searched."""
    return any(pattern.search(question) for pattern in (_LIMITED, *_PERIODS, _LATEST))


@dataclass(frozen=True, slots=True)
class _Mention:
    start: int
    """Where the words begin that lead to the name."""
    end: int
    document: Document


def _named(question: str, documents: Sequence[Document]) -> Narrowing | None:
    mentions: list[_Mention] = []
    for start, end, document in _names_in(question, documents):
        if document is None or _EXCLUDED.search(question, max(0, start - _REACH), start):
            return None
        before = mentions[-1] if mentions else None
        lead = _LEAD.search(question, max(0, start - _REACH), start)
        if before is not None and _AND.fullmatch(question, before.end, start):
            begin = before.end
        elif lead is not None:
            begin = lead.start()
        else:
            return None  # named for another purpose: to be compared, say
        closing = _CLOSING.match(question, end)
        mentions.append(_Mention(begin, closing.end() if closing else end, document))
    if not mentions or _MORE.match(question, mentions[-1].end):
        return None
    chosen = list({mention.document.document_id: mention.document for mention in mentions}.values())
    return _narrowed(question, [(mention.start, mention.end) for mention in mentions], chosen)


def _names_in(question: str, documents: Sequence[Document]) -> list[tuple[int, int, Document | None]]:
    """Return where files are named, in order, and which is meant; None: more than one could be."""
    text = _folded(question)
    taken: list[tuple[int, int, Document | None]] = []
    for name, meant in sorted(_aliases(documents).items(), key=lambda each: -len(each[0])):
        for start, end in _occurrences(text, name.alias):
            overlaps = any(start < other_end and other_start < end for other_start, other_end, _ in taken)
            if not overlaps and (name.whole or _is_led_to(question, start)):
                taken.append((start, end, meant[0] if len(meant) == 1 else None))
            if len(taken) > MOST_MENTIONS:
                return []
    return sorted(taken, key=lambda each: each[0])


@dataclass(frozen=True, slots=True)
class _Alias:
    alias: str
    whole: bool
    """With its ending, so that it can be nothing but a file's name."""

    def __len__(self) -> int:
        return len(self.alias)


def _aliases(documents: Sequence[Document]) -> Mapping[_Alias, list[Document]]:
    """Return by what each file may be called: its name, that without folders, both without their ending."""
    found: defaultdict[_Alias, list[Document]] = defaultdict(list)
    for document in documents:
        path = PurePosixPath(document.display_name)
        for alias in {document.display_name, path.name} - {""}:
            found[_Alias(_folded(alias), bool(path.suffix))].append(document)
        if path.suffix and len(path.stem) > 2:
            found[_Alias(_folded(path.stem), False)].append(document)
    return found


def _folded(text: str) -> str:
    """Return *text* for comparing, of the same length: letters that grow when they are folded stay."""
    letters = ((letter, letter.casefold()) for letter in unicodedata.normalize("NFC", text))
    return "".join(folded if len(folded) == 1 else letter for letter, folded in letters)


def _is_led_to(question: str, start: int) -> bool:
    """Tell whether a word at *start* that could be any word is called a file."""
    lead = _LEAD.search(question, max(0, start - _REACH), start)
    return lead is not None and (lead["kind"] is not None or lead[0][-1:] in _OPENING)


def _occurrences(text: str, name: str) -> list[tuple[int, int]]:
    found, start = [], text.find(name)
    while start >= 0:
        end = start + len(name)
        around = text[max(0, start - 1) : start], text[end : end + 1]
        # "hr-policy.pdf" names no "policy.pdf", but "policy.pdf." ends a sentence
        if not any(_PART_OF_NAME.match(character) for character in around) and around[0] not in {"/", "."}:
            found.append((start, end))
        start = text.find(name, end)
    return found


def _uploaded(question: str, documents: Sequence[Document], now: datetime) -> Narrowing | None:
    for pattern in _PERIODS:
        if (match := pattern.search(question)) is not None:
            return _picked(question, match, documents, _within(match["period"], now))
    if (match := _LATEST.search(question)) is None or not documents:
        return None
    newest = max(document.uploaded_at for document in documents)
    found = _picked(question, match, documents, lambda when: newest - when <= _TOGETHER)
    single = not match["thing"].lower().startswith("upload")
    return None if found is None or (single and len(found.names) > 1) else found


def _picked(
    question: str, match: re.Match[str], documents: Sequence[Document], fits: Callable[[datetime], bool]
) -> Narrowing | None:
    chosen = [document for document in documents if fits(document.uploaded_at)]
    if not chosen or _EXCLUDED.search(question, 0, match.start()):
        return None
    return _narrowed(question, [match.span()], chosen)


def _within(period: str, now: datetime) -> Callable[[datetime], bool]:
    """Return what tells whether a moment lies in a *period* such as ``last week``."""
    words = period.lower().split()
    begin = now.replace(hour=0, minute=0, second=0, microsecond=0)
    match words:
        case ["today"]:
            end = begin + timedelta(days=1)
        case ["yesterday"]:
            begin, end = begin - timedelta(days=1), begin
        case [which, "week"]:
            monday = begin - timedelta(days=now.weekday())
            begin, end = _this_or_last(which, monday, timedelta(days=7))
        case [which, _]:
            first = begin.replace(day=1)
            length = (
                timedelta(days=31) if which == "this" else timedelta(days=(first - timedelta(days=1)).day)
            )
            begin, end = _this_or_last(which, first, length)
    return lambda when: begin <= when < end


def _this_or_last(which: str, start: datetime, length: timedelta) -> tuple[datetime, datetime]:
    return (start, start + length) if which == "this" else (start - length, start)


def _narrowed(question: str, spans: Sequence[tuple[int, int]], chosen: Sequence[Document]) -> Narrowing:
    rest, position = [], 0
    for start, end in spans:
        rest.append(question[position:start])
        position = end
    left = re.sub(r"[\s,;:]+([?!.])", r"\1", " ".join(" ".join([*rest, question[position:]]).split()))
    return Narrowing(
        document_ids=frozenset(document.document_id for document in chosen),
        names=tuple(sorted(document.display_name for document in chosen)),
        question="" if _asks_for_all(left) else left.lstrip(" ,;:"),
    )


def _asks_for_all(rest: str) -> bool:
    """Tell whether nothing is asked but what the file says: "What is?", "Was steht?", "Summarize"."""
    return all(word.casefold() in _ANYTHING for word in re.findall(r"[^\W\d_]+", rest))
