"""Rows of a table as sentences that stand for themselves."""

from __future__ import annotations


def name_cells(sentences: list[str]) -> list[str]:
    """Give the cells of each table row their column's name, as in ``Plan: Pro; Price: 12``.

    A chunk repeats a table's header as the first of its rows; alone it says nothing and is left out.
    """
    named: list[str] = []
    header: list[str] = []
    for number, sentence in enumerate(sentences):
        cells = _cells(sentence)
        if len(cells) > 1 and not header and len(_cells("".join(sentences[number + 1 : number + 2]))) > 1:
            header = cells
            continue
        if len(cells) < 2:
            header = []
        named.append(_row(header, cells) if len(cells) > 1 else sentence)
    return named


def _cells(sentence: str) -> list[str]:
    row = sentence.strip()
    if " | " not in row and not (row.startswith("|") and row.endswith("|")):
        return []
    return [cell.strip() for cell in row.strip("|").split("|")]


def _row(header: list[str], cells: list[str]) -> str:
    names = header if len(header) == len(cells) else [""] * len(cells)
    return "; ".join(
        f"{name}: {cell}" if name else cell for name, cell in zip(names, cells, strict=True) if cell
    )
