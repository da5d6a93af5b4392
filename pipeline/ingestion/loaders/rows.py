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
            names, header = cells, text
    return blocks


def _row(cells: list[str], names: list[str]) -> str:
    if not names:
        return SEPARATOR.join(cells)
    padded = names + [""] * (len(cells) - len(names))
    return SEPARATOR.join(
        f"{name}: {cell}" if name else cell for name, cell in zip(padded, cells, strict=False) if cell
    )
