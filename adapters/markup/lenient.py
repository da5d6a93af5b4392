"""Blocks of code, tables and lists as people mean them, where CommonMark would read something else.

A fence may begin behind text, end with any margin or behind the last line of its code, and what it holds may
stand further left than the list around it: that is what models write, and what is left when a text is cut
into messages. Rows of a table may come without their heading, because it stands in the message before, and
with more cells than it; a line inside code divides no cells. A margin alone makes no code, since a list that
was cut begins with one, and underlining no heading, since a list that is being written looks like that.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING

from markdown_it.rules_block import blockquote, list_block, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from markdown_it import MarkdownIt
    from markdown_it.ruler import RuleOptionsType
    from markdown_it.rules_block import StateBlock

    Rule = Callable[[StateBlock, int, int, bool], bool]

DEEPEST = 14
"""Quotations and lists inside each other, a list counting twice; further signs are text."""

_FENCE = "```"
_OPENING = re.compile(r"(?P<sign>`{3,}(?!`)(?=[^`]*\Z)|~{3,}(?!~)(?=[^~]*\Z))(?P<info>.*)")
_BEHIND_TEXT = re.compile(
    r"(?P<text>(?!(?:[-*+]|#{1,6}|\d{1,9}[.)])\s|[>|])(?:[^`]|`[^`]+`)*)(?<=[^`\s])\s*"
    r"(?P<sign>```)(?P<info>[A-Za-z0-9_+\-.#]{0,20})\s*"
)
_NAMED = re.compile(r"```[A-Za-z]")
_ROW = re.compile(r"\|\s.*\s\|")
_BEGUN_ROW = re.compile(r"\|\s[^|]*\|.*")
_RULER = re.compile(r"\|[|:\s-]*[^\w\s]?")
"""The line below a heading, maybe with a cursor behind it."""
_EDGE = re.compile(r"\\.|`[^`]*`|(?P<edge>\|)")
_STYLES = {
    (True, True): "text-align:center",
    (True, False): "text-align:left",
    (False, True): "text-align:right",
}
"""By whether there are colons at the left and at the right."""


def mend(markdown: MarkdownIt) -> None:
    """Teach *markdown* to read so."""
    blocks = markdown.block.ruler
    everywhere: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
    outside_lists: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote"]}
    blocks.at("fence", _fence, everywhere)
    blocks.at("table", _table, {"alt": ["paragraph", "reference"]})
    blocks.before("fence", "rows", _rows, {"alt": ["paragraph", "reference"]})
    blocks.at("blockquote", _shallow(blockquote), everywhere)
    blocks.at("list", _shallow(list_block), outside_lists)
    blocks.at("paragraph", _paragraph)
    markdown.disable(["code", "lheading"])


def _shallow(rule: Rule) -> Rule:
    """Return *rule*, kept from putting so many blocks inside each other that the parser gives up."""

    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < DEEPEST and rule(state, start, end, silent)

    return limited


def _paragraph(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read lines of text, up to the next block with any margin."""
    around, state.parentType = state.parentType, "paragraph"
    number = start + 1
    while number < state.lineMax and not state.isEmpty(number) and not _begins(state, number):
        number += 1
    state.parentType = around
    _write(state, start, number, state.getLines(start, number, state.blkIndent, False).strip())
    state.line = number
    return True


def _begins(state: StateBlock, number: int) -> bool:
    """Tell whether a line of a paragraph begins another block; one that a quotation took over does not."""
    if state.sCount[number] < 0:
        return False
    rules = state.md.block.ruler.getRules("paragraph")
    return any(rule(state, number, state.lineMax, True) for rule in rules)


