"""Members of office files and e-books: zips of XML, read so that no entity can multiply itself."""

from __future__ import annotations

import zlib
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol
from xml.etree import ElementTree
from xml.parsers import expat
from zipfile import BadZipFile

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders.archives import open_archive

if TYPE_CHECKING:
    from collections.abc import Iterable
    from xml.etree.ElementTree import Element
    from zipfile import ZipFile

XML_SUFFIXES = (".xml", ".rels", ".opf", ".ncx")
FAULTS: Final = (BadZipFile, KeyError, OSError, ValueError, EOFError, zlib.error, NotImplementedError)
"""What `zipfile` raises for a member that is not there, cut off, garbled, or packed in an unknown way."""

_PIECE = 4096


class Target(Protocol):
    """What takes the elements of an XML document as they come; names are ``{namespace}name``."""

    def start(self, tag: str, attrs: dict[str, str], /) -> Any: ...
    def end(self, tag: str, /) -> Any: ...
    def data(self, data: str, /) -> Any: ...
    def close(self) -> Any: ...


class _Body(Exception):
    """An XML document's first element begins, after which nothing can be declared."""


def open_document(data: bytes) -> ZipFile:
    """Open a zip of XML that is safe to hand to any parser of XML.

    Raises `IngestError`: CORRUPT, ENCRYPTED, TOO_LARGE for a zip bomb and for XML that declares entities.
    """
    archive = open_archive(data)
    for name in archive.namelist():
        if name.lower().endswith(XML_SUFFIXES):
            try:
                with archive.open(name) as member:
                    _refuse_entities(iter(partial(member.read, _PIECE), b""))
            except FAULTS as exc:
                raise damaged() from exc
    return archive


def read(archive: ZipFile, name: str) -> bytes:
    """Unpack a member. Raises `IngestError` (CORRUPT) if it cannot be, or is not there."""
    try:
        return archive.read(name)
    except FAULTS as exc:
        raise damaged() from exc


def parse(data: bytes) -> Element:
    """Read XML into a tree. Raises `IngestError`: CORRUPT, TOO_LARGE if it declares entities."""
    root: Element = _parsed(data, ElementTree.XMLParser())  # noqa: S314 - what it is fed declares no entities
    return root


def parse_into(data: bytes, target: Target) -> None:
    """Hand the elements of an XML document to *target*. Raises `IngestError` as `parse` does."""
    _parsed(data, ElementTree.XMLParser(target=target))  # noqa: S314 - what it is fed declares no entities


def damaged() -> IngestError:
    """Return the refusal of a file whose inside is not what it has to be."""
    return IngestError(IngestReason.CORRUPT, "The file is damaged; save it again and upload that.")


def _parsed(data: bytes, parser: ElementTree.XMLParser[Any]) -> Any:
    _refuse_entities(data[start : start + _PIECE] for start in range(0, len(data), _PIECE))
    try:
        parser.feed(data)
        return parser.close()
    except (ElementTree.ParseError, ValueError, LookupError) as exc:
        raise damaged() from exc


def _refuse_entities(pieces: Iterable[bytes]) -> None:
    """Read as far as the first element: office programs and e-books declare no entities, only bombs do."""
    parser = expat.ParserCreate()
    parser.EntityDeclHandler = _on_entity
    parser.StartElementHandler = _on_element
    try:
        for piece in pieces:
            parser.Parse(piece)
    except (_Body, expat.ExpatError):
        return  # what is no XML is refused by whoever wants it
    except (LookupError, ValueError) as exc:
        raise damaged() from exc  # an encoding that expat does not know, and others may


def _on_entity(*declaration: object) -> None:
    del declaration
    raise IngestError(
        IngestReason.TOO_LARGE, "The file declares text that unpacks to far more data than can be read."
    )


def _on_element(*element: object) -> None:
    del element
    raise _Body
