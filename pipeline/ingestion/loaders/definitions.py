"""Source text painted by definition: every line belongs to the innermost definition it stands in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from pipeline.ingestion.blocks import Block, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

_CLOSING = re.compile(r"[\s})\];,>]+|\s*end\W*|\s*#endif\W*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Definition:
    """A class, a function, a method: its lines (from 0, both included) and the names it stands under."""

    first: int
    last: int
    path: tuple[str, ...]


def paint(lines: list[str], definitions: Iterable[Definition], root: tuple[str, ...]) -> list[Block]:
    """Cut *lines* into blocks; an outer definition must come before the ones inside it."""
    owners = [root] * len(lines)
    for definition in definitions:
        last = min(definition.last, len(lines) - 1)
        owners[definition.first : last + 1] = [definition.path] * (last + 1 - definition.first)
    for number, line in enumerate(lines[1:], start=1):
        # a bracket that closes an outer definition says nothing on its own
        if _CLOSING.fullmatch(line):
            owners[number] = owners[number - 1]
    blocks = []
    for path, group in groupby(range(len(lines)), key=owners.__getitem__):
        numbers = [number for number in group if lines[number].strip()]
        if numbers:
            first, last = numbers[0], numbers[-1]
            text = "\n".join(lines[first : last + 1])
            blocks.append(Block(text=text, kind=Kind.CODE, lines=(first + 1, last + 1), path=path))
    return blocks


def with_comments(lines: list[str], first: int, marks: tuple[str, ...]) -> int:
    """Return the line where the comment directly above line *first* begins, if there is one."""
    while first > 0 and lines[first - 1].lstrip().startswith(marks):
        first -= 1
    return first
