"""Zip containers, opened only when unpacking them is safe."""

from __future__ import annotations

import io
from zipfile import BadZipFile, ZipFile

from pipeline.domain import IngestReason
from pipeline.errors import IngestError

ZIP_MAGIC = (b"PK\x03\x04", b"PK\x05\x06")
MAX_UNPACKED_BYTES = 200_000_000
"""Declared size of all members together; an office file above it would need gigabytes as a tree of nodes."""
MAX_RATIO = 100
"""Unpacked to packed; office files stay under 20."""
RATIO_FLOOR_BYTES = 10_000_000
"""Below this size a high ratio harms nobody (a small file that repeats itself)."""
ENCRYPTED_FLAG = 0x1


def open_zip(data: bytes) -> ZipFile:
    """Open a zip file as it is, whatever it unpacks to. Raises `IngestError` (CORRUPT)."""
    try:
        return ZipFile(io.BytesIO(data))
    except (BadZipFile, OSError, ValueError, NotImplementedError) as exc:
        raise IngestError(
            IngestReason.CORRUPT, "The file is damaged or incomplete; upload it again."
        ) from exc


def open_archive(data: bytes) -> ZipFile:
    """Open a zip file for a parser: one that does not unpack to too much.

    `zipfile` never unpacks more of a member than it declares, so the sum is a bound.

    Raises `IngestError`: CORRUPT, TOO_LARGE for a zip bomb, ENCRYPTED.
    """
    archive = open_zip(data)
    members = archive.infolist()
    unpacked = sum(member.file_size for member in members)
    if unpacked > MAX_UNPACKED_BYTES or unpacked > max(MAX_RATIO * len(data), RATIO_FLOOR_BYTES):
        raise IngestError(IngestReason.TOO_LARGE, "The file unpacks to far more data than can be read.")
    if any(member.flag_bits & ENCRYPTED_FLAG for member in members):
        raise IngestError(IngestReason.ENCRYPTED, "The file is protected by a password; upload one without.")
    return archive
