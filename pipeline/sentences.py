"""Cut text into sentences, and weigh how much of a question a sentence covers."""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

LONGEST = 500
"""A sentence is cut at a gap before this many characters: text without stops is not one quotation."""

_FENCE = re.compile(r"\s*(?:```|~~~)[`~]*\s*[\w+#.-]*\s*$")
_ROW = re.compile(r"\s*\||[^|]*\S \| \S|[^|]*\|[^|]*\||[^\t]*\S\t+\S")
_ITEM = re.compile(r"\s*(?:[-*+•‣◦▪·–]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+\S")
_HEADING = re.compile(r"\s*#{1,6}\s")
_CODE = re.compile(
    r"(?: {4}|\t)\s*\S.*|.*[;{}]\s*|\s*(?:@\w|#include\b|(?:async )?def |class |import |from \w+ import ).*"
    r"|\s*(?:return|function|const|let|var|public|private|static|if|for|while|try|else)\b.*[:(){=]\s*"
)
_FIELD = re.compile(r"\s*[\w.-]{1,40}\s*[:=]\s*\S")
_CONTENT = re.compile(r"\w")
_LEAD = re.compile(r"(?:\s|[-*+•‣◦▪·–>](?=\s)|#{1,6}(?=\s))+")

_STOP = re.compile(
    r"(?:(?<![.!?…])(?:\.{1,3}(?!\.)|[!?…][.!?…]*)[\"'”’»)\]*_]*(?=\s|\[\d)|[。！？｡؟।]+[」』”’）】\"]*)"
    r"(?:\s*\[\d{1,3}\])*\s*"
)
_WORD_BEFORE = re.compile(r"([^\W\d_]+|\d+)$")
_NEVER_LAST = frozenset(
    [
        "dr",
        "mr",
        "mrs",
        "ms",
        "prof",
        "sr",
        "jr",
        "st",
        "vs",
        "fig",
        "figs",
        "nos",
        "vol",
        "pp",
        "eq",
        "approx",
        "dept",
        "ca",
        "cf",
        "eg",
        "ie",
        "resp",
        "incl",
        "etc",
        "usw",
        "bzw",
        "nr",
        "abs",
        "ggf",
        "vgl",
        "inkl",
        "zzgl",
        "evtl",
        "sog",
        "mind",
        "bsp",
        "hr",
        "fr",
        "hrsg",
        "geb",
        "gem",
        "lt",
        "mio",
        "mrd",
        "tsd",
    ]
)
_MAYBE_LAST = frozenset({"etc", "usw"})
_AFTER_ORDINAL = re.compile(
    r"(?:Januar|Jänner|Februar|März|April|Mai|Juni|Juli|August|September|Oktober|November|Dezember"
    r"|Quartal|Jahrhundert|Kapitel|Absatz|Abschnitt|Auflage|Klasse|Stock|Etage|Tag|Woche|Monat|Platz|Halbjahr)\b"
)


def split(text: str) -> list[str]:
    """Return the sentences of *text* in order, white space collapsed, bullets and heading marks left out.

    A list item, a table row, a heading and a line of code count as sentences of their own; lines of running
    text that were wrapped are joined; markers such as ``[1]`` stay with the sentence before them.
    """
    return [" ".join(text[start:end].split()) for start, end in spans(text)]


def spans(text: str) -> list[tuple[int, int]]:
    """Return where the sentences of *text* stand, as half-open ranges of characters."""
    found: list[tuple[int, int]] = []
    for start, end in _blocks(text):
        for piece in _stops(text, start, end):
            found.extend(_pieces(text, *piece))
    return found


def weights(sentences: Iterable[Iterable[str]]) -> dict[str, float]:
    """Return each token's inverse document frequency over *sentences*: ln(1 + n / df)."""
    frequency: Counter[str] = Counter()
    count = 0
    for tokens in sentences:
        frequency.update(set(tokens))
        count += 1
    return {token: math.log(1 + count / df) for token, df in frequency.items()}


