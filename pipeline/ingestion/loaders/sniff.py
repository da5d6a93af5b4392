"""What a file is: its content decides; the name only tells kinds of text apart."""

from __future__ import annotations

import re
from pathlib import PurePath

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders.archives import ZIP_MAGIC, open_archive
from pipeline.ingestion.loaders.formats import (
    ARCHIVE_MEMBERS,
    FORMATS,
    PLAIN,
    SOURCE,
    UNREADABLE_MAGIC,
    WEBPAGE,
    Format,
    supported,
)

_HEAD_BYTES = 1024
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_OFFICE_SUFFIXES = frozenset({".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".pptm"})
_PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".zip", ".mp3", ".mp4"})
_PAGE_START = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_SHORTEST_SURE_MAGIC = 3


def sniff(data: bytes, name: str) -> Format:
    """Return the format of a file that is not empty. Raises `IngestError` for what cannot be read."""
    head = data[:_HEAD_BYTES]
    for row in FORMATS:
        if row.magic and row.magic in head:
            return row
    if head.startswith(ZIP_MAGIC):
        return _inside_archive(data)
    suffix = PurePath(name).suffix.lower()
    if head.startswith(_OLE_MAGIC):
        raise _ole_refusal(data, suffix)
    _refuse_unreadable(head)
    return _kind_of_text(head, suffix)


def _inside_archive(data: bytes) -> Format:
    with open_archive(data) as archive:
        names = archive.namelist()
    for row in FORMATS:
        if row.member and any(name.startswith(row.member) for name in names):
            return row
    found = next((what for member, what in ARCHIVE_MEMBERS if any(n.startswith(member) for n in names)), None)
    raise _refusal(found or "an archive")


def _ole_refusal(data: bytes, suffix: str) -> IngestError:
    """Tell an encrypted office file from one of before 2007: both stand in the same container."""
    if suffix in _OFFICE_SUFFIXES or _OLE_ENCRYPTED in data:
        return IngestError(
            IngestReason.ENCRYPTED, "The file is protected by a password; upload a copy without one."
        )
    return IngestError(
        IngestReason.UNSUPPORTED_TYPE,
        f"The file has an Office format of before 2007; save it as .docx or PDF. {supported()}",
    )


def _refuse_unreadable(head: bytes) -> None:
    for magic, what in UNREADABLE_MAGIC:
        if head.startswith(magic) and (len(magic) >= _SHORTEST_SURE_MAGIC or b"\0" in head):
            raise _refusal(what)
    if head[4:8] == b"ftyp":
        raise _refusal("a video or picture")


def _kind_of_text(head: bytes, suffix: str) -> Format:
    named = next((row for row in FORMATS if suffix in row.suffixes), PLAIN)
    # UTF-16 in the markup's own characters is ASCII with zeros in between
    if not _PAGE_START.match(head.replace(b"\0", b"").lstrip(b"\xef\xbb\xbf\xff\xfe")):
        return PLAIN if named.binary else named
    if named.binary or suffix in _OFFICE_SUFFIXES | _PICTURE_SUFFIXES:
        raise IngestError(
            IngestReason.UNSUPPORTED_TYPE,
            f"The file is named {suffix} but holds a web page, perhaps a login page; upload the file itself.",
        )
    return named if named is SOURCE else WEBPAGE


def _refusal(what: str) -> IngestError:
    return IngestError(
        IngestReason.UNSUPPORTED_TYPE, f"The file is {what}, which cannot be read. {supported()}"
    )
