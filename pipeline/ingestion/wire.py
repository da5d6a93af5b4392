"""What the two sides of the sandbox say to each other: frames of JSON, nothing that could be executed."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass, field
from typing import Any

from pipeline.domain import IngestReason, Place
from pipeline.errors import IngestError
from pipeline.ingestion.chunker import ChunkLimits, Piece
from pipeline.ingestion.loaders import MAX_PAGES

LENGTH = struct.Struct(">Q")
"""Stands before every frame: its number of bytes."""
MAX_REPLY_BYTES = 256_000_000
"""Four bytes a character of `ParseLimits.max_pieces` pieces at their greatest length, twice over."""

OUT_OF_MEMORY = 77
"""Exit status of a process that had not even the memory left to say so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParseLimits:
    """What one file may cost."""

    max_bytes: int = 50_000_000
    max_pages: int = MAX_PAGES
    max_pieces: int = 20_000
    """About 18 million characters; embedding them takes minutes already."""
    memory_bytes: int = 1_000_000_000
    """Address space on top of what the process has before its first file."""
    cpu_seconds: int = 60
    wall_seconds: float = 60.0
    chunk: ChunkLimits = field(default_factory=ChunkLimits)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A file's pieces in reading order."""

    pages: int | None
    pieces: tuple[Piece, ...]
    blank_pages: int = 0
    """How many of the pages gave no text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How a file went, and whether the process should be replaced before the next one."""

    outcome: Parsed | IngestError
    retire: bool
    cause: str | None = None
    """The type of a parser's exception that nobody foresaw."""


def frame(payload: bytes) -> bytes:
    """Put the length before *payload*."""
    return LENGTH.pack(len(payload)) + payload


def pack_request(name: str, limits: ParseLimits) -> bytes:
    """Write the frame that precedes the file's own."""
    return json.dumps({"name": name, "limits": asdict(limits)}).encode()


def unpack_request(payload: bytes) -> tuple[str, ParseLimits]:
    """Read name and limits."""
    request = json.loads(payload)
    limits = request["limits"] | {"chunk": ChunkLimits(**request["limits"]["chunk"])}
    return request["name"], ParseLimits(**limits)


def pack_reply(reply: Reply) -> bytes:
    """Write a reply; what is no valid Unicode becomes a question mark."""
    message: dict[str, Any] = {"retire": reply.retire, "cause": reply.cause}
    match reply.outcome:
        case IngestError(reason=reason) as error:
            message |= {"reason": reason, "message": str(error)}
        case Parsed() as parsed:
            pieces = [_row(piece) for piece in parsed.pieces]
            message |= {"pages": parsed.pages, "blank_pages": parsed.blank_pages, "pieces": pieces}
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def unpack_reply(payload: bytes) -> Reply:
    """Read a reply. Raises `ValueError`, `KeyError` or `TypeError` for anything else."""
    message = json.loads(payload)
    outcome: Parsed | IngestError
    if "reason" in message:
        outcome = IngestError(IngestReason(message["reason"]), str(message["message"]))
    else:
        pieces = tuple(_piece(*row) for row in message["pieces"])
        outcome = Parsed(pages=message["pages"], pieces=pieces, blank_pages=message["blank_pages"])
    return Reply(outcome=outcome, retire=bool(message["retire"]), cause=message["cause"])


def _row(piece: Piece) -> tuple[str, int | None, tuple[int, int] | None, str | None]:
    return piece.text, piece.place.page, piece.place.lines, piece.place.section


def _piece(text: str, page: int | None, lines: list[int] | None, section: str | None) -> Piece:
    span = None if lines is None else (lines[0], lines[1])
    return Piece(text=text, place=Place(page=page, lines=span, section=section))
