"""The process that reads other people's files, started by `sandbox` and limited by the kernel."""

from __future__ import annotations

import math
import os
import resource
import sys
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.chunker import chunk
from pipeline.ingestion.loaders import load
from pipeline.ingestion.loaders.bundles import unpack
from pipeline.ingestion.loaders.sniff import is_archive
from pipeline.ingestion.wire import (
    LENGTH,
    OUT_OF_MEMORY,
    Listed,
    Parsed,
    ParseLimits,
    Reply,
    frame,
    pack_reply,
    unpack_request,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import BinaryIO, TypeVar

    from pipeline.ingestion.loaders.bundles import Member

    Outcome = TypeVar("Outcome")

MAX_FILES = 200
"""Then a fresh process takes over: what parsers leak stays small, for 0.2 s in two hundred files."""
MAX_GROWTH_BYTES = 300_000_000
"""Resident memory that a process may have gained when it has finished a file."""


def main() -> None:
    """Answer requests until standard input ends."""
    requests, replies = _private_pipes()
    _limit(resource.RLIMIT_CORE, 0)
    address_space, resident = _memory()
    _send(replies, b"{}")
    served = 0
    while (header := _receive(requests)) is not None and (data := _receive(requests)) is not None:
        name, limits, unpacks = unpack_request(header)
        if address_space:
            _limit(resource.RLIMIT_AS, address_space + limits.memory_bytes)
        _limit(resource.RLIMIT_CPU, math.ceil(_cpu_seconds()) + limits.cpu_seconds)
        served += 1
        members: list[Member] = []
        outcome: Parsed | Listed | IngestError
        if unpacks:
            outcome, cause = _guarded(partial(_listed, data, limits, members))
        else:
            outcome, cause = _guarded(partial(_parsed, data, name, limits))
        del data
        worn = served >= MAX_FILES or _memory()[1] > resident + MAX_GROWTH_BYTES or cause == "MemoryError"
        _send(replies, pack_reply(Reply(outcome=outcome, retire=worn, cause=cause)))
        for member in members:
            if isinstance(outcome, Listed) and isinstance(member.content, bytes):
                _receive(requests)  # the other side takes one at a time, so as to hold no more
                _send(replies, member.content)


def _guarded(work: Callable[[], Outcome]) -> tuple[Outcome | IngestError, str | None]:
    """Do what reads a file; the second value names what a library raised, which nobody foresaw."""
    try:
        return work(), None
    except IngestError as exc:
        return exc, None
    except MemoryError as exc:
        message = "The file needs more memory to read than is allowed; upload it in parts."
        return IngestError(IngestReason.TOO_LARGE, message), type(exc).__name__
    except Exception as exc:  # noqa: BLE001 - a parser fed with foreign bytes may raise anything it likes
        message = (
            "The file is damaged, or written in a way that cannot be read; save it anew and upload that."
        )
        return IngestError(IngestReason.CORRUPT, message), type(exc).__name__


def _parsed(data: bytes, name: str, limits: ParseLimits) -> Parsed:
    """Read one file. Raises `IngestError`, and whatever a parser raises."""
    loaded = load(
        data,
        name,
        max_pages=limits.max_pages,
        recognize=limits.recognize,
        page_labels=limits.page_labels,
    )
    pieces = tuple(chunk(loaded, limits=limits.chunk))
    if len(pieces) > limits.max_pieces:
        message = "The file holds more text than one document may; upload it in parts."
        raise IngestError(IngestReason.TOO_LARGE, message)
    return Parsed(
        pages=loaded.pages,
        pieces=pieces,
        blank_pages=loaded.blank_pages,
        note=loaded.note,
        is_archive=loaded.is_archive,
    )


def _listed(data: bytes, limits: ParseLimits, members: list[Member]) -> Listed:
    """Take an archive apart into *members*, and list them. Raises `IngestError`."""
    members += unpack(data, is_archive, max_bytes=limits.max_bytes)
    return Listed(
        members=tuple(
            (member.name, len(member.content) if isinstance(member.content, bytes) else member.content)
            for member in members
        )
    )


def _private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take the two pipes for ourselves: what a library prints must not end up between the frames."""
    requests, replies = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    return requests, replies


def _receive(pipe: BinaryIO) -> bytes | None:
    """Return the next frame; None when the other side is gone."""
    prefix = pipe.read(LENGTH.size)
    if len(prefix) < LENGTH.size:
        return None
    (length,) = LENGTH.unpack(prefix)
    payload = pipe.read(length)
    return payload if len(payload) == length else None


def _send(pipe: BinaryIO, payload: bytes) -> None:
    pipe.write(frame(payload))
    pipe.flush()


def _limit(which: int, value: int) -> None:
    """Lower a limit where the system allows it: macOS refuses some, and the wall clock still holds."""
    with suppress(ValueError, OSError):
        _, hard = resource.getrlimit(which)
        resource.setrlimit(which, (value if hard == resource.RLIM_INFINITY else min(value, hard), hard))


def _cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _memory() -> tuple[int, int]:
    """Return address space and resident memory in bytes; zeros on macOS, which has no /proc."""
    try:
        size, resident = Path("/proc/self/statm").read_text().split()[:2]
    except OSError:
        return 0, 0
    return int(size) * resource.getpagesize(), int(resident) * resource.getpagesize()


if __name__ == "__main__":
    try:
        main()
    except MemoryError:
        sys.exit(OUT_OF_MEMORY)
