"""Tables where a platform draws none: as columns of even width, or told row by row."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

WIDEST = 40
"""Places that cells are filled up to; longer ones stand out, so that no row grows for one cell."""

_INVISIBLE = frozenset({"Mn", "Me", "Cf", "Cc"})
_WIDE = frozenset("WF")


def drawn(
    rows: Sequence[Sequence[str]], aligned: Sequence[str], *, headed: bool = True, widest: int = WIDEST
) -> str:
    """Return *rows*, the heading first, in even columns; *aligned* says ``right``, ``center`` or ``left``.

    Where the heading stands elsewhere, *headed* is false. Cells are filled up to *widest*.
    """
    widths = [min(widest, max(map(width, column))) for column in zip(*rows, strict=True)]
    lines = [_row(row, widths, aligned) for row in rows]
    if headed:
        lines.insert(1, "-+-".join("-" * size for size in widths))
    return "\n".join(lines)


def told(rows: Sequence[Sequence[str]]) -> str:
    """Return *rows* as lines that name what each cell is."""
    head, *body = rows
    lines = [
        ", ".join(_told(title, cell) for title, cell in zip(head, row, strict=True) if cell) for row in body
    ]
    return "\n".join(lines or [", ".join(head)])


def width(text: str) -> int:
    """Return how many columns *text* takes where every letter is as wide as any other."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in _INVISIBLE:
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def _row(cells: Sequence[str], widths: Sequence[int], aligned: Sequence[str]) -> str:
    filled = [_filled(*cell) for cell in zip(cells, widths, aligned, strict=True)]
    return " | ".join(filled).rstrip()


def _filled(cell: str, size: int, aligned: str) -> str:
    gap = max(0, size - width(cell))
    before = {"right": gap, "center": gap // 2}.get(aligned, 0)
    return " " * before + cell + " " * (gap - before)


def _told(title: str, cell: str) -> str:
    return f"{title}: {cell}" if title else cell
