"""Rows of cells to blocks, the same for every kind of table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipeline.ingestion.blocks import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pipeline.domain import Unit

MAX_HEADER_CHARS = 300
"""A header repeated in every piece must leave most of the piece to the rows."""
MAX_NAME_CHARS, LEAST_NAME_CHARS = 120, 20
"""Of a column's name that is said beside its cell: a survey's question is understood by that much of it."""
MAX_NAMES_CHARS = 12_000
"""Of all names in one row, as far as that leaves each of them its least."""
SEPARATOR = " | "


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The cells of one row and the lines they stand in, if lines mean anything."""

    cells: Sequence[str]
    lines: tuple[int, int] | None = None


def table(
    rows: Iterable[Row], *, path: tuple[str, ...] = (), page: int | None = None, unit: Unit | None = None
) -> list[Block]:
    """Make one block of each row that is not empty; the first is the header of the others.

    Where the header is too long to be repeated, each cell carries its column's name instead.
    """
    blocks: list[Block] = []
    names: list[str] = []
    header = ""
    for row in rows:
        cells = [" ".join(cell.split()) for cell in row.cells]
        if not any(cells):
            continue
        text = _row(cells, names if len(header) > MAX_HEADER_CHARS else [])
        repeated = header if len(header) <= MAX_HEADER_CHARS else ""
        blocks.append(
            Block(
                text=text, kind=Kind.TABLE, page=page, lines=row.lines, path=path, header=repeated, unit=unit
            )
        )
        if not names:
            names, header = _shortened(cells), text
    return blocks


def _shortened(names: list[str]) -> list[str]:
    """Cut the middle out of long names, so that what is repeated in each row stays in proportion to it."""
    room = max(min(MAX_NAMES_CHARS // len(names), MAX_NAME_CHARS), LEAST_NAME_CHARS)
    half = room // 2
    return [
        name if len(name) <= room else f"{name[:half].rstrip()}…{name[1 - half :].lstrip()}" for name in names
    ]


def _row(cells: list[str], names: list[str]) -> str:
    if not names:
        return SEPARATOR.join(cells)
    padded = names + [""] * (len(cells) - len(names))
    return SEPARATOR.join(
        f"{name}: {cell}" if name else cell for name, cell in zip(padded, cells, strict=False) if cell
    )
