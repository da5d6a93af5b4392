"""What a file is: its content decides; the name only tells kinds of text apart."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders.archives import ZIP_MAGIC, open_zip
from pipeline.ingestion.loaders.bundles import is_tar
from pipeline.ingestion.loaders.compound import MAGIC, sniff_compound
from pipeline.ingestion.loaders.formats import (
    ARCHIVE,
    ARCHIVE_MEMBERS,
    FORMATS,
    MEDIA,
    PLAIN,
    SOURCE,
    UNREADABLE_MAGIC,
    WEBPAGE,
    XML,
    Format,
    supported,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

_HEAD_BYTES = 1024
_OFFICE_SUFFIXES = frozenset({".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".pptm"})
_PICTURE_SUFFIXES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".webp", ".zip", ".mp3", ".mp4"})
_PAGE_START = re.compile(
    rb"\s*(?:<\?xml[^>]*>\s*|<!--.*?-->\s*)*<(?:!doctype\s+html|html)\b", re.IGNORECASE | re.DOTALL
)
_SHORTEST_SURE_MAGIC = 3
_MARK_UP = frozenset({SOURCE, XML})
"""Kinds of text that may begin as a web page does and are none."""
_INSIDE_OFFICE = ("[Content_Types].xml", "_rels/", "docProps/", "customXml/", "word/", "xl/", "ppt/")
_MAIN_PARTS = ("word/document.xml", "xl/workbook.", "ppt/presentation.xml")
_MARK_OF_PACKAGE = re.compile(r"mimetype|META-INF/manifest\.xml|.*\.opf")
"""Beside which OpenDocument files and e-books keep their contents."""
_END_OF_OBJECTS = re.compile(rb"endobj|startxref|endstream")


def sniff(data: bytes, name: str) -> Format:
    """Return the format of a file that is not empty. Raises `IngestError` for what cannot be read."""
    head = data[:_HEAD_BYTES]
    if head.startswith(ZIP_MAGIC):
        return _inside_archive(data)
    if is_tar(data):
        return ARCHIVE
    for row in FORMATS:
        if row.magic and row.magic in head and _begins(head, data, row):
            return row
    suffix = PurePath(name).suffix.lower()
    if head.startswith(MAGIC):
        return sniff_compound(data, suffix)
    _refuse_unreadable(head)
    return _kind_of_text(head, suffix)


def is_archive(data: bytes) -> bool:
    """Tell whether *data* is an archive of files that are documents of their own."""
    try:
        return sniff(data, "").archive
    except IngestError:
        return False


def _begins(head: bytes, data: bytes, row: Format) -> bool:
    """Tell a file of this format that begins late from a text that names its first bytes."""
    return head.lstrip().startswith(row.magic) or _END_OF_OBJECTS.search(data) is not None


def _inside_archive(data: bytes) -> Format:
    with open_zip(data) as archive:
        names = archive.namelist()
    for row in FORMATS:
        if row.member and _is_made_by_office(names, row.member):
            return row
    found = next((what for member, what in ARCHIVE_MEMBERS if member in names), None)
    if found:
        raise _refusal(found)
    return ARCHIVE


def _is_made_by_office(names: Sequence[str], member: str) -> bool:
    """Tell an office file from an archive with somebody's folder "word" or file "content.xml"."""
    if not member.endswith("/"):
        return member in names and any(_MARK_OF_PACKAGE.fullmatch(name) for name in names)
    if not any(name.startswith(member) for name in names):
        return False
    whole = all(name.startswith(_INSIDE_OFFICE) for name in names)  # one that lost its list is damaged
    return _INSIDE_OFFICE[0] in names or (whole and any(name.startswith(_MAIN_PARTS) for name in names))


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
    return named if named in _MARK_UP else WEBPAGE


def _refusal(what: str) -> IngestError:
    sentence = f"The file is {what}, which cannot be read."
    return IngestError(
        IngestReason.UNSUPPORTED_TYPE, sentence if what in MEDIA else f"{sentence} {supported()}"
    )
