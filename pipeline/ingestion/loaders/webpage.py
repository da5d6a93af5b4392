"""HTML to blocks: what a reader sees, without navigation, scripts and forms."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from selectolax.lexbor import LexborHTMLParser, SelectolaxError

from pipeline.ingestion.blocks import Block, Headings, Kind, Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.nesting import shallow
from pipeline.ingestion.loaders.rows import Row, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from selectolax.lexbor import LexborNode

_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]+)""", re.IGNORECASE)
_DECLARATION_BYTES = 4096
"""Twice what browsers look at, see https://html.spec.whatwg.org/#charset."""


_XHTML = re.compile(r"\s*(?:<\?xml|<!DOCTYPE[^>]*XHTML|<html[^>]*\bxmlns)", re.IGNORECASE)
_CLOSED = re.compile(
    r"<(?!(?:area|base|br|col|embed|hr|img|input|link|meta|param|source|track|wbr)\b)"
    r"([A-Za-z][\w:-]*+)([^<>]*)(?<!/)/>",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d{1,5}")
MAX_SPAN = 100
"""Columns or rows that a cell may span; a table that needs more is none to be read."""


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
    return Loaded(kind="HTML", blocks=tuple(walk(decode_page(upload.data))))


def decode_page(data: bytes) -> str:
    """Return the text of an HTML or XHTML file, in the form of HTML."""
    declared = _DECLARED.search(data[:_DECLARATION_BYTES].replace(b"\0", b""))
    text = decode(data, declared=declared.group(1).decode("ascii", "replace") if declared else None)
    # to a reader of HTML, "<title/>" is the beginning of a title that never ends
    return _CLOSED.sub(r"<\1\2></\1>", text) if _XHTML.match(text) else text


def walk(html: str, *, named: bool = True, laid_out: bool = True) -> list[Block]:
    """Return the blocks of an HTML document or fragment.

    Its title is the outermost heading if it is *named*. Where pages are *laid_out* by tables, those that hold
    others are none of values; else the inner ones come after the outer one.
    """
    try:
        tree = LexborHTMLParser(shallow(html))
    except SelectolaxError as exc:
        # every sequence of characters is HTML of some kind; what can fail is only to allocate its nodes
        raise MemoryError from exc
    reader = _Reader(laid_out=laid_out)
    name, main = (_text(tree.css_first(tag)) for tag in ("head > title", "h1"))
    # most titles are the main heading and the site's name
    if named and (not main or main not in name):
        reader.head(0, name)
    if tree.body is not None:
        reader.read(tree.body)
    return reader.blocks


class _Reader:
    """Collects the text of inline content and closes a block at every border between blocks."""

    def __init__(self, *, laid_out: bool) -> None:
        self.blocks: list[Block] = []
        self._laid_out = laid_out
        self._headings = Headings()
        self._text: list[str] = []
        self._lists: list[int | None] = []
        self._mark = ""

    def read(self, root: LexborNode) -> None:
        for node, entering in _events(root, self._is_whole):
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
        elif self._is_data(node):
            self._tables(node)
        elif tag in ("ul", "ol"):
            self._lists.append(0 if tag == "ol" else None)
        elif tag == "li":
            self._mark = self._next_mark()

    def _tables(self, outer: LexborNode) -> None:
        for node in (outer, *(inner for inner in outer.css("table") if inner.mem_id != outer.mem_id)):
            self._add(_text(node.css_first("caption")), Kind.TEXT)
            self.blocks += table(_rows(node), path=self._headings.path)

    def _leave(self, tag: str) -> None:
        self._flush()
        if tag in ("ul", "ol") and self._lists:
            self._lists.pop()
        elif tag == "li":
            self._mark = ""

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

    def _is_whole(self, node: LexborNode) -> bool:
        """Whether the reader takes the node as a whole, or not at all."""
        tag = node.tag or ""
        return tag == "pre" or tag in _HEADINGS or _is_dropped(node) or self._is_data(node)

    def _is_data(self, node: LexborNode) -> bool:
        """Tell a table of values from one that lays out a page."""
        if node.tag != "table" or node.css_first(_LAYOUT) is not None:
            return False
        return not self._laid_out or all(inner.mem_id == node.mem_id for inner in node.css("table"))


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


def _is_dropped(node: LexborNode) -> bool:
    if node.tag in _DROPPED:
        return True
    if not node.is_element_node:  # processing instructions, of which there are some in Word's pages
        return node.tag != "-text"
    attributes = node.attrs
    return "hidden" in attributes or _HIDDEN_STYLE.search(attributes.get("style") or "") is not None


def _flat(node: LexborNode) -> str:
    """Return all text of a node on one line."""
    parts = [
        (inner.text(deep=False) if entering else "") if inner.tag == "-text" else _gap(inner)
        for inner, entering in _events(node, _is_apart)
    ]
    return " ".join("".join(parts).split())


def _is_apart(node: LexborNode) -> bool:
    """Whether a node's text is none of what is around it: a table in a cell is a table of its own."""
    return node.tag == "table" or _is_dropped(node)


def _text(node: LexborNode | None) -> str:
    return _flat(node) if node is not None else ""


def _gap(node: LexborNode) -> str:
    return " " if node.tag == "br" or node.tag not in _INLINE else ""


def _rows(node: LexborNode) -> Iterator[Row]:
    """Yield the rows so that each has its cells below its columns' names.

    What stands in a cell that spans rows is said in each of them.
    """
    open_cells: dict[int, tuple[int, str]] = {}
    for inner, entering in _events(node, _is_row):
        if entering and inner.tag == "tr":
            yield Row(cells=_aligned(inner, open_cells))


def _is_row(node: LexborNode) -> bool:
    """Whether a table's node is a row, or holds none of its rows."""
    return node.tag in ("tr", "table", "caption") or _is_dropped(node)


def _aligned(row: LexborNode, open_cells: dict[int, tuple[int, str]]) -> list[str]:
    """Return a row's cells; *open_cells* holds, by column, what spans rows: how many are left, its text."""
    cells: dict[int, str] = {}
    column = 0
    for cell in row.iter():
        if cell.tag in ("td", "th"):
            while column in open_cells:
                column += 1
            cells[column] = text = _flat(cell)
            width, height = _span(cell, "colspan"), _span(cell, "rowspan")
            if height > 1:
                open_cells |= {column + extra: (height, "" if extra else text) for extra in range(width)}
            column += width
    for at, (left, text) in [*open_cells.items()]:
        if text and cells:
            cells.setdefault(at, text)
        open_cells[at] = (left - 1, text)
        if left == 1:
            del open_cells[at]
    return [cells.get(at, "") for at in range(max(cells, default=-1) + 1)]


def _span(cell: LexborNode, name: str) -> int:
    found = _NUMBER.match(cell.attrs.get(name) or "")
    return min(max(int(found.group()), 1), MAX_SPAN) if found else 1
