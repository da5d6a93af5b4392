"""Blocks to the pieces that are found and cited: never across a section, cut where the text itself pauses."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from pipeline.domain import SECTIONS, Place
from pipeline.ingestion.blocks import Kind
from pipeline.ingestion.runs import Run

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.ingestion.blocks import Block, Loaded

TARGET_CHARS = 950
"""MiniLM reads 256 word pieces at once, about 1,100 characters of English, and a piece should fit.

Chosen by measurement, see docs/retrieval.md: what pieces of 800 to 1,100 characters find differs by less
than the uncertainty; with this size the hybrid search is behind no window within 5,000 characters of context.
An overlap of 100 to 250 characters gains .02 on conversations and loses .005 on articles, so there is none.
"""
MAX_CHARS = 1_500
"""Code and tables stay whole up to here: cut in two, neither half can be read."""
SLACK = 1.1
"""Text up to this many times the target stays whole, rather than leave two halves."""
EARLIEST, LATEST = 0.5, 1.2
"""Where a cut is looked for, in parts of a piece's fair share of what is left."""
SHORT_LEAD = 0.25
"""Text shorter than this part of the target stays with the table or the code that it introduces."""
MAX_SECTION_CHARS = 400
MAX_HEADER_SHARE = 0.4

_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_SENTENCE = re.compile(r"[.!?…][\"'”’»)\]]*\s+|[。！？][」』”’）]*")
_LINE = re.compile(r"\n")
_WORD = re.compile(r"\s+")
_CELL = re.compile(r" \| ")
_TOKEN = re.compile(r"[;,{}]\s*|\s+")
_PAUSES = {
    Kind.CODE: (_PARAGRAPH, _LINE, _TOKEN),
    Kind.TABLE: (_LINE, _CELL, _WORD),
}
_PAUSES_IN_TEXT = (_PARAGRAPH, _SENTENCE, _LINE, _WORD)
_NUMBERING = re.compile(r"^[ \t]*(?:\d{1,3}|[IVXLivxl]{1,6}|[A-Za-z])(?:\.\d{1,3})*[.)]\s*\Z", re.MULTILINE)
_NUMBERING_CHARS = 24
"""A number with its spaces is shorter, so no more is looked at, however long the line."""
_MEANS = re.compile(r"\w")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkLimits:
    """Sizes of pieces, in characters."""

    target: int = TARGET_CHARS
    maximum: int = MAX_CHARS
    """Never exceeded, whatever the input."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of text and exactly where it stands."""

    text: str
    place: Place


def chunk(loaded: Loaded, *, limits: ChunkLimits | None = None) -> list[Piece]:
    """Cut a document into pieces in reading order; every word is in one, in time linear in their number."""
    sizes = limits or ChunkLimits()
    return [piece for run in _runs(loaded.blocks) for piece in _pieces(run, sizes)]


def _runs(blocks: tuple[Block, ...]) -> Iterator[Run]:
    """Group neighbours of one section and page; a heading without text waits for its first subsection."""
    waiting: list[Block] = []
    for (path, page), group in groupby(blocks, key=lambda block: (block.path, block.page)):
        section = list(group)
        if waiting and (path[: len(waiting[-1].path)] != waiting[-1].path or page != waiting[-1].page):
            yield Run(waiting)
            waiting = []
        waiting += section
        if any(block.kind is not Kind.HEADING for block in section):
            yield Run(waiting)
            waiting = []
    if waiting:
        yield Run(waiting)


def _pieces(run: Run, limits: ChunkLimits) -> Iterator[Piece]:
    start = 0
    section = _section(run.path)
    while start < len(run.text):
        header = _header(run.header_at(start), limits)
        end = _cut(run, start, limits, len(header))
        first, last = _trimmed(run, start, end)
        if _MEANS.search(run.text, first, last):
            place = Place(
                page=run.page,
                lines=run.lines(first, last),
                section=section,
                unit=run.unit,
                page_label=run.page_label,
            )
            yield Piece(text=header + run.text[first:last], place=place)
        start = end


def _header(header: str, limits: ChunkLimits) -> str:
    return header[: int(MAX_HEADER_SHARE * limits.target)] + "\n" if header else ""


def _trimmed(run: Run, start: int, end: int) -> tuple[int, int]:
    """Leave out white space at both ends, except the indentation of code's first line."""
    text = run.text[start:end]
    first = len(text) - len(text.lstrip())
    if run.blocks[run.index_at(start + first)].kind is Kind.CODE:
        first = text.rfind("\n", 0, first) + 1
    return start + first, start + max(len(text.rstrip()), first)


def _cut(run: Run, start: int, limits: ChunkLimits, reserved: int) -> int:
    """Return where the piece that begins at *start* ends."""
    left = len(run.text) - start
    target, maximum = limits.target - reserved, limits.maximum - reserved
    if left <= (maximum if run.has_wholes else min(SLACK * target, maximum)):
        return len(run.text)
    share = left / math.ceil(left / target)
    low, high = start + int(EARLIEST * share) + 1, start + int(min(LATEST * share, maximum))
    hard = max(int(start + share), start + 1)
    cut = _pause(run, low, start + share, high) or _word_border(run, start, low, start + maximum) or hard
    begin, end = run.whole_at(cut)
    if not begin < cut < end or end - begin > maximum:
        return cut
    if begin - start > SHORT_LEAD * target:
        return begin
    return end if end - start <= maximum else cut


def _pause(run: Run, low: int, ideal: float, high: int) -> int | None:
    """Return the strongest pause between *low* and *high*, of several the one nearest to *ideal*."""
    kind = run.blocks[run.index_at(int(ideal))].kind
    for rows in (False, True):
        if borders := run.borders(low, high, rows=rows):
            return min(borders, key=lambda position: abs(position - ideal))
    for pattern in _PAUSES.get(kind, _PAUSES_IN_TEXT):
        ends = [
            match.end()
            for match in pattern.finditer(run.text, low, high)
            if kind in _PAUSES or not _follows_number(run.text, match)
        ]
        if ends:
            return min(ends, key=lambda position: abs(position - ideal))
    return None


def _follows_number(text: str, pause: re.Match[str]) -> bool:
    """Tell whether *pause* is the one between a heading or a list entry and its number ("2. Pension")."""
    earliest = max(pause.start() - _NUMBERING_CHARS, 0)
    return _NUMBERING.search(text, earliest, pause.end()) is not None


def _word_border(run: Run, start: int, low: int, latest: int) -> int | None:
    """Return the last gap between words before *low*, or the next one: no piece ends within a word."""
    before = max((match.end() for match in _WORD.finditer(run.text, start + 1, low)), default=None)
    after = _WORD.search(run.text, low, int(latest))
    return before or (after.end() if after else None)


def _section(path: tuple[str, ...]) -> str | None:
    """Join a heading path; of a very long one the outermost and the innermost headings."""
    whole = SECTIONS.join(path)
    if len(whole) <= MAX_SECTION_CHARS:
        return whole or None
    inner = path[-1]
    for heading in reversed(path[1:-1]):
        if len(path[0]) + len(inner) + len(heading) + len(" > … > ") + len(" > ") > MAX_SECTION_CHARS:
            break
        inner = f"{heading} > {inner}"
    return f"{path[0]} > … > {inner}"
