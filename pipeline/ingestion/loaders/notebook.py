"""Jupyter notebooks: what people wrote, what they computed, and what came out of it as text."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pipeline.ingestion.blocks import Block, Headings, Kind, Loaded, Upload
from pipeline.ingestion.loaders import jsonfile, markdown
from pipeline.ingestion.loaders.charset import decode

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_OUTPUT_CHARS = 3_000
"""Of one cell; what is longer is a log or a table of data, and its beginning says what it is."""


def load(upload: Upload) -> Loaded:
    """Read the cells in their order; pictures, widgets and other data are left out.

    What is not a notebook inside is read as the JSON that it is.
    """
    try:
        cells = _cells(json.loads(decode(upload.data)))
    except (ValueError, RecursionError):
        cells = None
    if cells is None:
        return jsonfile.load(upload)
    reader = _Reader()
    return Loaded(kind="notebook", blocks=tuple(block for cell in cells for block in reader.read(cell)))


def _cells(notebook: Any) -> list[dict[str, Any]] | None:
    """Return the cells; before version 4 they stood in worksheets."""
    if not isinstance(notebook, dict):
        return None
    sheets = [notebook, *_dicts(notebook.get("worksheets"))]
    if not any(isinstance(sheet.get("cells"), list) for sheet in sheets):
        return None
    return [cell for sheet in sheets for cell in _dicts(sheet.get("cells"))]


class _Reader:
    """Reads one cell after the other; the headings of one stand over those that follow."""

    def __init__(self) -> None:
        self._headings = Headings()
        self._markdown = markdown.make_parser()

    def read(self, cell: dict[str, Any]) -> Iterator[Block]:
        text = _text(cell.get("source", cell.get("input")))
        match cell.get("cell_type"):
            case "markdown":
                for block in markdown.read(text, self._headings, self._markdown):
                    yield replace(block, lines=None)
            case "heading":
                level = cell.get("level")
                path = self._headings.enter(level if isinstance(level, int) else 1, text)
                yield Block(text=text, kind=Kind.HEADING, path=path)
            case "code":
                yield from self._if_any(text, Kind.CODE)
                yield from self._shown(_dicts(cell.get("outputs")))
            case _:
                yield from self._if_any(text, Kind.TEXT)

    def _shown(self, outputs: list[dict[str, Any]]) -> Iterator[Block]:
        shown = "\n".join(filter(None, map(_output, outputs)))
        if shown.strip():
            cropped = shown if len(shown) <= MAX_OUTPUT_CHARS else shown[:MAX_OUTPUT_CHARS] + "…"
            yield from self._if_any(f"Output:\n{cropped}", Kind.CODE)

    def _if_any(self, text: str, kind: Kind) -> Iterator[Block]:
        text = text.strip("\n").rstrip()
        if text:
            yield Block(text=text, kind=kind, path=self._headings.path)


def _output(output: dict[str, Any]) -> str:
    """Return what an output says in plain text."""
    match output.get("output_type"):
        case "stream":
            return _text(output.get("text"))
        case "error" | "pyerr":
            return ": ".join(filter(None, (_text(output.get("ename")), _text(output.get("evalue")))))
        case _:
            data = output.get("data")
            return _text(data.get("text/plain") if isinstance(data, dict) else output.get("text"))


def _text(value: Any) -> str:
    """Return a text that may be given as a list of its lines."""
    if isinstance(value, list):
        value = "".join(part for part in value if isinstance(part, str))
    return value.replace("\r\n", "\n").replace("\r", "\n") if isinstance(value, str) else ""


def _dicts(values: Any) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []
