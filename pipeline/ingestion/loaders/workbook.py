"""Workbooks of Excel and OpenDocument by calamine: what people see of each sheet, row by row."""

from __future__ import annotations

import io
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from python_calamine import (
    CalamineError,
    CalamineWorkbook,
    PasswordError,
    SheetTypeEnum,
    SheetVisibleEnum,
)

from pipeline.domain import IngestReason, Unit
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Block, Kind, Loaded, Upload
from pipeline.ingestion.loaders.archives import ZIP_MAGIC
from pipeline.ingestion.loaders.members import damaged, open_document
from pipeline.ingestion.loaders.rows import SEPARATOR, Row, table
from pipeline.ingestion.loaders.spread import drawn_together

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date, time, timedelta

    from python_calamine import CalamineSheet

    Cell = int | float | str | bool | time | date | datetime | timedelta
    Merged = tuple[tuple[int, int], tuple[int, int]]

MAX_CHARS = 20_000_000
"""Of one sheet, with what stands between its cells: the pieces of a document hold no more."""
_DIGITS = 15
"""What a spreadsheet shows of a number, and all that its format keeps."""


def load(upload: Upload) -> Loaded:
    """Read the visible sheets: `Block.lines` are rows, a sheet's name is its section, `pages` counts sheets.

    Raises `IngestError`: CORRUPT, ENCRYPTED, TOO_LARGE.
    """
    data = upload.data
    if data.startswith(ZIP_MAGIC):
        with open_document(data) as archive:
            data = drawn_together(data, archive)
    try:
        with CalamineWorkbook.from_filelike(io.BytesIO(data)) as book:
            names = [*_visible(book)]
            # one sheet at a time is in memory
            blocks = tuple(block for name in names for block in _blocks(book.get_sheet_by_name(name)))
    except PasswordError as exc:
        raise IngestError(
            IngestReason.ENCRYPTED, "The workbook is protected by a password; upload a copy without one."
        ) from exc
    except (CalamineError, ValueError, OSError) as exc:
        raise damaged() from exc
    return Loaded(kind="workbook", blocks=blocks, pages=len(names))


def _visible(book: CalamineWorkbook) -> Iterator[str]:
    """Leave out charts and macros, and what the author has hidden from readers."""
    for sheet in book.sheets_metadata:
        if sheet.typ == SheetTypeEnum.WorkSheet and sheet.visible == SheetVisibleEnum.Visible:
            yield sheet.name


def _blocks(sheet: CalamineSheet) -> Iterator[Block]:
    """Yield the sheet's name, the lines that stand above the table, and the table."""
    path = (sheet.name,)
    rows = _rows(sheet)
    first = next(rows, None)
    if first is None:
        return
    yield _line(sheet.name, first, Kind.HEADING, path)
    while first is not None and sum(map(bool, first.cells)) == 1 < sheet.width:
        yield _line("".join(first.cells), first, Kind.TEXT, path)
        first = next(rows, None)
    if first is not None:
        yield from table(chain((first,), rows), path=path, unit=Unit.SHEET)


def _line(text: str, row: Row, kind: Kind, path: tuple[str, ...]) -> Block:
    return Block(text=" ".join(text.split()), kind=kind, lines=row.lines, path=path, unit=Unit.SHEET)


def _rows(sheet: CalamineSheet) -> Iterator[Row]:
    """Yield the rows that hold anything, numbered as in the sheet, without the columns that are all empty."""
    rows = _filled(sheet)
    used = sorted({column for _, texts in rows for column, text in enumerate(texts) if text})
    for number, texts in rows:
        yield Row(cells=[texts[column] for column in used], lines=(number, number))


def _filled(sheet: CalamineSheet) -> list[tuple[int, list[str]]]:
    """Return number and cells of the rows that hold anything."""
    merged = _Merged(sheet.merged_cell_ranges or (), sheet.start[1] if sheet.start else 0)
    rows: list[tuple[int, list[str]]] = []
    size = 0
    for number, cells in enumerate(sheet.iter_rows(), start=1):
        if cells.count("") < len(cells):
            merged.fill(number - 1, cells)
            texts = [cell if type(cell) is str else _text(cell) for cell in cells]
            size += sum(map(len, texts)) + len(SEPARATOR) * len(texts)
            if size > MAX_CHARS:
                raise IngestError(
                    IngestReason.TOO_LARGE, "The workbook holds more than a document may; upload it in parts."
                )
            rows.append((number, texts))
    return rows


class _Merged:
    """Repeats what stands in cells that are merged over several rows, so that each row says it."""

    def __init__(self, ranges: Sequence[Merged], shift: int) -> None:
        """Take the ranges of a sheet whose rows begin with column *shift*."""
        tall = (span for span in ranges if span[0][0] < span[1][0] and span[0][1] >= shift)
        self._waiting = sorted(tall, reverse=True)
        self._shift = shift
        self._open: dict[int, tuple[int, Cell]] = {}
        """Last row and value, by column."""

    def fill(self, number: int, cells: list[Cell]) -> None:
        """Complete row *number*, counted from 0; rows are to come in their order."""
        while self._waiting and self._waiting[-1][0][0] <= number:
            (first, column), (last, _) = self._waiting.pop()
            if first == number and column - self._shift < len(cells):
                self._open[column - self._shift] = (last, cells[column - self._shift])
        for column, (last, value) in [*self._open.items()]:
            if number > last:
                del self._open[column]
            elif cells[column] == "":
                cells[column] = value


def _text(cell: Cell) -> str:
    """Write a value as a sheet shows it that has no format."""
    match cell:
        case bool():
            return "TRUE" if cell else "FALSE"
        case float():
            return f"{cell:.{_DIGITS}g}"
        case datetime():
            return cell.isoformat(sep=" ", timespec="auto")
        case _:
            return str(cell)
