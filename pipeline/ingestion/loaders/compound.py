"""OLE compound files, the container of Office files of before 2007 and of all that have a password."""

from __future__ import annotations

from typing import Final

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders.formats import WORKBOOK, Format, supported

MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ZIPPED_SUFFIXES = frozenset(
    {".docx", ".docm", ".dotx", ".xlsx", ".xlsm", ".xlsb", ".xltx", ".pptx", ".pptm", ".potx", ".ppsx"}
)
"""Formats of since 2007, which are in this container only when they are encrypted."""
_NAME_BYTES = 64
_STREAMS: dict[str, str | Format] = {
    "Workbook": WORKBOOK,
    "Book": WORKBOOK,
    "WordDocument": "a Word document of before 2007 (.doc); save it as .docx or PDF, and upload that",
    "PowerPoint Document": "a presentation of before 2007 (.ppt); save it as .pptx or PDF, and upload that",
    "__properties_version1.0": "an Outlook message (.msg); save it as .eml or PDF, and upload that",
}
"""The stream that tells a kind of file, and what to do about it."""


def sniff_compound(data: bytes, suffix: str) -> Format:
    """Return the format of a compound file. Raises `IngestError`: ENCRYPTED, UNSUPPORTED_TYPE."""
    if _ENCRYPTED in data:
        raise _encrypted()
    found = {data.find(_entry(name)): what for name, what in _STREAMS.items()}
    found.pop(-1, None)
    # a document can hold one of another kind, which is listed after its own streams
    what = found[min(found)] if found else None
    if isinstance(what, Format):
        return what
    if what is None and suffix in _ZIPPED_SUFFIXES:
        raise _encrypted()
    what = what or f"of an Office format of before 2007; save it as .docx or PDF. {supported()}"
    raise IngestError(IngestReason.UNSUPPORTED_TYPE, f"The file is {what.rstrip('.')}.")


def _entry(name: str) -> bytes:
    """Return how a stream of this *name* stands in the directory: padded, and followed by its length."""
    raw = name.encode("utf-16-le")
    return raw.ljust(_NAME_BYTES, b"\0") + (len(raw) + 2).to_bytes(2, "little")


def _encrypted() -> IngestError:
    return IngestError(
        IngestReason.ENCRYPTED, "The file is protected by a password; upload a copy without one."
    )
