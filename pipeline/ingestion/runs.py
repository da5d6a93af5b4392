"""The blocks of one section laid end to end, with the way back from a position to the lines of the file."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from typing import TYPE_CHECKING

from pipeline.ingestion.blocks import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.ingestion.blocks import Block

_TIGHT = frozenset({Kind.ITEM, Kind.TABLE})
_BLANK_LINE = 2
_BREAK = re.compile("\n")


class Run:
    """A section's text, or what of it stands on one page."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self.blocks = blocks
        self.path = blocks[-1].path
        self.page = blocks[0].page
        self.page_label = blocks[0].page_label
        self.unit = blocks[0].unit
        self.has_wholes = any(block.kind in (Kind.CODE, Kind.TABLE) for block in blocks)
        """Whether there is code or a table in it, which are longer than text before they are cut."""
        self.starts: list[int] = []
        """Where each block begins in `text`."""
        parts: list[str] = []
        length = 0
        for index, block in enumerate(blocks):
            gap = _gap(blocks[index - 1], block) if index else ""
            self.starts.append(length + len(gap))
            length += len(gap) + len(block.text)
            parts += (gap, block.text)
        self.text = "".join(parts)

    def index_at(self, position: int) -> int:
        """Return which block *position* belongs to; a gap belongs to the block before it."""
        return max(bisect_right(self.starts, position) - 1, 0)

    def borders(self, low: int, high: int, *, rows: bool) -> list[int]:
        """Return where blocks begin between *low* and *high*; rows inside a table only on request."""
        first, last = bisect_left(self.starts, low), bisect_right(self.starts, high)
        return [
            self.starts[index]
            for index in range(first, last)
            if rows or self._first_rows[index] in (None, index)
        ]

    def whole_at(self, position: int) -> tuple[int, int]:
        """Return where the code or the table around *position* begins and ends; in text, *position* twice."""
        index = self.index_at(position)
        if self.blocks[index].kind not in (Kind.CODE, Kind.TABLE):
            return position, position
        first = self._first_rows[index]
        last = index if first is None else self._last_rows[first]
        begins = self.starts[index if first is None else first]
        return begins, self.starts[last] + len(self.blocks[last].text)

    def header_at(self, position: int) -> str:
        """Return the header to repeat where a piece begins at *position*; empty outside of tables."""
        return self.blocks[self.index_at(position)].header

    def lines(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the first and last line of the text from *start* up to *end*."""
        first, last = self._line(start, 0), self._line(end - 1, 1)
        return None if first is None or last is None else (first, last)

    def _line(self, position: int, side: int) -> int | None:
        index = self.index_at(position)
        block = self.blocks[index]
        if block.lines is None:
            return None
        begins = self.starts[index]
        if self._count(begins, begins + len(block.text)) != block.lines[1] - block.lines[0]:
            # written on other lines than it came on: a row with line breaks in its cells
            return block.lines[side]
        return min(block.lines[0] + self._count(begins, position), block.lines[1])

    def _count(self, start: int, end: int) -> int:
        """Return how many line breaks there are from *start* up to *end*."""
        return bisect_left(self._breaks, end) - bisect_left(self._breaks, start)

    @cached_property
    def _breaks(self) -> list[int]:
        return [match.start() for match in _BREAK.finditer(self.text)]

    @cached_property
    def _first_rows(self) -> list[int | None]:
        """For each block, the first row of the table it is a row of."""
        firsts: list[int | None] = []
        for index, block in enumerate(self.blocks):
            if block.kind is not Kind.TABLE:
                firsts.append(None)
            elif index and _same_table(self.blocks[index - 1], block):
                firsts.append(firsts[-1])
            else:
                firsts.append(index)
        return firsts

    @cached_property
    def _last_rows(self) -> dict[int, int]:
        """The last row of each table, by its first."""
        return {first: index for index, first in enumerate(self._first_rows) if first is not None}


def _same_table(before: Block, row: Block) -> bool:
    return before.kind is Kind.TABLE and row.header != "" and row.header in (before.header, before.text)


def _gap(before: Block, block: Block) -> str:
    """Return the line breaks between two blocks: as many as in the file, at most one blank line."""
    if before.lines is not None and block.lines is not None:
        return "\n" * min(max(block.lines[0] - before.lines[1], 1), _BLANK_LINE)
    return "\n" if before.kind is block.kind and block.kind in _TIGHT else "\n\n"
