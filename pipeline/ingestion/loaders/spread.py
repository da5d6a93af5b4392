"""Workbooks with cells far apart, drawn together: calamine makes room for all that is between them."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Final
from zipfile import ZIP_DEFLATED, ZipFile

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders.members import read

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CELLS: Final = 16_000_000
"""Of the rectangle around a sheet's cells, 32 bytes each: half a gigabyte, and all that an .xls can have."""

_SHEET = re.compile(r"xl/worksheets/[^/]+\.xml", re.IGNORECASE)
_USED_COLUMN = re.compile(rb' r="([A-Z]{1,3})\d')
_USED_ROW = re.compile(rb' r="(\d{1,7})"')
_CELL = re.compile(rb"""(<(?:\w+:)?c\s(?:[^<>]*?\s)?r=["'])([A-Z]{1,3})(?=\d)""")
_ANY_CELL = re.compile(rb"<(?:\w+:)?c[\s/>]")
_MERGED = re.compile(
    rb"""(<(?:\w+:)?mergeCell\s[^<>]*?ref=["'])([A-Z]{1,3})(\d{1,7}):[A-Z]{1,3}(\d{1,7})(?=["'])"""
)
_NOWHERE = b"A1:A1"
_PIECE = 1_000_000


def drawn_together(data: bytes, archive: ZipFile) -> bytes:
    """Return the workbook, its sheets that are wide and long without the columns that they do not use.

    Rows keep their numbers. *archive* is *data*, opened.
    Raises `IngestError` (TOO_LARGE) for cells that are too many or too far apart even so.
    """
    changed = {}
    for name in filter(_SHEET.fullmatch, archive.namelist()):
        sheet = read(archive, name)
        columns, last_row = _extent(sheet)
        if _width(columns) * last_row > MAX_CELLS:
            changed[name] = _narrowed(sheet, columns, last_row)
    return _with(archive, changed) if changed else data


def _extent(sheet: bytes) -> tuple[set[bytes], int]:
    """Return the columns that are used and the last row, of what programs write: half a second for 60 MB."""
    columns: set[bytes] = set()
    last_row = 0
    for piece in _pieces(sheet):
        columns.update(_USED_COLUMN.findall(piece))
        last_row = max(last_row, *map(int, _USED_ROW.findall(piece)), 0)
    return columns, last_row


def _pieces(sheet: bytes) -> Iterator[bytes]:
    """Cut before tags: what is found in one piece at a time takes no memory."""
    start = 0
    while start < len(sheet):
        end = sheet.find(b"<", start + _PIECE)
        end = len(sheet) if end < 0 else end
        yield sheet[start:end]
        start = end


def _narrowed(sheet: bytes, columns: set[bytes], last_row: int) -> bytes:
    """Name the used columns anew, A and on, also where cells are merged from one of them downwards."""
    names = {column: _letters(number) for number, column in enumerate(sorted(columns, key=_number), start=1)}

    def cell(match: re.Match[bytes]) -> bytes:
        return match[1] + names.get(match[2], match[2])

    def merged(match: re.Match[bytes]) -> bytes:
        opening, column, first, last = match.groups()
        name = names.get(column)
        return opening + (_NOWHERE if name is None else b"%b%b:%b%b" % (name, first, name, last))

    renamed, cells = _CELL.subn(cell, sheet)
    if len(columns) * last_row > MAX_CELLS or cells < sum(1 for _ in _ANY_CELL.finditer(sheet)):
        raise IngestError(
            IngestReason.TOO_LARGE,
            "The cells of a sheet are too far apart, or too many, to be read; "
            "delete what stands far below and to the right, or upload the workbook in parts.",
        )
    return _MERGED.sub(merged, renamed)


def _with(archive: ZipFile, changed: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED, compresslevel=1) as copy:
        for name in dict.fromkeys(archive.namelist()):
            copy.writestr(name, changed[name] if name in changed else read(archive, name))
    return out.getvalue()


def _width(columns: set[bytes]) -> int:
    """Return how many columns there are from the first of *columns* to the last."""
    numbers = [*map(_number, columns)]
    return max(numbers) - min(numbers) + 1 if numbers else 0


def _number(column: bytes) -> int:
    """Return the number of a column from its letters: 1 for A, 27 for AA."""
    number = 0
    for letter in column:
        number = number * 26 + letter - ord("A") + 1
    return number


def _letters(number: int) -> bytes:
    letters = b""
    while number:
        number, digit = divmod(number - 1, 26)
        letters = bytes([ord("A") + digit]) + letters
    return letters
