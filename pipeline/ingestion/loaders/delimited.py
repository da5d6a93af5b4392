"""CSV and its relatives: the delimiter is found by trying, quoted line breaks are kept apart from rows."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import islice
from typing import TYPE_CHECKING

from pipeline.ingestion.blocks import Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.rows import Row, table

if TYPE_CHECKING:
    from collections.abc import Iterator

DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 50


def load(upload: Upload) -> Loaded:
    """Read a table whose first row names the columns."""
    lines = decode(upload.data).split("\n")
    delimiter = _delimiter(lines)
    try:
        blocks = table(_rows(lines, delimiter))
    except csv.Error:
        # a cell longer than the csv module's limit of 131,072: a quotation mark that was never closed
        blocks = table(_rows(lines, delimiter, quoted=False))
    return Loaded(kind="CSV", blocks=tuple(blocks))


def _rows(lines: list[str], delimiter: str, *, quoted: bool = True) -> Iterator[Row]:
    reader = csv.reader(
        (line + "\n" for line in lines),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE,
    )
    first = 1
    for cells in reader:
        yield Row(cells=cells, lines=(first, reader.line_num))
        first = reader.line_num + 1


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
