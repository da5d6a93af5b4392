"""Text that is made of keys and values: cut at its keys, each part knowing the keys it stands under."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import accumulate
from typing import TYPE_CHECKING

from pipeline.ingestion.blocks import Block, Kind, title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WHOLE_CHARS = 1_000
"""A value up to this size is not cut into its keys: it fits into one piece, together with its neighbours."""
MAX_DEPTH = 8
MAX_LABEL_CHARS = 60
NAMED_BY = ("name", "id", "title", "key", "label", "operationId", "slug")
"""Keys whose value tells one entry of a list from the next."""

LEAD_CHARS = 160
"""A section's first lines up to here say hardly more than its key, and stand with what comes first in it."""

_CLOSING = re.compile(r"(?:[\s{}\[\](),;]|</[\w:.-]++>)*+")


@dataclass(slots=True, eq=False)
class Entry:
    """A key with its value: the lines it takes, from 0, both included."""

    key: str
    first: int
    last: int = 0
    inside: list[Entry] = field(default_factory=list)
    label: str = ""
    """What the entry calls itself; stands for the key of an entry of a list."""


def cut(lines: Sequence[str], entries: Sequence[Entry]) -> list[Block]:
    """Cut *lines* at *entries*, which come in order and do not overlap; all of the text is in one block.

    A large value is a section of its own; small neighbours stay together in the section around them.
    """
    sizes = [0, *accumulate(len(line) + 1 for line in lines)]
    return list(_Cutter(lines, sizes).inside(0, len(lines) - 1, entries, (), 0))


class _Cutter:
    def __init__(self, lines: Sequence[str], sizes: Sequence[int]) -> None:
        self._lines = lines
        self._sizes = sizes

    def inside(
        self, first: int, last: int, entries: Sequence[Entry], path: tuple[str, ...], depth: int
    ) -> Iterator[Block]:
        """Yield the blocks of the lines from *first* to *last*, which *entries* stand in."""
        start = first
        for entry in entries:
            if entry.last < start or entry.first > last:
                continue
            begins, ends = max(entry.first, start), min(entry.last, last)
            if not self._is_section(entry, begins, depth):
                yield from self._block(start, ends, path)
            else:
                yield from self._block(start, begins - 1, path, leads=path != () and start == first)
                inner = (*path, title(entry.label or entry.key))
                yield from self.inside(begins, ends, entry.inside, inner, depth + 1)
            start = ends + 1
        yield from self._block(start, last, path)

    def _is_section(self, entry: Entry, begins: int, depth: int) -> bool:
        size = self._sizes[min(entry.last + 1, len(self._lines))] - self._sizes[begins]
        return size > WHOLE_CHARS and depth < MAX_DEPTH

    def _block(self, first: int, last: int, path: tuple[str, ...], *, leads: bool = False) -> Iterator[Block]:
        """Yield the lines as one block, without blank ones at its ends; nothing for lines that only close."""
        while first <= last and not self._lines[first].strip():
            first += 1
        while last >= first and not self._lines[last].strip():
            last -= 1
        text = "\n".join(self._lines[first : last + 1])
        if not _CLOSING.fullmatch(text):
            kind = Kind.HEADING if leads and len(text) <= LEAD_CHARS else Kind.CODE
            yield Block(text=text, kind=kind, lines=(first + 1, last + 1), path=path)


def shortened(label: str) -> str:
    """Return a value as a label, "" if it is too long to be one."""
    return label if len(label) <= MAX_LABEL_CHARS else ""
