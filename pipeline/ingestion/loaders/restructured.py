"""reStructuredText: headings give the path, code and tables stay whole, directives stay as written."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from pipeline.ingestion.blocks import Block, Kind, Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.prose import paragraphs

if TYPE_CHECKING:
    from collections.abc import Iterator

_CODE = re.compile(
    r"\.\. +(?:code-block|code|sourcecode|parsed-literal|highlight|literalinclude|math|graphviz)::"
)
_TABLE = re.compile(r"\+(?:[-=]{2,}\+)+\s*|={2,}(?: +={2,})+\s*")


def load(upload: Upload) -> Loaded:
    """Read reStructuredText."""
    return Loaded(kind="reStructuredText", blocks=tuple(_joined(paragraphs(decode(upload.data)))))


def _joined(blocks: list[Block]) -> Iterator[Block]:
    """Put the paragraphs of one code block together, which blank lines have cut apart."""
    code: list[Block] = []
    expected = False
    for block in blocks:
        indented = block.text[:1] in (" ", "\t")
        if code and not (indented and block.kind is Kind.TEXT):
            yield _one(code)
            code = []
        if code or (expected and indented):
            code.append(block)
        elif _CODE.match(block.text):
            code = [block]
        elif _TABLE.match(block.text):
            yield replace(block, kind=Kind.CODE)
        else:
            yield block
        expected = not code and block.kind is Kind.TEXT and block.text.endswith("::")
    if code:
        yield _one(code)


def _one(parts: list[Block]) -> Block:
    """Join paragraphs, with as many blank lines between them as there were."""
    first, last = parts[0].lines, parts[-1].lines
    text = parts[0].text
    for before, part in pairwise(parts):
        gap = part.lines[0] - before.lines[1] if part.lines and before.lines else 2
        text += "\n" * gap + part.text
    lines = (first[0], last[1]) if first and last else None
    return replace(parts[0], text=text, kind=Kind.CODE, lines=lines)
