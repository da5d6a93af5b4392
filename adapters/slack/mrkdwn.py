"""Turns Markdown into Slack's own dialect, and into plain words for notifications and screen readers.

Both come out escaped and harmless. Nothing is dropped: what the dialect has no form for is written out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote

from markdown_it.tree import SyntaxTreeNode

from adapters.slack import tables
from adapters.slack.markdown import parser
from adapters.slack.neutral import JOINER, is_blank, neutralise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FENCE = "```"
RULE = "──────────"
BULLETS = "•◦▪"
INDENT = "    "

_SPACE = "\u200b"
"""A space of no width: Slack sees formatting only between words, Chinese or Japanese text has no gaps."""
_OPEN, _CLOSE, _TO, _END = "\x01", "\x02", "\x03", "\x04"
"""Stand in what is being rendered: before a mark, behind one, and around the address behind a label."""
_TOO_CLOSE = re.compile(rf"(?:(?<=[^\W_])|(?<=`))(?={_OPEN})|(?<={_CLOSE})(?=[^\W_]|`)")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")

_BREAK_TAG = re.compile(r"<br\s*/?>", re.IGNORECASE)
_MARK = re.compile(r"(?<!\w)([*_~`])(?=\S[^\n]{0,500}?(?<=\S)\1(?!\w))|(?m:^)(?=>)")
"""What Slack would take for formatting, and the sign of a quotation at the beginning of a line."""
_TASK = re.compile(r"\A\[([ xX])\] ")
_IN_BRACKETS = re.compile(rf"\(([^()\n]*){_TO}([^{_END}]*){_END}\)")
_BEHIND_LABEL = re.compile(rf"{_TO}([^{_END}]*){_END}")
_MARKS = {"strong": "*", "em": "_", "s": "~"}
_LINKED = ("http://", "https://", "mailto:", "tel:")


def to_mrkdwn(markdown: str) -> str:
    """Return *markdown* in Slack's dialect, with every mention dead."""
    return "\n\n".join(chunks(markdown))


def to_plain(markdown: str) -> str:
    """Return what *markdown* says without any marks, escaped as Slack wants it."""
    return escape(neutralise("\n\n".join(_render(_Plain(), markdown))))


def chunks(markdown: str) -> list[str]:
    """Return the paragraphs, lists, tables and so on of *markdown* in Slack's dialect, one by one."""
    return [neutralise(chunk) for chunk in _render(_Mrkdwn(), markdown)]


def escape(text: str) -> str:
    """Return *text* with the three characters replaced that Slack reads as its own."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _render(dialect: _Plain, markdown: str) -> list[str]:
    tree = SyntaxTreeNode(parser().parse(_CONTROLS.sub("", neutralise(markdown))))
    return [done for chunk in dialect.blocks(tree) if not is_blank(done := _finished(chunk))]


def _finished(text: str) -> str:
    """Return *text* with what stood in for marks and addresses put into its final form."""
    text = _TOO_CLOSE.sub(_SPACE, text)
    text = text.replace(_CLOSE + _OPEN, _SPACE).replace(_OPEN, "").replace(_CLOSE, "")
    return _BEHIND_LABEL.sub(r" (\1)", _IN_BRACKETS.sub(r"(\1: \2)", text))


class _Plain:
    """Renders a tree without any marks; the dialect of Slack only adds some."""

    def __init__(self) -> None:
        self._depth = 0
        """How many lists we are in."""

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
                return self.code_block(node.content.rstrip("\n"))
            case "blockquote":
                return self.quote(self.blocks(node))
            case "table":
                return self.table(*self._rows(node))
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
            case "text":
                return self.text(_BREAK_TAG.sub("\n", node.content))
            case "softbreak" | "hardbreak":
                return "\n"
            case "code_inline":
                return self.code(node.content)
            case "strong" | "em" | "s":
                return self.marked(node.type, self.inline(node))
            case "link" if node.markup == "autolink" and not _is_followed(_address(node, "href")):
                return self.text(f"<{_words(node)}>")  # ``<std::string>`` is a link to CommonMark
            case "link":
                return self.link(_words(node), _address(node, "href"))
            case "image":
                return self.link(node.content.strip() or "image", _address(node, "src"))
            case _:
                return self.inline(node)

    def _list(self, node: SyntaxTreeNode) -> str:
        bullet = f"{BULLETS[min(self._depth, len(BULLETS) - 1)]} "
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
            sign, lead = ("☐ " if task[1] == " " else "☑ "), lead[task.end() :]
        if lead.startswith(FENCE):
            sign, lead = sign.rstrip() + "\n", lead
        return "\n".join([(sign + _indented(lead).lstrip(" ")).rstrip(), *map(_indented, rest)])

    def _rows(self, node: SyntaxTreeNode) -> tuple[list[list[str]], list[str]]:
        """Return a table's rows, the heading first, and how its columns are aligned."""
        rows = [row for part in node.children for row in part.children]
        aligned = [str(cell.attrs.get("style", "")).rpartition(":")[2] for cell in rows[0].children]
        return [[self.cell(cell) for cell in row.children] for row in rows], aligned

    def cell(self, node: SyntaxTreeNode) -> str:
        """Return one cell of a table, in one line."""
        return " ".join(_finished(_Plain().inline(node)).split())

    def text(self, text: str) -> str:
        """Return *text* itself."""
        return text

    def marked(self, _: str, text: str) -> str:
        """Return a stressed *text*."""
        return text

    def code(self, text: str) -> str:
        """Return a piece of code in a text."""
        return text

    def code_block(self, text: str) -> str:
        """Return code on lines of its own."""
        return text

    def heading(self, node: SyntaxTreeNode) -> str:
        """Return a heading."""
        return self.inline(node)

    def quote(self, chunks: Sequence[str]) -> str:
        """Return a quotation of some blocks."""
        return "\n\n".join(chunks)

    def table(self, rows: list[list[str]], _: Sequence[str]) -> str:
        """Return a table as sentences, since what is read aloud has no columns."""
        return tables.told(rows)

    def rule(self) -> str:
        """Return a line between two paragraphs."""
        return "—"

    def link(self, label: str, address: str) -> str:
        """Return a link as its label and its address."""
        shown = address.removeprefix("mailto:").removeprefix("tel:")
        if not label or not address or label in {address, shown}:
            return label or shown
        return f"{label}{_TO}{shown}{_END}"


