"""What the two sides of the sandbox say to each other: frames of JSON, nothing that could be executed."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pipeline.domain import IngestReason, Place, Unit
from pipeline.errors import IngestError
from pipeline.ingestion.chunker import ChunkLimits, Piece
from pipeline.ingestion.loaders import MAX_PAGES

LENGTH = struct.Struct(">Q")
"""Stands before every frame: its number of bytes."""
MAX_REPLY_BYTES = 256_000_000
"""Four bytes a character of `ParseLimits.max_pieces` pieces at their greatest length, twice over."""

RECOGNITION_BYTES = 3_000_000_000
"""Address space for text recognition; 1.6 GB were used for one page of 2,000 by 1,546 pixels."""
RECOGNITION_SECONDS = 40
"""For one page, of the processor and of the clock; 5 of the one and 22 of the other on two busy cores."""

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
    recognize: int = 0
    """Most pages of a document whose picture is read by text recognition; 0: it is off."""
    page_labels: bool = True
    """Whether a PDF is asked what its pages are called."""

    def recognizing(self) -> ParseLimits:
        """Return the limits of a file whose pages are pictures: reading those takes much more."""
        seconds = RECOGNITION_SECONDS * self.recognize
        return replace(
            self,
            memory_bytes=max(self.memory_bytes, RECOGNITION_BYTES),
            cpu_seconds=self.cpu_seconds + seconds,
            wall_seconds=self.wall_seconds + seconds,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A file's pieces in reading order."""

    pages: int | None
    pieces: tuple[Piece, ...]
    blank_pages: int = 0
    """How many of the pages gave no text."""
    note: str | None = None
    """What else of the file was not read, in a sentence."""
    is_archive: bool = False
    """Then there are no pieces: its files are documents of their own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The files of an archive; a frame that asks for it brings the bytes of the next that has a size."""

    members: tuple[tuple[str, int | IngestError], ...]
    """Path inside, and size or why it cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How a file went, and whether the process should be replaced before the next one."""

    outcome: Parsed | Listed | IngestError
    retire: bool
    cause: str | None = None
    """The type of a parser's exception that nobody foresaw."""


def frame(payload: bytes) -> bytes:
    """Put the length before *payload*."""
    return LENGTH.pack(len(payload)) + payload


def pack_request(name: str, limits: ParseLimits, *, unpack: bool = False) -> bytes:
    """Write the frame that precedes the file's own: read it, or *unpack* an archive."""
    return json.dumps({"name": name, "limits": asdict(limits), "unpack": unpack}).encode()


def unpack_request(payload: bytes) -> tuple[str, ParseLimits, bool]:
    """Read name, limits, and whether an archive is to be unpacked."""
    request = json.loads(payload)
    limits = request["limits"] | {"chunk": ChunkLimits(**request["limits"]["chunk"])}
    return request["name"], ParseLimits(**limits), request["unpack"]


def pack_reply(reply: Reply) -> bytes:
    """Write a reply; what is no valid Unicode becomes a question mark."""
    message: dict[str, Any] = {"retire": reply.retire, "cause": reply.cause}
    match reply.outcome:
        case IngestError() as error:
            message |= _refusal(error)
        case Listed(members=members):
            message["members"] = [
                {"name": name, **(_refusal(state) if isinstance(state, IngestError) else {"size": state})}
                for name, state in members
            ]
        case Parsed() as parsed:
            pieces = [_row(piece) for piece in parsed.pieces]
            message |= {"pages": parsed.pages, "blank_pages": parsed.blank_pages, "pieces": pieces}
            message |= {"is_archive": parsed.is_archive, "note": parsed.note}
    return json.dumps(message, ensure_ascii=False).encode("utf-8", "replace")


def unpack_reply(payload: bytes) -> Reply:
    """Read a reply. Raises `ValueError`, `KeyError` or `TypeError` for anything else."""
    message = json.loads(payload)
    outcome: Parsed | Listed | IngestError
    if "reason" in message:
        outcome = _error(message)
    elif "members" in message:
        outcome = Listed(members=tuple((str(row["name"]), _state(row)) for row in message["members"]))
    else:
        outcome = Parsed(
            pages=message["pages"],
            pieces=tuple(_piece(*row) for row in message["pieces"]),
            blank_pages=message["blank_pages"],
            is_archive=bool(message["is_archive"]),
            note=message["note"],
        )
    return Reply(outcome=outcome, retire=bool(message["retire"]), cause=message["cause"])


def _refusal(error: IngestError) -> dict[str, str]:
    return {"reason": error.reason, "message": str(error)}


def _error(message: dict[str, Any]) -> IngestError:
    return IngestError(IngestReason(message["reason"]), str(message["message"]))


def _state(row: dict[str, Any]) -> int | IngestError:
    return _error(row) if "reason" in row else int(row["size"])


def _row(piece: Piece) -> tuple[object, ...]:
    place = piece.place
    return piece.text, place.page, place.lines, place.section, place.unit, place.page_label


def _piece(
    text: str,
    page: int | None,
    lines: list[int] | None,
    section: str | None,
    unit: str | None,
    page_label: str | None,
) -> Piece:
    span = None if lines is None else (lines[0], lines[1])
    counted = None if unit is None else Unit(unit)
    place = Place(page=page, lines=span, section=section, unit=counted, page_label=page_label)
    return Piece(text=text, place=place)
