"""Whether a number of a table, or of lines with keys and values, belongs to what a statement names."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final, NamedTuple

from pipeline.verification.figures import DATE
from pipeline.verification.lines import is_rule
from pipeline.verification.names import CODE
from pipeline.verification.numbers import known_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pipeline.verification.figures import Figures, Number

    Analyze = Callable[[str], list[str]]

KEYS: Final = 2
"""Cells of a row from its beginning that may name it: a number of an invoice, and whose it is."""

_FIELD: Final = re.compile(
    r"\s*+(?:[-*+•]\s++)?(?P<key>[^\s:=|][^:=|\n]{0,59}?)(?:\s*+[:=]\s++|\s[–—-]\s)(?P<value>.*\d.*)"
)
_EQUATES: Final = re.compile(
    r"\W*(?:(?:the|der|die|das)\s)?[\w.-]+(?:\s[\w.-]+)?(?:\s(?:is|are|ist|beträgt|is set to)\s|\s?[=:]\s?)"
    r"[-−]?\d[\d.,]*\W*",
    re.IGNORECASE,
)
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A row of a table, or a line with a key and a value."""

    block: int
    """Which table or run of lines it stands in, from 0."""
    keys: tuple[frozenset[str], ...]
    """The words of each cell that names it, and no other row of its block."""
    cells: tuple[tuple[Number, ...], ...]
    table: bool

    def is_named(self, said: frozenset[str]) -> bool:
        """Tell whether a statement of these words names this row."""
        return any(key <= said for key in self.keys)

    def is_touched(self, said: frozenset[str], rival: Row) -> bool:
        """Tell whether a statement has a word that names this row and not *rival*."""
        return bool((frozenset().union(*self.keys) - frozenset().union(*rival.keys)) & said)


def read_rows(text: str, analyze: Analyze) -> tuple[Row, ...]:
    """Return the rows of the tables in *text* and its lines with a key and a value."""
    found: list[Row] = []
    lines = (line for line in text.splitlines() if not is_rule(line))
    for block, ((table, width), run) in enumerate(groupby(map(_cells, lines), _shape)):
        if width:
            found += _block(block, [cells for _, cells in run], analyze, table=table)
    return tuple(found)


def strays(
    claim: str, claimed: Figures, said: frozenset[str], rows: tuple[Row, ...], known: Figures
) -> list[Number]:
    """Return the numbers of a statement that stand only in other rows than the one that it names.

    The row that it names has another number in that place, of which the statement says nothing. *said* are
    the statement's words, *known* the numbers of the whole source.
    """
    statement = _Statement(claimed, said, bool(_EQUATES.fullmatch(claim)))
    return [
        number for number in claimed.numbers if not number.few and _strays(number, statement, rows, known)
    ]


class _Statement(NamedTuple):
    figures: Figures
    said: frozenset[str]
    equates: bool
    """It gives something a value, so that bare numbers count too: “the timeout is 3”."""


def _strays(number: Number, statement: _Statement, rows: tuple[Row, ...], known: Figures) -> bool:
    held = [
        (row, column, own)
        for row in rows
        for column, cell in enumerate(row.cells)
        for own in cell
        if number.agrees(own)
    ]
    if not held or sum(map(number.agrees, known.numbers)) > len(held):
        return False  # it stands in a sentence as well
    return all(
        any(
            _is_rival(rival, row, statement.said)
            and _has_another(rival, row, column, {own, number}, statement)
            for rival in rows
        )
        for row, column, own in held
    )


def _is_rival(rival: Row, row: Row, said: frozenset[str]) -> bool:
    """Tell whether *rival* is the row that a statement names, and *row* is none of which it speaks."""
    named = rival.block == row.block and rival.is_named(said)
    return named and not row.is_named(said) and not row.is_touched(said, rival)


def _has_another(rival: Row, row: Row, column: int, same: set[Number], statement: _Statement) -> bool:
    """Tell whether *rival* has in that place a number of the kind of *same*, and the statement has it not."""
    cell = rival.cells[column] if column < len(rival.cells) else ()
    like = [
        each
        for each in cell
        if each.unit != DATE
        and (row.table or each.unit or each.measure or statement.equates)
        and any(map(each.of_a_kind, same))
    ]
    return bool(like) and not any(
        each.agrees(claimed) for each in cell for claimed in statement.figures.numbers
    )


def _cells(line: str) -> tuple[bool, list[str]]:
    """Return whether *line* is a row of a table, and its cells, or key and value; no cells: it is neither."""
    row = line.strip()
    if " | " in row or (row.startswith("|") and row.endswith("|") and len(row) > 1):
        return True, [cell.strip() for cell in row.strip("|").split("|")]
    field = _FIELD.fullmatch(line)
    return False, [field["key"], field["value"]] if field else []


def _shape(line: tuple[bool, list[str]]) -> tuple[bool, int]:
    table, cells = line
    return table, len(cells)


def _block(block: int, run: list[list[str]], analyze: Analyze, *, table: bool) -> Iterator[Row]:
    numbers = [tuple(map(_numbers, cells)) for cells in run]
    naming = [_naming(cells, own, table=table) for cells, own in zip(run, numbers, strict=True)]
    rows = Counter(cell for mine in naming for cell in set(mine))
    for own, mine in zip(numbers, naming, strict=True):
        unique = [cell for cell in mine if rows[cell] == 1]
        keys = (frozenset(analyze(cell)) for cell in unique)
        yield Row(block=block, keys=tuple(filter(None, keys)), cells=own, table=table)


def _naming(cells: list[str], numbers: tuple[tuple[Number, ...], ...], *, table: bool) -> list[str]:
    """Return the cells that may name their row: the first, which may be a code, and in a table the next.

    The next one has no number.
    """
    named = [
        cell
        for place, (cell, own) in enumerate(zip(cells, numbers, strict=True))
        if (place == 0 and CODE.fullmatch(cell))
        or (_LETTERS.search(cell) and (place == 0 or (table and not own)))
    ]
    return named[:KEYS]


def _numbers(cell: str) -> tuple[Number, ...]:
    """Return the numbers that *cell* has in digits; “per month” is none."""
    if not any(map(str.isdigit, cell)):
        return ()
    return tuple(each for each in known_figures(cell).numbers if any(map(str.isdigit, each.text)))
