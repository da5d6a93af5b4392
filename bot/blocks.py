"""What goes on at the end of a piece of Markdown: a block of code, a table, or neither.

A fence ends with one of the same sign, at least as long and with nothing behind it, as CommonMark 0.31 has it
in section 4.5; so others inside code or text are no fences. Two things that models write are taken for fences
besides: one that begins behind text, and, where no other comes, one that ends behind a last line of code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST_CLOSING = 17
"""Characters that `Fence.closing` has at most."""

_LONGEST_SIGN = _LONGEST_MARGIN = 8
_BACKTICKS, _WAVES = "```", "~~~"
_MARGIN = re.compile(r"[ \t]*(?P<quote>(?:>[ \t]?)*)[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*")
_OPENING = re.compile(r"(?P<sign>`{3,}(?!`)(?=[^`]*\Z)|~{3,}(?!~)(?=[^~]*\Z))(?P<info>.*)")
_BEHIND_TEXT = re.compile(
    r"(?!(?:[-*+]|#{1,6}|\d{1,9}[.)])\s|[>|])(?:[^`]|`[^`]+`)*(?<=[^`\s])\s*"
    r"(?P<sign>```)(?P<info>[A-Za-z0-9_+\-.#]{0,20})\s*"
)
_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]{1,20}")
_NAMED = re.compile(r"```[A-Za-z]")
_RULER = re.compile(r"\s*\|[\s:|-]*-[\s:|-]*")
"""The line below the heading of a table."""
_DRAWN_RULER = re.compile(r"-+(?:-\+-+)+")
"""The same in a table that is drawn in a block of code."""
_HEADING = 2
"""Lines of a heading: the titles, and the line below them."""


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of code that has begun."""

    sign: str
    language: str = ""
    margin: str = ""
    """The signs of the quotation that it stands in."""

    @property
    def opening(self) -> str:
        """The line that opens it again."""
        return f"{self.margin}{self.sign}{self.language}\n"

    @property
    def closing(self) -> str:
        """What closes it, behind a line of code."""
        return f"\n{self.margin}{self.sign}"

    def is_closed_by(self, line: str) -> bool:
        """Tell whether *line* is its end."""
        code = self.code_in(line)
        return len(code) >= len(self.sign) and not code.strip(self.sign[0])

    def is_left_by(self, line: str) -> bool:
        """Tell whether *line* stands outside of it, because the quotation is over."""
        return bool(self.margin) and not line.lstrip().startswith(">")

    def code_in(self, line: str) -> str:
        """Return *line* without what stands around its code."""
        return (line.lstrip("> \t") if self.margin else line.lstrip()).rstrip()


@dataclass(frozen=True, slots=True)
class Block:
    """What goes on: in a block of code the *fence*, and the *heading* of a table with its line ends."""

    fence: Fence | None = None
    heading: str = ""

    @property
    def opening(self) -> str:
        """What may have to stand before the text that goes on."""
        return (self.fence.opening if self.fence is not None else "") + self.heading

    def opening_before(self, text: str) -> str:
        """Return what must stand before *text* for the block to go on in another message."""
        return self.opening if self.fence is not None or _is_row(text) else ""


NOTHING = Block()


@dataclass(frozen=True, slots=True)
class Reading:
    """What a piece of Markdown comes to."""

    block: Block
    """What goes on at its end."""
    opener: int = 0
    """Where the block of code begins that goes on; 0: there is none, or it is as old as the piece."""
    table: int = 0
    """Where a table begins of which nothing but the heading is there; 0: there is none."""


def read(text: str, before: Block = NOTHING, *, whole: bool = False) -> Reading:
    """Read *text*, which stands behind *before*; *whole*: nothing comes behind it."""
    lines = text.removesuffix("\n").split("\n")
    number, opener, rows, block = 0, 0, 0, before
    while number < len(lines):
        if block.fence is not None:
            after = _end_of_code(lines, number, block.fence, whole=whole)
            if after is None:
                heading = block.heading or (_drawn_heading(lines[number:]) if number else "")
                return Reading(Block(block.fence, heading), opener)
            number, block = after, NOTHING
        elif (found := _opened(lines[number])) is not None:
            opener = _start(lines, number) + found[1]
            number, rows, block = number + 1, 0, Block(found[0])
        else:
            rows, block = _after_line(lines, number, rows, block)
            number += 1
    if block.fence is not None:
        return Reading(block, opener)
    return Reading(block, table=_start(lines, len(lines) - rows) if 0 < rows <= _HEADING else 0)


def _start(lines: Sequence[str], number: int) -> int:
    return sum(len(line) + 1 for line in lines[:number])


def _opened(line: str) -> tuple[Fence, int] | None:
    """Return the block of code that begins with *line*, and where in it; None: there is none."""
    if _BACKTICKS not in line and _WAVES not in line:
        return None
    around = _MARGIN.match(line)
    begin = around.end() if around is not None else 0
    margin = f"{around['quote'].strip()} " if around is not None and around["quote"] else ""
    found, column = _OPENING.fullmatch(line, begin), 0
    if found is None and (found := _BEHIND_TEXT.fullmatch(line)) is not None:
        column, margin = found.start("sign"), ""
    if found is None or len(found["sign"]) > _LONGEST_SIGN or len(margin) > _LONGEST_MARGIN:
        return None
    language = _LANGUAGE.fullmatch((found["info"].split() or [""])[0])
    return Fence(found["sign"], language[0] if language else "", margin), column


def _end_of_code(lines: Sequence[str], start: int, fence: Fence, *, whole: bool) -> int | None:
    """Return the line behind a block of code that goes on at *start*; None: it does not end.

    While the rest is unknown, the last line of code is one with a blank line behind it.
    """
    behind: int | None = None
    for number in range(start, len(lines)):
        line = fence.code_in(lines[number])
        if fence.is_left_by(lines[number]):
            return number
        if fence.is_closed_by(lines[number]):
            return number + 1
        if behind is not None and _NAMED.match(line):
            break
        if behind is None and fence.sign == _BACKTICKS and _ends_with_fence(line):
            behind = number + 1 if whole or not "".join(lines[number + 1 : number + 2]).strip() else None
    return behind


def _ends_with_fence(line: str) -> bool:
    return line.endswith(_BACKTICKS) and line.count(_BACKTICKS) % 2 == 1


def _after_line(lines: Sequence[str], number: int, rows: int, block: Block) -> tuple[int, Block]:
    """Return how many rows of a table end with a line of text, and what goes on behind it."""
    line = lines[number]
    if not _is_row(line):
        return 0, NOTHING
    if rows == 1 and not block.heading and _RULER.fullmatch(line):
        block = Block(heading=f"{lines[number - 1]}\n{line}\n")
    return rows + 1, block


def _drawn_heading(code: Sequence[str]) -> str:
    """Return the heading of a table that a block of code shows, "" for none."""
    if len(code) <= _HEADING or not _DRAWN_RULER.fullmatch(code[1].strip()):
        return ""
    return "".join(f"{line}\n" for line in code[:_HEADING])


def _is_row(line: str) -> bool:
    return line.lstrip(" \t").startswith("|")
