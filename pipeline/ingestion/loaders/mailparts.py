"""The parts of a mail: which are text and which are files, in whatever way they were encoded."""

from __future__ import annotations

import re
from dataclasses import replace
from email.errors import MessageError
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import collapse_rfc2231_value
from typing import TYPE_CHECKING

from pipeline.errors import IngestError
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.prose import paragraphs
from pipeline.ingestion.loaders.webpage import decode_page, walk

if TYPE_CHECKING:
    from pipeline.ingestion.blocks import Block

MAX_HEADER_CHARS = 20_000
"""Some five hundred receivers; the time to read a header grows with the square of its length."""
RICHER = 2
"""A mail's HTML is read in place of plain text if it says this many times as much: then that is a stub."""

_FOLD = re.compile(r"\r?\n[ \t]+|[\r\n]+")
_SOFT_BREAK = re.compile(r"(?<=\S) \n(?![>\s])")
_SIGNATURES = frozenset(
    {"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"}
)
_SEALED = frozenset({"application/pkcs7-mime", "application/x-pkcs7-mime"})


class _ShortHeaders(Compat32):
    """Python's way of reading mail as it comes, with an end to its headers."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:MAX_HEADER_CHARS]


SHORT_HEADERS = _ShortHeaders()


def headers(message: Message) -> dict[str, str]:
    """Return the first header of each name, in lower case, as it was sent."""
    found: dict[str, str] = {}
    for name, value in message.raw_items():
        found.setdefault(name.lower(), str(value))
    return found


def is_sealed(part: Message) -> bool:
    """Tell a part that only its receivers can read."""
    if part.get_content_type() in _SEALED:
        return part.get_param("smime-type") != "signed-data"
    return part.get_content_type() == "multipart/encrypted"


def is_attached(part: Message) -> bool:
    """Tell a file from text that belongs to the mail, and from what only decorates it."""
    if part.get_content_type() in _SIGNATURES:
        return False
    if part.get_content_disposition() == "attachment":
        return True
    if part.get_content_maintype() == "image":
        return False
    return file_name(part) != "" or part.get_content_type() not in ("text/plain", "text/html")


def is_decoration(part: Message) -> bool:
    """Tell what holds no text of the mail: signatures, pictures in its text."""
    return part.get_content_maintype() != "text"


def file_name(part: Message) -> str:
    """Return an attachment's name without folders, "" if it has none."""
    value = part.get_param("filename", header="content-disposition") or part.get_param("name") or ""
    name = readable(collapse_rfc2231_value(value))
    return re.split(r"[/\\]", name)[-1].strip()


def inner_parts(part: Message) -> list[Message]:
    """Return the parts that a part holds."""
    payload = part.get_payload()
    return [inner for inner in payload if isinstance(inner, Message)] if isinstance(payload, list) else []


def content(part: Message) -> bytes:
    """Return the bytes of a part that holds no others."""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def written(part: Message, path: tuple[str, ...]) -> list[Block]:
    """Return a text, or of several alternatives the one that says most, under *path*."""
    texts = [inner for inner in part.walk() if not inner.is_multipart() and not is_attached(inner)]
    plain = _first(texts, "text/plain", path)
    rich = _first(texts, "text/html", path)
    return rich if _size(rich) > RICHER * _size(plain) else plain


def _first(parts: list[Message], kind: str, path: tuple[str, ...]) -> list[Block]:
    for part in parts:
        if part.get_content_type() == kind:
            try:
                blocks = _page(part) if kind == "text/html" else _plain(part)
            except IngestError:
                continue  # named as text and is none
            return [replace(block, lines=None, path=(*path, *block.path)) for block in blocks]
    return []


def _page(part: Message) -> list[Block]:
    charset, data = part.get_content_charset(), content(part)
    return walk(decode(data, declared=charset) if charset else decode_page(data), named=False)


def _plain(part: Message) -> list[Block]:
    text = decode(content(part), declared=part.get_content_charset())
    if part.get_param("format") == "flowed":
        text = _SOFT_BREAK.sub(" ", text)
    return paragraphs(text)


def _size(blocks: list[Block]) -> int:
    return sum(len(block.text) for block in blocks)


def readable(value: str) -> str:
    """Return a header as people read it: its encoded words decoded, and bytes put into it as they are."""
    line = _FOLD.sub(" ", _with_bytes(value)).strip()
    try:
        return str(make_header(decode_header(line)))
    except (MessageError, LookupError, ValueError):
        return line


def _with_bytes(value: str) -> str:
    try:
        return value.encode("ascii", "surrogateescape").decode("utf-8")
    except UnicodeEncodeError:
        return value
    except UnicodeDecodeError:
        return value.encode("ascii", "surrogateescape").decode("cp1252", "replace")
