"""Which lines or rows of a passage stand behind an answer, where its text tells."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from pipeline.domain import SECTIONS, Unit
from pipeline.sentences import spans

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline.domain import Chunk, Place

    Analyze = Callable[[str], list[str]]
    Lines = tuple[int, int]

_CELLS = " | "
_MARKDOWN_HEADER_LINES = 2


def cited_lines(chunk: Chunk, sentence: str, claims: str, analyze: Analyze) -> Lines | None:
    """Return the first and last line of *chunk* that hold *sentence* and what else *claims* say of it.

    *sentence* is one of the chunk's as `pipeline.sentences.split` writes it. A word of *claims* that stands
    only in other lines counts these in, unless it names a column. Returns None where lines cannot be told.
    """
    lines = chunk.text.split("\n")
    numbers = line_numbers(chunk)
    names = _names(lines, chunk, numbers)
    chosen = [index for index in _lines_of(chunk.text, sentence) if index >= names]
    found = [frozenset(analyze(line)) for line in lines]
    said = _union([*found[:names], *(found[index] for index in chosen)])
    missing = (frozenset(analyze(claims)) & _union(found)) - said
    while missing:
        best = max(range(names, len(lines)), key=lambda index: len(found[index] & missing))
        chosen.append(best)
        missing -= found[best]
    known = [number for number in (numbers[index] for index in chosen) if number is not None]
    return (min(known), max(known)) if known and len(known) == len(chosen) else None


def line_numbers(chunk: Chunk) -> list[int | None]:
    """Return for each line of a chunk's text its number in the file; None: not in its place, or not known.

    Text and place leave two things open: whether something was put above it, as a table's header is, and how
    many empty lines or rows became one. So lines are counted from the end as far as none is empty; all of
    them only where their number shows that none was left out.
    """
    lines = chunk.text.split("\n")
    if chunk.place.lines is None:
        return [None] * len(lines)
    first, last = chunk.place.lines
    added = len(lines) - (last - first + 1)
    if added == _most_added(lines, chunk):
        begin = added
    elif "" in lines:
        begin = len(lines) - lines[::-1].index("")
    else:
        begin = abs(added)  # fewer than there were: of headings at the beginning, the underlines
    return [None if index < begin else last - (len(lines) - 1 - index) for index in range(len(lines))]


def _most_added(lines: Sequence[str], chunk: Chunk) -> int:
    """Return how many lines can have been put above those of the file: header or name of a sheet."""
    if _begins_sheet(lines, chunk.place):
        return 1
    if chunk.chunk_index == 0 or not _is_table(lines, chunk.place):
        return 0
    return _MARKDOWN_HEADER_LINES if chunk.place.unit is None else 1


def _begins_sheet(lines: Sequence[str], place: Place) -> bool:
    return place.unit is Unit.SHEET and lines[0] == (place.section or "").rpartition(SECTIONS)[2]


def _is_table(lines: Sequence[str], place: Place) -> bool:
    return place.unit is not None or "|" in lines[0]


def _names(lines: Sequence[str], chunk: Chunk, numbers: Sequence[int | None]) -> int:
    """Return how many lines at the beginning name a table and its columns."""
    if chunk.place.unit is None:
        return 0
    if chunk.chunk_index == 0 or numbers[0] == 1 or _begins_sheet(lines, chunk.place):
        return next((index + 1 for index, line in enumerate(lines) if _CELLS in line), 1)
    is_repeated = None not in numbers[1:2] and numbers[0] is None
    return 1 if is_repeated else 0


def _lines_of(text: str, sentence: str) -> list[int]:
    """Return the indices of the lines that *sentence* stands in, [] if in none."""
    places = ((start, end) for start, end in spans(text) if " ".join(text[start:end].split()) == sentence)
    return [
        index
        for start, end in islice(places, 1)
        for index in range(text.count("\n", 0, start), text.count("\n", 0, end) + 1)
    ]


def _union(lines: Sequence[frozenset[str]]) -> frozenset[str]:
    return frozenset().union(*lines)
