"""Plain text: paragraphs by blank lines, headings where they are underlined."""

from __future__ import annotations

import re

from pipeline.ingestion.blocks import Block, Headings, Kind, Loaded, Upload
from pipeline.ingestion.loaders.charset import decode

_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.])\1{2,}\s*")
_PLAIN_TITLE = re.compile(r"\S.{0,119}")


def load(upload: Upload) -> Loaded:
    """Read text of any encoding. Raises `IngestError` for binary data."""
    return Loaded(kind="plain text", blocks=tuple(paragraphs(decode(upload.data))))


def paragraphs(text: str) -> list[Block]:
    """Cut text at blank lines and at underlined headings (reStructuredText, old readme files)."""
    lines = text.split("\n")
    headings, styles = Headings(), list[str]()
    blocks: list[Block] = []
    first = 0
    for number, line in enumerate([*lines, ""]):
        if _is_heading(lines, number, first):
            blocks += _paragraph(lines, first, number - 1, headings)
            if line[0] not in styles:
                styles.append(line[0])
            path = headings.enter(styles.index(line[0]), lines[number - 1])
            blocks.append(
                Block(
                    text=lines[number - 1].strip(), kind=Kind.HEADING, lines=(number, number + 1), path=path
                )
            )
            first = number + 1
        elif not line.strip():
            blocks += _paragraph(lines, first, number, headings)
            first = number + 1
    return blocks


def _is_heading(lines: list[str], number: int, first: int) -> bool:
    """Tell an underline: one repeated mark, as long as the line above, which begins a paragraph."""
    if number == 0 or number >= len(lines) or not _UNDERLINE.fullmatch(lines[number]):
        return False
    above = lines[number - 1]
    if not _PLAIN_TITLE.fullmatch(above) or _UNDERLINE.fullmatch(above):
        return False
    opens = first == number - 1 or (first == number - 2 and _UNDERLINE.fullmatch(lines[first]) is not None)
    return opens and len(lines[number].rstrip()) >= len(above.rstrip())


def _paragraph(lines: list[str], first: int, end: int, headings: Headings) -> list[Block]:
    text = "\n".join(lines[first:end]).rstrip()
    if not text.strip() or _UNDERLINE.fullmatch(text):
        return []
    return [Block(text=text, lines=(first + 1, end), path=headings.path)]
