"""Tells what Markdown says in plain words; the dialect of a platform only adds its marks.

Nothing is dropped: what has no form is written out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from adapters.markup import tables

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from markdown_it.tree import SyntaxTreeNode

FENCE = "```"
RULE = "──────────"

_TO, _END = "\x03", "\x04"
"""Stand around the address behind a label, until it is known whether both stand in brackets."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_TASK = re.compile(r"\A\[([ xX])\] ")
_IN_BRACKETS = re.compile(rf"\(([^()\n]*){_TO}([^{_END}]*){_END}\)")
_BEHIND_LABEL = re.compile(rf"{_TO}([^{_END}]*){_END}")


class Plain:
    """Renders a tree without any marks."""

    BULLETS: ClassVar[str] = "•◦▪"
    INDENT: ClassVar[str] = "    "
    FOLLOWED: ClassVar[tuple[str, ...]] = ("http://", "https://", "mailto:", "tel:")
    """How the addresses begin that the platform makes links of."""

    def __init__(self) -> None:
        self._depth = 0
        """How many lists we are in."""
        self._within: list[str] = []
        """The formatting we are in: there is none inside its like."""

    def blocks(self, node: SyntaxTreeNode) -> list[str]:
        """Return what the blocks inside *node* become."""
        return [chunk for child in node.children if (chunk := self.block(child)).strip()]

    def block(self, node: SyntaxTreeNode) -> str:
        """Return what one block becomes."""
        match node.type:
            case "paragraph" | "inline":
                return self.inline(node)
            case "heading":
                return self.heading(node)
            case "bullet_list" | "ordered_list":
                return self._list(node)
            case "fence" | "code_block":
                return self.code_block(node)
            case "blockquote":
                return self.quote(node)
            case "table":
                return self.table(node)
            case "hr":
                return self.rule()
            case _:
                return self.text(node.content) if node.token else "\n".join(self.blocks(node))

    def inline(self, node: SyntaxTreeNode) -> str:
        """Return what the text inside *node* becomes."""
        return "".join(self.span(child) for child in node.children)

    def span(self, node: SyntaxTreeNode) -> str:
        """Return what one piece of a text becomes."""
        match node.type:
            case "text" | "text_special":
                return self.text(_BREAK_TAG.sub("\n", node.content))
            case "softbreak" | "hardbreak":
                return "\n"
            case "code_inline":
                return self.code(node.content)
            case "strong" | "em" | "s":
                return self._marked(node)
            case "link" if node.markup == "autolink" and not self.is_followed(self.address(node, "href")):
                return self.text(f"<{self.words(node)}>")  # ``<std::string>`` is a link to CommonMark
            case "link":
                return self.link(self.words(node), self.address(node, "href"))
            case "image":
                return self.link(node.content.strip() or "image", self.address(node, "src"))
            case _:
                return self.inline(node)

    def _marked(self, node: SyntaxTreeNode) -> str:
        if node.type in self._within:
            return self.inline(node)
        return self.marked(node.type, self.within(node.type, lambda: self.inline(node)))

    def within(self, kind: str, render: Callable[[], str]) -> str:
        """Return what *render* returns inside a formatting."""
        self._within.append(kind)
        try:
            return render()
        finally:
            self._within.pop()

    def _list(self, node: SyntaxTreeNode) -> str:
        bullet = f"{self.BULLETS[min(self._depth, len(self.BULLETS) - 1)]} "
        first = int(node.attrs.get("start", 1))
        self._depth += 1
        items = [
            self._item(item, f"{first + index}. " if node.type == "ordered_list" else bullet)
            for index, item in enumerate(node.children)
        ]
        self._depth -= 1
        return "\n".join(items)

    def _item(self, node: SyntaxTreeNode, sign: str) -> str:
        lead, *rest = self.blocks(node) or [""]
        if (task := _TASK.match(lead)) is not None:
            sign, lead = self.task(sign, "☐" if task[1] == " " else "☑"), lead[task.end() :]
        if self.is_code(lead):
            sign = sign.rstrip() + "\n"
        return "\n".join([(sign + self.indented(lead).lstrip(" ")).rstrip(), *map(self.indented, rest)])

    def task(self, _: str, box: str) -> str:
        """Return the sign of an entry that is to be done."""
        return f"{box} "

    def is_code(self, chunk: str) -> bool:
        """Tell whether a chunk is code on lines of its own."""
        return chunk.startswith(FENCE)

    def indented(self, chunk: str) -> str:
        """Return a chunk of a list entry; code keeps its own margin, which a frame is drawn at."""
        return chunk if self.is_code(chunk) else each_line(chunk, lambda line: self.INDENT + line)

    def rows(self, node: SyntaxTreeNode) -> list[list[str]]:
        """Return what the cells of a table say, each in one line; the heading is the first row."""
        rows = [row for part in node.children for row in part.children]
        return [[" ".join(self.words(cell).split()) for cell in row.children] for row in rows]

    def text(self, text: str) -> str:
        """Return *text* itself."""
        return text

    def marked(self, _: str, text: str) -> str:
        """Return a stressed *text*."""
        return text

    def code(self, text: str) -> str:
        """Return a piece of code in a text."""
        return text

    def code_block(self, node: SyntaxTreeNode) -> str:
        """Return code on lines of its own."""
        return node.content.rstrip("\n")

    def heading(self, node: SyntaxTreeNode) -> str:
        """Return a heading."""
        return self.inline(node)

    def quote(self, node: SyntaxTreeNode) -> str:
        """Return a quotation."""
        return "\n\n".join(self.blocks(node))

    def table(self, node: SyntaxTreeNode) -> str:
        """Return a table as sentences, since what is read aloud has no columns."""
        return tables.told(self.rows(node))

    def rule(self) -> str:
        """Return a line between two paragraphs."""
        return "—"

    def words(self, node: SyntaxTreeNode) -> str:
        """Return what *node* says, without any marks."""
        return finished(self.unmarked().inline(node)).strip()

    def unmarked(self) -> Plain:
        """Return what renders the name of a link or a cell, where no marks are wanted."""
        return Plain()

    def address(self, node: SyntaxTreeNode, name: str) -> str:
        """Return where a link leads."""
        return str(node.attrs.get(name, ""))

    def is_followed(self, address: str) -> bool:
        """Tell whether the platform makes a link of *address*."""
        return address.lower().startswith(self.FOLLOWED)

    def link(self, label: str, address: str) -> str:
        """Return a link as its label and its address."""
        shown = address.removeprefix("mailto:").removeprefix("tel:")
        if not label or not address or label in {address, shown}:
            return label or shown
        return f"{label}{_TO}{shown}{_END}"


def readable(markdown: str) -> str:
    """Return *markdown* without the characters that stand for something while it is rendered."""
    return _CONTROLS.sub("", markdown)


def finished(text: str) -> str:
    """Return a rendered text with the addresses of links in their final form."""
    return _BEHIND_LABEL.sub(r" (\1)", _IN_BRACKETS.sub(r"(\1: \2)", text))


def alignment(table: SyntaxTreeNode) -> Sequence[str]:
    """Return how the columns of a table are aligned."""
    cells = table.children[0].children[0].children
    return [str(cell.attrs.get("style", "")).rpartition(":")[2] for cell in cells]


def each_line(text: str, change: Callable[[str], str]) -> str:
    """Return *text* with every line changed that is not blank."""
    return "\n".join(change(line) if line.strip() else line for line in text.split("\n"))
