"""What a loader makes of a file: its text in blocks, each knowing where it stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.domain import Unit


class Kind(StrEnum):
    """What a block is, which decides where it may be cut."""

    HEADING = "heading"
    TEXT = "text"
    ITEM = "item"
    """One entry of a list."""
    TABLE = "table"
    """One row of a table; neighbouring rows with the same header are one table."""
    CODE = "code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A stretch of a file that belongs together: a paragraph, a list entry, a table row, a definition."""

    text: str
    kind: Kind = Kind.TEXT
    page: int | None = None
    """Counted from 1; None for kinds of file that have no pages."""
    page_label: str | None = None
    """What the document calls the page, where that is not its number."""
    lines: tuple[int, int] | None = None
    """First and last line in the file, counted from 1, both included; None where lines mean nothing."""
    path: tuple[str, ...] = ()
    """The headings (or definitions) it stands under, outermost first; a heading's own path ends with it."""
    header: str = ""
    """For a table's row: the header row, to be repeated wherever the table is cut."""
    unit: Unit | None = None
    """What page and lines count, where that is not pages and lines; the same all over a section."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A file's text in reading order."""

    kind: str
    """The format's name as shown to people, for instance ``PDF``."""
    blocks: tuple[Block, ...]
    pages: int | None = None
    blank_pages: int = 0
    """How many of the pages gave no text, for instance because they were scanned."""
    note: str | None = None
    """What of the file is not read and why, in a sentence for people."""
    is_archive: bool = False
    """Then there are no blocks: its files are documents of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A file as it came: what a loader reads."""

    data: bytes
    name: str
    max_pages: int
    recognize: int = 0
    """Most pages whose picture may be read where they have no text; 0: text recognition is off."""
    page_labels: bool = True
    """Whether to ask what pages are called; in a damaged file that may crash or never end."""


# Colour codes of terminals, control characters, halves of surrogate pairs, noncharacters, invisible spaces,
# soft hyphens: no store or model wants them, and a word with a soft hyphen in it is never found.
_UNWANTED = re.compile(
    "\x1b\\[[0-9;?]*[ -/]*[@-~]"
    "|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\xad\u200b\u2060\ufeff\ufffe\uffff\ud800-\udfff]"
)

MAX_TITLE_CHARS = 120
"""A heading longer than this is a paragraph in disguise; in a path it is shortened."""


def clean(text: str) -> str:
    """Take out the characters that nobody sees and nobody searches."""
    return _UNWANTED.sub("", text)


def title(text: str) -> str:
    """Write a heading's text on one line, short enough for a path."""
    line = " ".join(clean(text).split())
    return line if len(line) <= MAX_TITLE_CHARS else line[: MAX_TITLE_CHARS - 1].rstrip() + "…"


class Headings:
    """The headings that are open at some point of a document read from top to bottom."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, text: str) -> tuple[str, ...]:
        """Open a heading, closing those of its *level* and below (higher numbers)."""
        self._open = [(at, title) for at, title in self._open if at < level]
        self._open.append((level, title(text)))
        return self.path

    @property
    def path(self) -> tuple[str, ...]:
        """The open headings, outermost first."""
        return tuple(text for _, text in self._open)
