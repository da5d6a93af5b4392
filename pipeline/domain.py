"""The values about channels and documents. Importing them loads no store, no model library and no SDK."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pipeline.errors import InvalidScope

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

_PART = re.compile(r"[A-Za-z0-9_-]{1,64}")
_SCOPE_FORM = "write platform:workspace:channel, for instance terminal:local:demo."


@dataclass(frozen=True, slots=True)
class Scope:
    """One channel of one workspace on one platform; everything is kept and asked per scope.

    Two scopes that differ only in case are the same scope: store names live on file systems that may not
    tell case apart, and no platform hands out ids that differ only in case.
    """

    platform: str
    workspace: str
    channel: str

    def __post_init__(self) -> None:
        for part in (self.platform, self.workspace, self.channel):
            if not _PART.fullmatch(part):
                raise InvalidScope(f"'{part}' cannot be part of a channel's name; {_SCOPE_FORM}")

    @classmethod
    def parse(cls, text: str) -> Scope:
        """Read ``platform:workspace:channel``. Raises `InvalidScope`."""
        parts = text.split(":")
        if len(parts) != 3:
            raise InvalidScope(f"'{text}' is not a channel; {_SCOPE_FORM}")
        platform, workspace, channel = parts
        return cls(platform, workspace, channel)

    @property
    def key(self) -> str:
        """The lower-case name that stores use; ``.`` cannot occur in a part."""
        return f"{self.platform}.{self.workspace}.{self.channel}".lower()

    def __str__(self) -> str:
        return f"{self.platform}:{self.workspace}:{self.channel}"


def document_id_for(scope: Scope, digest: str) -> str:
    """Name a document by its channel and the SHA-256 hex *digest* of its bytes."""
    return "d" + hashlib.sha256(f"{scope.key}\0{digest}".encode()).hexdigest()[:20]


def chunk_id_for(document_id: str, index: int) -> str:
    """Name the *index*-th chunk (from 0) of a document; a re-run gives the same names."""
    return f"{document_id}-{index:05d}"


class IngestReason(StrEnum):
    """Why a file was not indexed."""

    EMPTY_FILE = "EMPTY_FILE"
    NO_TEXT = "NO_TEXT"
    UNSUPPORTED_TYPE = "UNSUPPORTED_TYPE"
    ENCRYPTED = "ENCRYPTED"
    CORRUPT = "CORRUPT"
    TOO_LARGE = "TOO_LARGE"
    TOO_MANY_PAGES = "TOO_MANY_PAGES"
    TIMED_OUT = "TIMED_OUT"
    UNREADABLE = "UNREADABLE"
    MODEL_UNAVAILABLE = "MODEL_UNAVAILABLE"
    INTERNAL_ERROR = "INTERNAL_ERROR"


class DocumentStatus(StrEnum):
    """Where a document stands; only a ready one is searched."""

    QUEUED = "queued"
    INDEXING = "indexing"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A fact sheet of one document in a channel's catalog; never its text."""

    document_id: str
    """Derived from the bytes (see `document_id_for`), so the same bytes are the same document."""
    display_name: str
    source: str
    """Where the original stays: a permalink, or a ``file:`` URL in the terminal."""
    uploader: str | None
    uploaded_at: datetime
    """Always in UTC."""
    status: DocumentStatus
    pages: int | None = None
    """None for kinds of file that have no pages."""
    chunks: int = 0
    reason: IngestReason | None = None
    message: str | None = None
    """The reason in a sentence for people; of a ready document, what of it is not searched."""
    files: int | None = None
    """Of an archive, how many files of it are documents of their own; never stored. None: it is none."""
    revision: int = 0
    """Grows whenever the document's chunks are written anew, also after it was forgotten and came back;
    indexes in memory compare it."""


class Unit(StrEnum):
    """What a place's numbers count, where that is not the pages and lines of a text."""

    SLIDE = "slide"
    """Its page is a slide of a presentation."""
    ROW = "row"
    """Its lines are rows of a table."""
    SHEET = "sheet"
    """Its lines are rows of the sheet that stands last in its section."""


SECTIONS = " > "
"""Stands between the headings of a section path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a chunk stands in its document."""

    page: int | None = None
    """Counted from 1."""
    lines: tuple[int, int] | None = None
    """First and last line, counted from 1, both included."""
    section: str | None = None
    """Heading path, outermost first, joined by " > "."""
    unit: Unit | None = None
    """None: pages are pages, lines are lines."""
    page_label: str | None = None
    """What the document itself calls the page, where that is not its number: ``iv``, ``A-3``."""

    @property
    def position(self) -> str:
        """Page and lines for people: ``page 3, lines 10–20``, ``page iv (6)``, ``rows 2–9``; or nothing."""
        parts = []
        if self.page is not None:
            number = f"{self.page_label} ({self.page})" if self.page_label else str(self.page)
            parts.append(f"{'slide' if self.unit is Unit.SLIDE else 'page'} {number}")
        if self.lines is not None:
            first, last = self.lines
            word = "row" if self.unit in (Unit.ROW, Unit.SHEET) else "line"
            parts.append(f"{word} {first}" if first == last else f"{word}s {first}–{last}")
        return ", ".join(parts)

    def described(self, section: Callable[[str], str] = str) -> str:
        """Return all of it for people: ``page 3, Refunds > Timing`` or ``sheet Prices, rows 12–30``.

        *section* writes the section path in the manner of whoever shows it.
        """
        parts = [self.position, section(self._named_section) if self.section else ""]
        return ", ".join(filter(None, parts[::-1] if self.unit is Unit.SHEET else parts))

    @property
    def _named_section(self) -> str:
        outer, mark, sheet = (self.section or "").rpartition(SECTIONS)
        return f"{outer}{mark}sheet {sheet}" if self.unit is Unit.SHEET else self.section or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A piece of one document: the unit that is found and cited."""

    chunk_id: str
    document_id: str
    display_name: str
    source: str
    chunk_index: int
    text: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What a search is narrowed to. Document ids, never file names: two files may share a name."""

    document_ids: frozenset[str] | None = None
    """None: all documents of the channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChunk:
    """A chunk with its fused score and its rank in each arm (counted from 1; None: not found by that arm)."""

    chunk: Chunk
    score: float
    dense_rank: int | None = None
    sparse_rank: int | None = None
    cosine: float | None = None
    """Similarity of the chunk to the query, in [-1, 1]; None when the dense arm did not look."""
    coverage: float = 0.0
    """Share of the query's idf mass that occurs in the chunk, in [0, 1]."""
    weight: float = 0.0
    """The same mass itself, in units of a word that no chunk of the channel holds."""
    missing: int = 0
    """How many different words of the query the chunk does not hold."""
    unnamed: float = 0.0
    """Share of the query's idf mass in names and numbers that the chunk does not hold, in [0, 1]."""
    copies: tuple[Chunk, ...] = ()
    """Chunks that say the same in the same words; they were found too and are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieval:
    """What a search found, best first, and what it had to do without."""

    ranked: tuple[RankedChunk, ...]
    degraded: tuple[str, ...] = ()
    """Codes such as ``dense:embedder_changed`` or ``sparse:unavailable``."""
    withheld: frozenset[str] = frozenset()
    """Ids of the chunks of which sentences were left out."""