def _fence(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a block of code."""
    line = _line(state, start)
    found = _OPENING.fullmatch(line) or _BEHIND_TEXT.fullmatch(line)
    if found is None:
        return False
    text = found.groupdict().get("text")
    if text and not any(_FENCE in _line(state, number) for number in range(start + 1, end)):
        return False
    if not silent:
        if text:
            _write(state, start, start + 1, text.strip())
        _code(state, start, end, found)
    return True


def _code(state: StateBlock, start: int, end: int, opening: re.Match[str]) -> None:
    last, behind = _closing(state, start + 1, end, opening["sign"])
    token = state.push("fence", "code", 0)
    token.info, token.markup = opening["info"], opening["sign"]
    token.content = state.getLines(start + 1, last + behind, state.sCount[start], True)
    if behind:
        token.content = token.content.rstrip().removesuffix(_FENCE) + "\n"
    state.line = min(last + 1, end)
    token.map = [start, state.line]


def _closing(state: StateBlock, start: int, end: int, sign: str) -> tuple[int, bool]:
    """Return the line that ends a block of code, and whether code stands in it before the fence.

    A fence of its own counts before one behind code, unless another block begins between them.
    """
    behind: int | None = None
    for number in range(start, end):
        line = _line(state, number).rstrip()
        if len(line) >= len(sign) and not line.strip(sign[0]):
            return number, False
        if behind is not None and _NAMED.match(line):
            break
        if behind is None and sign == _FENCE and line.endswith(sign) and line.count(sign) % 2:
            behind = number
    return (end, False) if behind is None else (behind, True)


def _table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read a table that has a heading."""
    if not table(state, start, end, True):
        return False
    if not silent:
        last = start + 2
        while last < end and not _ends_table(state, last):
            last += 1
        head, ruler = (_cells(_line(state, number)) for number in (start, start + 1))
        rows = [_cells(_line(state, number), len(head)) for number in range(start + 2, last)]
        _draw(state, start, [head, [], *rows], ruler)
    return True


def _ends_table(state: StateBlock, number: int) -> bool:
    if state.isEmpty(number) or state.sCount[number] < state.blkIndent:
        return True
    rules = state.md.block.ruler.getRules("blockquote")
    return any(rule(state, number, state.lineMax, True) for rule in rules)


def _rows(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Read rows of a table that has no heading here."""
    rows = list(_found_rows(state, start, end))
    if not any(rows):
        return False
    if not silent:
        _draw(state, start, rows)
    return True


def _found_rows(state: StateBlock, start: int, end: int) -> Iterator[list[str]]:
    """Yield the cells of every row; none for the line below a heading, as far as it is there."""
    most = 0
    for number in range(start, end):
        line = _line(state, number).rstrip()
        if state.sCount[number] < state.blkIndent or not line.startswith("|"):
            return
        last = number + 1 == state.lineMax
        if _RULER.fullmatch(line):
            yield []
        elif _ROW.fullmatch(line) or (last and (number > start or _BEGUN_ROW.fullmatch(line))):
            cells = _cells(line, most)
            most = max(most, len(cells))
            yield cells
        else:
            return


def _cells(line: str, most: int = 0) -> list[str]:
    """Return what stands between the lines of a row; what stands behind its end belongs to the last cell."""
    edges = [found.start() for found in _EDGE.finditer(line) if found["edge"]]
    cells = [line[begin + 1 : end].strip() for begin, end in pairwise([-1, *edges, len(line)])]
    if edges and not cells[0]:
        del cells[0]
    if edges and cells and not cells[-1]:
        del cells[-1]
    if most and len(cells) == most + 1 and not line.rstrip().endswith("|"):
        cells[most - 1 :] = [" ".join(cells[most - 1 :])]
    return [cell.replace("\\|", "|") for cell in cells]


def _draw(state: StateBlock, start: int, rows: list[list[str]], ruler: Sequence[str] = ()) -> None:
    """Add a table; with a *ruler*, the first row is its heading."""
    columns = max(len(ruler), *map(len, rows))
    styles = [_STYLES.get((cell.startswith(":"), cell.endswith(":")), "") for cell in ruler]
    styles += [""] * (columns - len(styles))
    lines = [(start + index, [*row, *[""] * (columns - len(row))]) for index, row in enumerate(rows) if row]
    state.line = start + len(rows)
    state.push("table_open", "table", 1).map = [start, state.line]
    headings = lines[:1] if ruler else []
    _draw_part(state, "thead", headings, styles)
    _draw_part(state, "tbody", lines[len(headings) :], styles)
    state.push("table_close", "table", -1)


def _draw_part(
    state: StateBlock, part: str, rows: Sequence[tuple[int, list[str]]], styles: list[str]
) -> None:
    if not rows:
        return
    kind = "th" if part == "thead" else "td"
    state.push(f"{part}_open", part, 1)
    for number, row in rows:
        state.push("tr_open", "tr", 1)
        for cell, style in zip(row, styles, strict=True):
            state.push(f"{kind}_open", kind, 1).attrs = {"style": style} if style else {}
            _inline(state, number, number + 1, cell)
            state.push(f"{kind}_close", kind, -1)
        state.push("tr_close", "tr", -1)
    state.push(f"{part}_close", part, -1)


def _write(state: StateBlock, start: int, end: int, text: str) -> None:
    """Add a paragraph."""
    state.push("paragraph_open", "p", 1).map = [start, end]
    _inline(state, start, end, text)
    state.push("paragraph_close", "p", -1)


def _inline(state: StateBlock, start: int, end: int, text: str) -> None:
    token = state.push("inline", "", 0)
    token.content, token.map, token.children = text, [start, end], []


def _line(state: StateBlock, number: int) -> str:
    return state.src[state.bMarks[number] + state.tShift[number] : state.eMarks[number]]