def coverage(question: Sequence[str], sentence: Iterable[str], weight: Mapping[str, float]) -> float:
    """Return the share of the question's weight that occurs in the sentence, in [0, 1].

    A token that *weight* does not know weighs as much as the rarest it knows.
    """
    unknown = max(weight.values(), default=1.0)
    wanted = {token: weight.get(token, unknown) for token in question}
    total = sum(wanted.values())
    present = set(sentence)
    return sum(value for token, value in wanted.items() if token in present) / total if total else 0.0


def closeness(cosine: float, covered: float) -> float:
    """Blend meaning and words: how near a sentence is to a question or to a claim, at most 1.

    The weights are the best of a coarse grid on the development questions, where either alone did worse.
    """
    return 0.6 * cosine + 0.4 * covered


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield runs of lines that read on from one to the next."""
    start = end = 0
    previous: str | None = None
    fenced = False
    for line, begin in _lines(text):
        fence = bool(_FENCE.match(line))
        fenced ^= fence
        if previous is not None and (fenced or fence or not _reads_on(previous, line)):
            yield start, end
            previous = None
        if fence or not line.strip():
            continue
        if previous is None:
            start = begin
        previous, end = line, begin + len(line)
    if previous is not None:
        yield start, end


def _lines(text: str) -> Iterator[tuple[str, int]]:
    begin = 0
    for line in text.splitlines(keepends=True):
        yield line.rstrip("\r\n\v\f\x1c\x1d\x1e\x85\u2028\u2029"), begin
        begin += len(line)


def _reads_on(line: str, following: str) -> bool:
    """Tell whether *following* continues the sentence that *line* did not end."""
    if not following.strip() or _stands_alone(line) or _stands_alone(following) or _ITEM.match(following):
        return False
    if _FIELD.match(line) and _FIELD.match(following):
        return False
    short = len(line) < 0.6 * len(following)
    return not (short and following.lstrip()[:1].isupper() and line.rstrip()[-1:].isalnum())


def _stands_alone(line: str) -> bool:
    code = _CODE.fullmatch(line) and not _ITEM.match(line)
    # dots that lead to a page number make a line of a table of contents
    return bool(code or _HEADING.match(line) or _ROW.match(line) or "....." in line)


def _stops(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    begin = start
    for stop in _STOP.finditer(text, start, end):
        if stop.end() < end and _ends_here(text, begin, stop):
            yield begin, stop.end()
            begin = stop.end()
    yield begin, end


def _ends_here(text: str, begin: int, stop: re.Match[str]) -> bool:
    """Tell a full stop from the dot of an abbreviation, an initial or an ordinal number."""
    lower = text[stop.end()].islower()
    if not stop[0].startswith(".") or stop[0].startswith(".."):
        return not lower
    word = _WORD_BEFORE.search(text, max(begin, stop.start() - LONGEST), stop.start())
    if lower:
        return word is not None and len(word[0]) > 3 and word[0].islower() and word[0] not in _NEVER_LAST
    if word is None:
        return True
    if word[0].isdigit():
        numbered = not text[begin : word.start()].strip(" \t([")
        return not numbered and not _AFTER_ORDINAL.match(text, stop.end())
    initial = len(word[0]) == 1 and word[0] != "I"
    return not initial and (word[0].lower() not in _NEVER_LAST or word[0] in _MAYBE_LAST)


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Trim a sentence, cut one that is too long, leave out what holds no word."""
    lead = _LEAD.match(text, start, end)
    start = lead.end() if lead else start
    end = start + len(text[start:end].rstrip())
    while end - start > LONGEST:
        gap = max(text.rfind(mark, start + LONGEST // 2, start + LONGEST) for mark in " \n;,，、；")
        cut = gap + 1 if gap > 0 else start + LONGEST
        yield start, start + len(text[start:cut].rstrip())
        start = cut
    if _CONTENT.search(text, start, end):
        yield start, end
