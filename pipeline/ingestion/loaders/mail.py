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
    SHORT_HEADERS,
    content,
    file_name,
    headers,
    inner_parts,
    is_attached,
    is_decoration,
    is_sealed,
    readable,
    written,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from email.message import Message

MAX_DEPTH: Final = 4
"""How deep mails may be attached to mails; what is deeper is named and not read."""
MAX_ATTACHMENTS: Final = 100
"""How many files are read, those of attached mails included; more are named."""

NAMED: Final = 5
"""Attachments that the note names; of the others it gives the number."""

_SHOWN = ("From", "To", "Cc", "Date")
_TELLING = frozenset({"from", "to", "date", "subject", "received", "message-id", "mime-version"})
"""Headers of which every mail has one."""
_BOM = b"\xef\xbb\xbf"


def load(upload: Upload) -> Loaded:
    """Read headers, text and attachments, each of these in a section of its own, with its own pages and rows.

    What cannot be read of them is named; `Loaded.note` says why. Raises `IngestError` (ENCRYPTED).
    """
    message = BytesParser(policy=SHORT_HEADERS).parsebytes(upload.data.removeprefix(_BOM).lstrip(b"\r\n"))
    if not _TELLING.intersection(headers(message)):
        return prose.load(upload)
    reader = _Reader(upload)
    blocks = tuple(reader.read(message, (), 1))
    return Loaded(kind="mail", blocks=blocks, note=_note(reader.unread))


class _Reader:
    """Reads a mail and those attached to it."""

    def __init__(self, upload: Upload) -> None:
        self._upload = upload
        self._left = MAX_ATTACHMENTS
        self.unread: list[tuple[str, str]] = []
        """Name of an attachment and why it is not read, or not all of it."""

    def read(self, message: Message, outer: tuple[str, ...], depth: int) -> Iterator[Block]:
        """Yield what the people who have the mail see of it. Raises `IngestError` (ENCRYPTED)."""
        sent = headers(message)
        known = {name: readable(sent[name]) for name in ("subject", *map(str.lower, _SHOWN)) if name in sent}
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
            yield self._unread("a mail", f"of mails attached to mails, {MAX_DEPTH} are read", path)
            return
        try:
            for inner in inner_parts(part):
                yield from self.read(inner, path, depth + 1)
        except IngestError as error:
            yield self._unread("a mail", str(error), path)

    def _attachment(self, part: Message, path: tuple[str, ...]) -> Iterator[Block]:
        name = file_name(part) or f"attachment{mimetypes.guess_extension(part.get_content_type()) or ''}"
        self._left -= 1
        if self._left < 0:
            # thousands of names are a list, not a section each
            unread = self._unread(name, f"at most {MAX_ATTACHMENTS} attachments are read", path)
            yield replace(unread, path=path, kind=Kind.ITEM)
            return
        try:
            loaded = loaders.load(
                content(part), name, max_pages=self._upload.max_pages, recognize=self._upload.recognize
            )
        except IngestError as error:
            yield self._unread(name, str(error), path)
            return
        if loaded.is_archive:
            yield self._unread(name, "archives in mails are not opened; upload it by itself", path)
        left_out = (
            f"{loaded.blank_pages:,} of {loaded.pages:,} pages hold no text" if loaded.blank_pages else None
        )
        self.unread += [(name, why) for why in (left_out, loaded.note) if why]
        inner = (*path, _label(name))
        yield from (replace(block, path=(*inner, *block.path)) for block in loaded.blocks)

    def _unread(self, name: str, why: str, path: tuple[str, ...]) -> Block:
        """Say that something is attached that is not read; why is no text of the mail, to be cited."""
        self.unread.append((name, why))
        return Block(text=f"Attached: {name}, not read", path=(*path, _label(name)))


def _label(name: str) -> str:
    """Return the heading that an attachment stands under: its pages and lines are not those of the mail."""
    return title(f"attachment {name}")


def _note(unread: list[tuple[str, str]]) -> str | None:
    """Say what of the attachments is not searched, and why."""
    if not unread:
        return None
    named = [f"{title(name)} ({why.partition('. ')[0].rstrip('.')})" for name, why in unread[:NAMED]]
    more = [f"{len(unread) - NAMED:,} more"] if len(unread) > NAMED else []
    return f"Attached and not searched: {', '.join(named + more)}."
