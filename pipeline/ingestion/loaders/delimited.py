"""CSV and its relatives: the delimiter is found by trying, quoted line breaks are kept apart from rows."""

from __future__ import annotations

import csv
import re
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from pipeline.domain import Unit
from pipeline.ingestion.blocks import Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.rows import Row, table

if TYPE_CHECKING:
    from collections.abc import Iterator

DELIMITERS = ",;\t|"
MAX_CELL_LINES = 100
"""A cell over more lines is a quotation mark that was never closed, and has swallowed the rows after it."""
_SAMPLE_ROWS = 50
_DECLARED = re.compile(r"sep=(.)")


def load(upload: Upload) -> Loaded:
    """Read a table whose first row names the columns; `Block.lines` are its rows, the header's included."""
    lines = decode(upload.data).split("\n")
    declared = _DECLARED.fullmatch(lines[0].strip().lower())  # a line by which Excel is told
    first = 1 if declared else 0
    delimiter = declared.group(1) if declared else _delimiter(lines)
    try:
        blocks = table(_rows(lines, delimiter, first), unit=Unit.ROW)
    except csv.Error:
        blocks = table(_rows(lines, delimiter, first, quoted=False), unit=Unit.ROW)
    return Loaded(kind="CSV", blocks=tuple(blocks))


def _rows(lines: list[str], delimiter: str, first: int = 0, *, quoted: bool = True) -> Iterator[Row]:
    """Yield the rows from line *first* on. Raises `csv.Error` for a cell that goes on for too long."""
    reader = csv.reader(
        (line + "\n" for line in lines[first:]),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
    )
    before = 0
    for number, cells in enumerate(reader, start=first + 1):
        if reader.line_num - before > MAX_CELL_LINES:
            raise csv.Error
        before = reader.line_num
        yield Row(cells=cells, lines=(number, number))


def _delimiter(lines: list[str]) -> str:
    """Take the delimiter that gives most rows the same number of cells, and then the most cells."""
    return max(DELIMITERS, key=lambda delimiter: _fit(lines, delimiter))


def _fit(lines: list[str], delimiter: str) -> tuple[float, int]:
    try:
        rows = islice(_rows(lines, delimiter), _SAMPLE_ROWS)
        widths = [len(row.cells) for row in rows]
    except csv.Error:
        return 0.0, 0
    filled = Counter(width for width in widths if width > 1)
    if not filled:
        return 0.0, 0
    width, count = filled.most_common(1)[0]
    return count / len(widths), width
