"""E-books: the chapters of an EPUB in reading order, under the titles of its table of contents."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Block, Kind, Loaded, Upload, title
from pipeline.ingestion.loaders.archives import open_archive
from pipeline.ingestion.loaders.members import damaged, parse, read
from pipeline.ingestion.loaders.webpage import decode_page, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from xml.etree.ElementTree import Element
    from zipfile import ZipFile

_CONTAINER = "META-INF/container.xml"
_LOCKS = "META-INF/encryption.xml"
_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/x-dtbook+xml", "text/x-oeb1-document"})
_CONTENTS = "application/x-dtbncx+xml"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Item:
    """A file of the book: its name in the archive and its kind."""

    name: str
    kind: str
    is_contents: bool


def load(upload: Upload) -> Loaded:
    """Read an e-book's text; the path of a block is chapter, heading. Raises `IngestError`.

    CORRUPT, TOO_LARGE, and ENCRYPTED where the chapters are locked by a shop.
    """
    with open_archive(upload.data) as archive:
        package = _package(archive)
        root = parse(read(archive, package))
        items = _items(root, posixpath.dirname(package))
        chapters = _chapters(root, items)
        _refuse_locked(archive, chapters)
        present = set(archive.namelist())
        titles = _titles(archive, [item for item in items.values() if item.name in present])
        blocks = [*_heading(root)]
        for name in chapters:
            if name in present:
                blocks += _under(titles.get(name), walk(decode_page(read(archive, name)), named=False))
    return Loaded(kind="EPUB", blocks=tuple(blocks))


def _package(archive: ZipFile) -> str:
    """Return the name of the file that lists all others."""
    for element in _named(parse(read(archive, _CONTAINER)), "rootfile"):
        return element.get("full-path", "")
    raise damaged()


def _items(root: Element, folder: str) -> dict[str, _Item]:
    """Return the book's files by their ids."""
    return {
        element.get("id", ""): _Item(
            name=_resolved(folder, element.get("href", "")),
            kind=element.get("media-type", ""),
            is_contents="nav" in element.get("properties", "").split(),
        )
        for manifest in _named(root, "manifest")
        for element in _named(manifest, "item")
    }


def _chapters(root: Element, items: dict[str, _Item]) -> list[str]:
    """Return the names of the pages in reading order, each once, without the table of contents."""
    ids = (
        element.get("idref", "") for spine in _named(root, "spine") for element in _named(spine, "itemref")
    )
    pages = (items[key] for key in ids if key in items)
    return list(dict.fromkeys(page.name for page in pages if page.kind in _PAGES and not page.is_contents))


def _refuse_locked(archive: ZipFile, chapters: Sequence[str]) -> None:
    """Tell locked chapters from fonts, which are often garbled in books that anybody may read."""
    if _LOCKS not in archive.namelist():
        return
    locks = _named(parse(read(archive, _LOCKS)), "CipherReference")
    if {unquote(element.get("URI", "")) for element in locks}.intersection(chapters):
        raise IngestError(
            IngestReason.ENCRYPTED, "The book is locked by copy protection; upload a copy without it."
        )


def _titles(archive: ZipFile, items: Sequence[_Item]) -> dict[str, str]:
    """Return the chapters' titles by the names of their pages; a book may have no table of contents."""
    titles: dict[str, str] = {}
    for item in items:
        if item.kind != _CONTENTS and not item.is_contents:
            continue
        folder = posixpath.dirname(item.name)
        try:
            contents = parse(read(archive, item.name))
        except IngestError:
            continue  # written as HTML, not as XML: the headings of the pages have to do
        for target, text in (*_points(contents), *_links(contents)):
            titles.setdefault(_resolved(folder, target), text)
    return titles


def _points(contents: Element) -> Iterator[tuple[str, str]]:
    """Yield the entries of a table of contents as books had it before HTML."""
    for point in _named(contents, "navPoint"):
        for label in _children(point, "navLabel"):
            for target in _children(point, "content"):
                yield target.get("src", ""), _text(label)


def _links(contents: Element) -> Iterator[tuple[str, str]]:
    """Yield the entries of a table of contents in HTML, not those of the lists of its pages and landmarks."""
    for nav in _named(contents, "nav"):
        kinds = " ".join(value for name, value in nav.attrib.items() if name.endswith("}type"))
        if "toc" in kinds.split():
            yield from ((link.get("href", ""), _text(link)) for link in _named(nav, "a"))


def _heading(root: Element) -> Iterator[Block]:
    """Yield the book's title and authors."""
    names = [text for element in _named(root, "title") if (text := _text(element))][:1]
    authors = [text for element in _named(root, "creator") if (text := _text(element))]
    if names:
        yield Block(text=", ".join((*names, *authors)), kind=Kind.TEXT, path=(title(names[0]),))


def _under(chapter: str | None, blocks: list[Block]) -> Iterator[Block]:
    """Put a page's blocks under its title in the table of contents, unless its own headings say it."""
    said = {block.text.casefold() for block in blocks if block.kind is Kind.HEADING}
    if not chapter or chapter.casefold() in said:
        yield from blocks
        return
    for block in blocks:
        yield replace(block, path=(title(chapter), *block.path))


def _named(root: Element, name: str) -> Iterator[Element]:
    """Yield the elements of this *name* in any namespace: books mix the namespaces of all versions."""
    return root.iterfind(f".//{{*}}{name}")


def _children(root: Element, name: str) -> Iterator[Element]:
    return root.iterfind(f"{{*}}{name}")


def _text(element: Element) -> str:
    return " ".join("".join(element.itertext()).split())


def _resolved(folder: str, target: str) -> str:
    """Return the name in the archive of what *folder* links to."""
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(target).url)))
