"""What each line of an answer is: code, a heading, a table's head or row, an item of a list, or prose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pipeline import markers
from pipeline.verification import numbers
from pipeline.verification.figures import DATE

if TYPE_CHECKING:
    from collections.abc import Iterator

FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})([^`\n]*)$")
HEADING: Final = re.compile(r"\s*(?:#{1,6}\s|(?:\*\*|__)[^*_\n]+(?:\*\*|__):?\s*$)")
_RULE: Final = re.compile(r"[\s|:+-]+")
_ROW: Final = re.compile(r"\s*\|?.*\S\s*\|\s*\S.*|\s*\|.*\|\s*$")
ITEM: Final = re.compile(r"\s*(?:[-*+•]|\(?\d{1,3}[.)])\s")
_WORD: Final = re.compile(r"\w+")

LONGEST_TITLE: Final = 2
"""Words up to which a heading with a source is still one."""


def line_kinds(answer: str) -> list[tuple[int, str]]:
    """Return where each line begins, and what it is."""
    code, heads = _code_lines(answer), _table_heads(answer)
    found = []
    for begin, line in _lines(answer):
        kind = "code" if begin in code else "head" if begin in heads else ""
        found.append((begin, kind or _kind(line)))
    return found


def _kind(line: str) -> str:
    if HEADING.match(line) and not _heading_states(line):
        return "heading"
    if "|" in line and _ROW.match(line):
        return "row"
    return "item" if ITEM.match(line) else "prose"


def _heading_states(line: str) -> bool:
    """Tell whether what looks like a heading is a statement in bold: it has a source, or a price."""
    text = markers.without_markers(line)
    cited = text != line and len(_WORD.findall(text)) > LONGEST_TITLE
    return cited or any(number.unit not in (None, DATE) for number in numbers.claimed_figures(text).numbers)


def _code_lines(answer: str) -> set[int]:
    """Return where the lines of code begin, fences included; a fence that nothing closes is text."""
    found: set[int] = set()
    opened: list[int] = []
    mark = ""
    for begin, line in _lines(answer):
        fence = FENCE.match(line)
        if opened:
            opened.append(begin)
            if fence and fence[1].startswith(mark) and not fence[2].strip():
                found.update(opened)
                opened = []
        elif fence:
            opened, mark = [begin], fence[1]
    return found


def _lines(answer: str) -> Iterator[tuple[int, str]]:
    begin = 0
    for line in answer.splitlines(keepends=True):
        yield begin, line.rstrip("\r\n")
        begin += len(line)


def _table_heads(answer: str) -> set[int]:
    """Return where the lines begin that head a table: those above a rule of dashes."""
    heads: set[int] = set()
    before = 0
    for begin, line in _lines(answer):
        if is_rule(line):
            heads |= {before, begin}
        before = begin
    return heads


def is_rule(line: str) -> bool:
    """Tell whether *line* is the rule of dashes under a table's head."""
    return "|" in line and "-" in line and bool(_RULE.fullmatch(line))
