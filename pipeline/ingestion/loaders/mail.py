"""Mail that was saved as a file: who wrote what to whom, and what was attached."""

from __future__ import annotations

import mimetypes
from dataclasses import replace
from email.parser import BytesParser
from typing import TYPE_CHECKING, Final

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion import loaders
from pipeline.ingestion.blocks import Block, Kind, Loaded, Upload, title
from pipeline.ingestion.loaders import prose
from pipeline.ingestion.loaders.mailparts import (
    content,
    file_name,
    headers,
    inner_parts,
    is_attached,
    is_decoration,
    is_sealed,
    written,
)
from pipeline.ingestion.loaders.members import damaged

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

MAX_DEPTH: Final = 4
"""How deep mails may be attached to mails; what is deeper is named and not read."""
MAX_ATTACHMENTS: Final = 100
"""How many files are read, those of attached mails included; more are named."""

_SHOWN = ("From", "To", "Cc", "Date")
_TELLING = frozenset({"from", "to", "date", "subject", "received", "message-id", "mime-version"})
"""Headers of which every mail has one."""
_BOM = b"\xef\xbb\xbf"


def load(upload: Upload) -> Loaded:
    """Read headers, text and attachments, each of these in a section of its own, with its own pages and rows.

    What cannot be read of them is named. Raises `IngestError`: ENCRYPTED, CORRUPT.
    """
    try:
        message = BytesParser().parsebytes(upload.data.removeprefix(_BOM).lstrip(b"\r\n"))
        if not _TELLING.intersection(headers(message)):
            return prose.load(upload)
        blocks = tuple(_Reader(upload).read(message, (), 1))
    except RecursionError as exc:
        raise damaged() from exc
    return Loaded(kind="mail", blocks=blocks)


class _Reader:
    """Reads a mail and those attached to it."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._left = MAX_ATTACHMENTS

    def read(self, message: Message, outer: tuple[str, ...], depth: int) -> Iterator[Block]:
        """Yield what the people who have the mail see of it. Raises `IngestError` (ENCRYPTED)."""
        known = headers(message)
        subject = known.get("subject", "")
        path = (*outer, title(subject)) if subject else outer
        if subject:
            yield Block(text=subject, kind=Kind.HEADING, path=path)
        shown = [f"{name}: {known[name.lower()]}" for name in _SHOWN if known.get(name.lower())]
        if shown:
            yield Block(text="\n".join(shown), path=path)
        yield from self._part(message, path, depth)

    def _part(self, part: Message, path: tuple[str, ...], depth: int) -> Iterator[Block]:
        if is_sealed(part):
            raise IngestError(IngestReason.ENCRYPTED, "The mail is encrypted; save its text and upload that.")
        if part.get_content_type() == "message/rfc822" and part.is_multipart():
            yield from self._mail(part, path, depth)
        elif part.get_content_type() == "multipart/alternative":
            yield from written(part, path)
        elif part.is_multipart():
            for inner in inner_parts(part):
                yield from self._part(inner, path, depth)
        elif is_attached(part):
            yield from self._attachment(part, path)
        elif not is_decoration(part):
            yield from written(part, path)

    def _mail(self, part: Message, path: tuple[str, ...], depth: int) -> Iterator[Block]:
        if depth == MAX_DEPTH:
            yield _named("a mail", path)
            return
        try:
            for inner in inner_parts(part):
                yield from self.read(inner, path, depth + 1)
        except IngestError:
            yield _named("a mail", path)

    def _attachment(self, part: Message, path: tuple[str, ...]) -> Iterator[Block]:
        name = file_name(part) or f"attachment{mimetypes.guess_extension(part.get_content_type()) or ''}"
        self._left -= 1
        if self._left < 0:
            yield _named(name, path)
            return
        try:
            loaded = loaders.load(
                content(part), name, max_pages=self._upload.max_pages, recognize=self._upload.recognize
            )
        except IngestError:
            yield _named(name, path)
            return
        if loaded.is_archive:
            yield _named(name, path)
        inner = (*path, title(name))
        yield from (replace(block, path=(*inner, *block.path)) for block in loaded.blocks)


def _named(name: str, path: tuple[str, ...]) -> Block:
    """Say that something is attached that is not read; why is no text of the mail, and cannot be cited."""
    return Block(text=f"Attached: {name}, not read", path=(*path, title(name)))
