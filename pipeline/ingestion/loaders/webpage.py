"""HTML to blocks: what a reader sees, without navigation, scripts and forms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from pipeline.ingestion.blocks import Block, Headings, Kind, Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.rows import Row, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selectolax.lexbor import LexborNode

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARATION_BYTES = 4096
"""Twice what browsers look at, see https://html.spec.whatwg.org/#charset."""


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


_DROPPED = _tags(
    "script style nav noscript template svg math iframe object embed canvas audio video map head"
    " button select datalist textarea input dialog -comment"
)
_INLINE = _tags(
    "a abbr b bdi bdo big cite code data del dfn em font i img ins kbd label mark q rp rt ruby s samp small"
    " span strike strong sub sup time tt u var wbr -text br"
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_LAYOUT = "h1, h2, h3, h4, h5, h6, pre"
_MAX_INDENT = 8
_SPACE = re.compile(r"[ \t\n\r\f]+")


def load(upload: Upload) -> Loaded:
    """Read a web page that was saved as a file."""
    declared = _DECLARED.search(upload.data[:_DECLARATION_BYTES].replace(b"\0", b""))
    html = decode(upload.data, declared=declared.group(1).decode("ascii", "replace") if declared else None)
    return Loaded(kind="HTML", blocks=tuple(walk(html)))


def walk(html: str) -> list[Block]:
    """Return the blocks of an HTML document or fragment; its title is the outermost heading."""
    try:
        tree = LexborHTMLParser(html)
    except SelectolaxError as exc:
        # every sequence of characters is HTML of some kind; what can fail is only to allocate its nodes
        raise MemoryError from exc
    reader = _Reader()
    name, main = (_text(tree.css_first(tag)) for tag in ("head > title", "h1"))
    # most titles are the main heading and the site's name
    if not main or main not in name:
        reader.head(0, name)
    if tree.body is not None:
        reader.read(tree.body)
    return reader.blocks


class _Reader:
    """Collects the text of inline content and closes a block at every border between blocks."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._headings = Headings()
        self._text: list[str] = []
        self._lists: list[int | None] = []
        self._mark = ""

    def read(self, root: LexborNode) -> None:
        for node, entering in _events(root, _is_whole):
            tag = node.tag or ""
            if tag == "-text":
                self._text.append(node.text(deep=False) if entering else "")
            elif tag == "br":
                self._text.append("\v" if entering else "")
            elif tag in _INLINE or _is_dropped(node):
                continue
            elif entering:
                self._enter(node, tag)
            else:
                self._leave(tag)
        self._flush()

    def head(self, level: int, text: str) -> None:
        """Begin a section."""
        if text:
            path = self._headings.enter(level, text)
            self.blocks.append(Block(text=text, kind=Kind.HEADING, path=path))

    def _enter(self, node: LexborNode, tag: str) -> None:
        self._flush()
        if tag in _HEADINGS:
            self.head(_HEADINGS[tag], _flat(node))
        elif tag == "pre":
            self._add(node.text().strip("\n").rstrip(), Kind.CODE)
        elif _is_data(node):
            self._add(_text(node.css_first("caption")), Kind.TEXT)
            self.blocks += table(_rows(node), path=self._headings.path)
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._mark = self._next_mark()

    def _leave(self, tag: str) -> None:
        self._flush()
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()

    def _next_mark(self) -> str:
        indent = "  " * min(len(self._lists) - 1, _MAX_INDENT)
        number = self._lists[-1] if self._lists else None
        if number is None:
            return f"{indent}- "
        self._lists[-1] = number + 1
        return f"{indent}{number + 1}. "

    def _flush(self) -> None:
        text = _SPACE.sub(" ", "".join(self._text))
        self._text.clear()
        text = "\n".join(line.strip() for line in text.split("\v")).strip()
        if text:
            self._add(self._mark + text, Kind.ITEM if self._lists else Kind.TEXT)
            self._mark = ""

    def _add(self, text: str, kind: Kind) -> None:
        if text:
            self.blocks.append(Block(text=text, kind=kind, path=self._headings.path))


def _events(root: LexborNode, stays_out: Callable[[LexborNode], bool]) -> Iterator[tuple[LexborNode, bool]]:
    """Yield the nodes below *root* on entering (True) and on leaving, without recursion.

    Pages nest deeper than Python's stack.
    """
    open_nodes: list[LexborNode] = []
    node = root.first_child
    while node is not None or open_nodes:
        if node is None:
            node = open_nodes.pop()
        else:
            yield node, True
            inner = None if stays_out(node) else node.first_child
            if inner is not None:
                open_nodes.append(node)
                node = inner
                continue
        yield node, False
        node = node.next


def _is_whole(node: LexborNode) -> bool:
    """Whether the reader takes the node as a whole, or not at all."""
    tag = node.tag or ""
    return tag == "pre" or tag in _HEADINGS or _is_dropped(node) or _is_data(node)


def _is_dropped(node: LexborNode) -> bool:
    if node.tag in _DROPPED:
        return True
    if node.tag == "-text":
        return False
    attributes = node.attrs
    return "hidden" in attributes or _HIDDEN_STYLE.search(attributes.get("style") or "") is not None


def _is_data(node: LexborNode) -> bool:
    """Tell a table of values from one that lays out a page."""
    if node.tag != "table" or node.css_first(_LAYOUT) is not None:
        return False
    return all(table.mem_id == node.mem_id for table in node.css("table"))


def _flat(node: LexborNode) -> str:
    """Return all text of a node on one line."""
    parts = [
        (inner.text(deep=False) if entering else "") if inner.tag == "-text" else _gap(inner)
        for inner, entering in _events(node, _is_dropped)
    ]
    return " ".join("".join(parts).split())


def _text(node: LexborNode | None) -> str:
    return _flat(node) if node is not None else ""


def _gap(node: LexborNode) -> str:
    return " " if node.tag == "br" or node.tag not in _INLINE else ""


def _rows(node: LexborNode) -> Iterator[Row]:
    for inner, entering in _events(node, lambda below: below.tag == "tr" or _is_dropped(below)):
        if entering and inner.tag == "tr":
            yield Row(cells=[_flat(cell) for cell in inner.iter() if cell.tag in ("td", "th")])