class _Mrkdwn(_Plain):
    """Renders a tree in Slack's dialect."""

    def __init__(self) -> None:
        super().__init__()
        self._within: list[str] = []
        """The formatting we are in: Slack has none inside its like."""

    def inline(self, node: SyntaxTreeNode) -> str:
        if node.type not in _MARKS or node.type in self._within:
            return super().inline(node)
        return self._in(node.type, lambda: super(_Mrkdwn, self).inline(node))

    def text(self, text: str) -> str:
        return escape(_MARK.sub(lambda found: f"{found[0]}{JOINER}", _unfenced(text)))

    def marked(self, kind: str, text: str) -> str:
        if kind in self._within:
            return text
        mark = _MARKS[kind]
        return _each_line(text, lambda line: f"{_OPEN}{mark}{line}{mark}{_CLOSE}")

    def code(self, text: str) -> str:
        shown = escape(text.replace("`", "ˋ"))
        return f"{_OPEN}`{shown}`{_CLOSE}" if shown.strip() else shown

    def code_block(self, text: str) -> str:
        shown = escape(_unfenced(text))
        return f"{FENCE}\n{shown}\n{FENCE}" if shown.strip() else ""

    def heading(self, node: SyntaxTreeNode) -> str:
        return self.marked("strong", self._in("strong", lambda: self.inline(node)))

    def quote(self, chunks: Sequence[str]) -> str:
        quoted = "\n>\n".join(map(_quoted, chunks))
        return quoted.replace(f"\n>\n{FENCE}", f"\n{FENCE}").replace(f"{FENCE}\n>\n", f"{FENCE}\n")

    def table(self, rows: list[list[str]], aligned: Sequence[str]) -> str:
        return self.code_block(tables.drawn(rows, aligned))

    def rule(self) -> str:
        return RULE

    def link(self, label: str, address: str) -> str:
        if not _is_followed(address):
            return self.text(super().link(label, address))
        target = escape(address.replace("|", "%7C").replace(" ", "%20"))
        name = escape(" ".join(label.replace("|", "¦").split()))
        return f"<{target}|{name}>" if name and label != address else f"<{target}>"

    def _in(self, kind: str, render: Callable[[], str]) -> str:
        self._within.append(kind)
        try:
            return render()
        finally:
            self._within.pop()


def _is_followed(address: str) -> bool:
    return address.lower().startswith(_LINKED)


def _words(node: SyntaxTreeNode) -> str:
    """Return what a link is called, without any marks: Slack formats nothing there."""
    return _finished(_Plain().inline(node)).strip()


def _address(node: SyntaxTreeNode, name: str) -> str:
    """Return where a link leads; a joiner in an address only shows that nothing can be reached there."""
    return str(node.attrs.get(name, "")).replace(quote(JOINER), "")


def _each_line(text: str, change: Callable[[str], str]) -> str:
    return "\n".join(change(line) if line.strip() else line for line in text.split("\n"))


def _unfenced(text: str) -> str:
    """Return *text* without anything that would begin or end a block of code."""
    return re.sub("``(?=`)", f"``{_SPACE}", text)


def _indented(chunk: str) -> str:
    """Return a chunk of a list entry; code keeps its own margin, which Slack draws a frame at."""
    if chunk.startswith(FENCE):
        return chunk
    return _each_line(chunk, lambda line: INDENT + line)


def _quoted(chunk: str) -> str:
    """Return a quoted chunk; there are no quotations in quotations, and none of code."""
    if chunk.startswith(FENCE):
        return chunk
    return "\n".join(line if line.startswith(">") else f"> {line}" for line in chunk.split("\n"))
