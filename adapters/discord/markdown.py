"""Turns Markdown as models write it into the Markdown that Discord reads, which is another.

The text is parsed and written anew. To mend it line by line would keep more of it as it was, but what has to
be mended cannot be told from a line: whether a sign is a mark, what belongs to an entry of a list, where code
ends. Blocks stay as far apart as they were, escapes stay escapes, and code stays as it is.

Every part of a text that is still growing can be rendered: what is open ends with it. What stands before its
last block comes out the same from then on, unless code behind it makes more escapes necessary.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from markdown_it.token import Token
from markdown_it.tree import SyntaxTreeNode

from adapters.discord import links
from adapters.discord.literal import (
    ADDRESS,
    BEFORE,
    BEHIND,
    BLOCK,
    CODE,
    DASH,
    END,
    ESCAPE,
    HEAD,
    JOINT,
    OPEN,
    QUOTE,
    STAR,
    WAVE,
    Shelf,
    around_code,
    shown_as,
)
from adapters.discord.neutral import SPACE
from adapters.markup import tables
from adapters.markup.invisible import is_blank
from adapters.markup.parser import lenient_parser
from adapters.markup.plain import FENCE, RULE, Plain, alignment, each_line, finished, readable

if TYPE_CHECKING:
    from collections.abc import Sequence

LONGEST = 2_000
"""Code points that a message may have once it is rendered."""
MAX_CHARS = 1_900
"""Characters of Markdown that hardly ever become more than `LONGEST`."""
COLUMNS = 60
"""What a block of code shows in one line on most screens; a wider table becomes a list."""
FILLED = (tables.WIDEST, tables.WIDEST // 2, 0)
"""Up to which width cells are filled, tried one after the other until the message is short enough."""

_NOTHING = "…"
_HEADINGS = 3
_DEEPEST = 60
"""More spans inside each other are shown as they were written."""
_NEWLINE = re.compile(r"\r\n?")
_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]{1,20}")
_BRACKETED = re.compile(r"\[[^\[\]]+\]")
_TEXT = re.compile(r"\S(?:.*\S)?")
_ANY_MARK = re.compile(f"[{STAR}{DASH}{WAVE}{OPEN}]")
_BOLD = STAR * 2


def rendered(text: str) -> str:
    """Return *text* for the content of a message; of nothing to see, a sign that says so.

    It may be longer than `LONGEST`: then it has to be split smaller.
    """
    shown = _NOTHING
    for filled in FILLED:
        shown = _rendered(text, filled)
        if len(shown) <= LONGEST:
            break
    return _NOTHING if is_blank(shown) else shown


def _rendered(text: str, filled: int) -> str:
    source = readable(_NEWLINE.sub("\n", text))
    tokens = lenient_parser().parse(source)
    for token in tokens:
        if _depth(token.children or ()) > _DEEPEST:
            token.children = [Token("text", "", 0, content=token.content)]
    dialect = _Dialect(source.split("\n"), filled)
    return dialect.shelf.finish(finished(dialect.flow(SyntaxTreeNode(tokens)))).rstrip()


def _depth(tokens: Sequence[Token]) -> int:
    return max((token.level for token in tokens), default=0)


class _Dialect(Plain):
    """Renders a tree; `Shelf.finish` puts the marks into their final form."""

    BULLETS: ClassVar[str] = "-"
    INDENT: ClassVar[str] = "  "

    def __init__(self, lines: Sequence[str], filled: int) -> None:
        super().__init__()
        self._lines = lines
        self._filled = filled
        self.shelf = Shelf()

    def flow(self, node: SyntaxTreeNode) -> str:
        """Return the blocks inside *node*, as far apart as they were written."""
        text = ""
        for child in node.children:
            chunk = self.block(child)
            if chunk.strip():
                text += f"{self._gap(child) if text else ''}{chunk}"
        return text

    def _gap(self, node: SyntaxTreeNode) -> str:
        above = self._lines[node.map[0] - 1] if node.map else ""
        return "\n" if above.strip(" \t>") else "\n\n"

    def span(self, node: SyntaxTreeNode) -> str:
        if node.type == "text_special" and node.info == "escape" and node.content != node.markup:
            return ESCAPE + node.content
        return super().span(node)

    def marked(self, kind: str, text: str) -> str:
        mark = {"strong": _BOLD, "s": WAVE * 2}.get(kind) or self._italic(text)
        return each_line(text, lambda line: self._line(mark, line))

    def _italic(self, text: str) -> str:
        """Return the mark whose end Discord would see where it is; "" for none."""
        dashed = DASH in text or "_" in text + self.shelf.held_in(text)
        if text.startswith(BEFORE + _BOLD):
            return "" if dashed else DASH
        return DASH if "*" in self.shelf.held_in(text) and not dashed else STAR

    def _line(self, mark: str, line: str) -> str:
        """Return a marked line; code that looks like the mark is left out of it."""
        if is_blank(line):
            return line
        if not mark or shown_as(mark) not in self.shelf.held_in(line):
            return _stressed(mark, line)
        if _ANY_MARK.search(line):
            return line
        pieces = around_code(line)
        pieces[::2] = [_stressed(mark, piece) for piece in pieces[::2]]
        return "".join(pieces)

    def code(self, text: str) -> str:
        if is_blank(text):
            return text
        if "``" in text:
            text = re.sub("`(?=`)", f"`{SPACE}", text)
        edge = " " if text.startswith("`") or text.endswith("`") else ""
        sign = "``" if "`" in text else "`"
        return self.shelf.put(CODE, f"{sign}{edge}{text}{edge}{sign}")

    def code_block(self, node: SyntaxTreeNode) -> str:
        language = _LANGUAGE.fullmatch((node.info.split() or [""])[0])
        return self._fenced(node.content.rstrip("\n"), language[0] if language else "")

    def _fenced(self, text: str, language: str = "") -> str:
        if is_blank(text):
            return ""
        shown = re.sub("``(?=`)", f"``{SPACE}", text)
        shown += "" if shown.strip("`\n") else SPACE  # of nothing but backticks Discord makes no block
        return self.shelf.put(BLOCK, f"{FENCE}{language}\n{shown}\n{FENCE}")

    def is_code(self, chunk: str) -> bool:
        return chunk.startswith(BLOCK)

    def indented(self, chunk: str) -> str:
        return each_line(chunk, lambda line: line if self.is_code(line) else self.INDENT + line)

    def task(self, sign: str, box: str) -> str:
        return f"{sign}{box} "

    def heading(self, node: SyntaxTreeNode) -> str:
        level = int(node.tag.removeprefix("h"))
        if level <= _HEADINGS and not self._depth:
            text = " ".join(self.inline(node).split())
            return "" if is_blank(text) else f"{HEAD * level} {text}"
        return self.marked("strong", self.within("strong", lambda: self.inline(node)))

    def quote(self, node: SyntaxTreeNode) -> str:
        text = self.within("quote", lambda: self.flow(node))
        if "quote" in self._within or is_blank(text):
            return text.strip()
        text = re.sub(rf"\n\n(?={BLOCK})", "\n", text)
        text = re.sub(rf"({BLOCK}\d+{END})\n\n", r"\1\n", text)
        return "\n".join(map(self._quoted, text.split("\n")))

    def _quoted(self, line: str) -> str:
        """Return a line of a quotation; there are none of code."""
        return line if self.is_code(line) else f"{QUOTE} {line or SPACE}"

    def rule(self) -> str:
        return RULE

    def is_followed(self, address: str) -> bool:
        return links.is_web(address)

    def link(self, label: str, address: str) -> str:
        if not self.is_followed(address):
            return self.text(super().link(label, address))
        name = " ".join(label.split())
        if not name or lenient_parser().normalizeLink(name) == address:
            return self.shelf.put(ADDRESS, links.bare(name or address))
        inner = name.removeprefix("[").removesuffix("]") if _BRACKETED.fullmatch(name) else name
        if not links.is_label(inner):
            return f"{name} ({self.shelf.put(ADDRESS, links.bare(address))})"
        link = f"{OPEN}{inner}{JOINT}{self.shelf.put(ADDRESS, links.target(address))})"
        return link if inner == name else f"[{link}]"

    def table(self, node: SyntaxTreeNode) -> str:
        headed = node.children[0].type == "thead"
        drawn = tables.drawn(self.rows(node), alignment(node), headed=headed, widest=self._filled)
        if max(map(tables.width, drawn.split("\n"))) <= COLUMNS:
            return self._fenced(drawn)
        rows = [row.children for part in node.children for row in part.children]
        titles = [""] * len(rows[0])
        if headed and len(rows) > 1:
            titles = [self.words(cell) for cell in rows.pop(0)]
        return "\n".join(self._listed(row, titles) for row in rows)

    def _listed(self, cells: Sequence[SyntaxTreeNode], titles: Sequence[str]) -> str:
        """Return a row as a line for its first cell, and an entry of a list for each of the others."""
        first = _named(titles[0], self.within("strong", lambda: self._cell(cells[0])))
        others = [_named(title, self._cell(cell)) for title, cell in zip(titles[1:], cells[1:], strict=True)]
        lines = [self.marked("strong", first), *(f"- {other}" for other in others if other)]
        return "\n".join(line for line in lines if line)

    def _cell(self, cell: SyntaxTreeNode) -> str:
        return " ".join(self.inline(cell).split())


def _stressed(mark: str, text: str) -> str:
    """Return *text* between marks, without the gaps at its ends."""
    return _TEXT.sub(lambda found: f"{BEFORE}{mark}{found[0]}{mark}{BEHIND}", text)


def _named(title: str, cell: str) -> str:
    return f"{title}: {cell}" if title and cell else cell
