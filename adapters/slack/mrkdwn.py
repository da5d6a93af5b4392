"""Turns Markdown into Slack's own dialect, and into plain words for notifications and screen readers.

Both come out escaped and harmless. Nothing is dropped: what the dialect has no form for is written out.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from markdown_it.tree import SyntaxTreeNode

from adapters.markup import tables
from adapters.markup.invisible import is_blank
from adapters.markup.parser import parser
from adapters.markup.plain import FENCE, RULE, Plain, alignment, each_line, finished, readable
from adapters.slack.neutral import JOINER, neutralise

_SPACE = "\u200b"
"""A space of no width: Slack sees formatting only between words, Chinese or Japanese text has no gaps."""
_OPEN, _CLOSE = "\x01", "\x02"
"""Stand in what is being rendered before a mark and behind one."""
_TOO_CLOSE = re.compile(rf"(?:(?<=[^\W_])|(?<=`))(?={_OPEN})|(?<={_CLOSE})(?=[^\W_]|`)")

_MARK = re.compile(r"(?<!\w)([*_~`])(?=\S[^\n]{0,500}?(?<=\S)\1(?!\w))|(?m:^)(?=>)")
"""What Slack would take for formatting, and the sign of a quotation at the beginning of a line."""
_MARKS = {"strong": "*", "em": "_", "s": "~"}


def to_mrkdwn(markdown: str) -> str:
    """Return *markdown* in Slack's dialect, with every mention dead."""
    return "\n\n".join(chunks(markdown))


def to_plain(markdown: str) -> str:
    """Return what *markdown* says without any marks, escaped as Slack wants it."""
    return escape(neutralise("\n\n".join(_render(_Words(), markdown))))


def chunks(markdown: str) -> list[str]:
    """Return the paragraphs, lists, tables and so on of *markdown* in Slack's dialect, one by one."""
    return [neutralise(chunk) for chunk in _render(_Mrkdwn(), markdown)]


def escape(text: str) -> str:
    """Return *text* with the three characters replaced that Slack reads as its own."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _render(dialect: Plain, markdown: str) -> list[str]:
    tree = SyntaxTreeNode(parser().parse(readable(neutralise(markdown))))
    return [done for chunk in dialect.blocks(tree) if not is_blank(done := _finished(chunk))]


def _finished(text: str) -> str:
    """Return *text* with what stood in for marks and addresses put into its final form."""
    text = _TOO_CLOSE.sub(_SPACE, text)
    return finished(text.replace(_CLOSE + _OPEN, _SPACE).replace(_OPEN, "").replace(_CLOSE, ""))


class _Words(Plain):
    """Renders a tree of harmless text without any marks."""

    def address(self, node: SyntaxTreeNode, name: str) -> str:
        """Return where a link leads; a joiner in it only shows that nothing can be reached there."""
        return super().address(node, name).replace(quote(JOINER), "")

    def unmarked(self) -> Plain:
        return _Words()


class _Mrkdwn(_Words):
    """Renders a tree in Slack's dialect."""

    def text(self, text: str) -> str:
        return escape(_MARK.sub(lambda found: f"{found[0]}{JOINER}", _unfenced(text)))

    def marked(self, kind: str, text: str) -> str:
        mark = _MARKS[kind]
        return each_line(text, lambda line: f"{_OPEN}{mark}{line}{mark}{_CLOSE}")

    def code(self, text: str) -> str:
        shown = escape(text.replace("`", "ˋ"))
        return f"{_OPEN}`{shown}`{_CLOSE}" if shown.strip() else shown

    def code_block(self, node: SyntaxTreeNode) -> str:
        return _fenced(super().code_block(node))

    def heading(self, node: SyntaxTreeNode) -> str:
        return self.marked("strong", self.within("strong", lambda: self.inline(node)))

    def quote(self, node: SyntaxTreeNode) -> str:
        quoted = "\n>\n".join(map(_quoted, self.blocks(node)))
        return quoted.replace(f"\n>\n{FENCE}", f"\n{FENCE}").replace(f"{FENCE}\n>\n", f"{FENCE}\n")

    def table(self, node: SyntaxTreeNode) -> str:
        return _fenced(tables.drawn(self.rows(node), alignment(node)))

    def rule(self) -> str:
        return RULE

    def link(self, label: str, address: str) -> str:
        if not self.is_followed(address):
            return self.text(super().link(label, address))
        target = escape(address.replace("|", "%7C").replace(" ", "%20"))
        name = escape(_unfenced(" ".join(label.replace("|", "¦").split())))
        return f"<{target}|{name}>" if name and label != address else f"<{target}>"


def _fenced(text: str) -> str:
    shown = escape(_unfenced(text))
    return f"{FENCE}\n{shown}\n{FENCE}" if shown.strip() else ""


def _unfenced(text: str) -> str:
    """Return *text* without anything that would begin or end a block of code."""
    return re.sub("``(?=`)", f"``{_SPACE}", text)


def _quoted(chunk: str) -> str:
    """Return a quoted chunk; there are no quotations in quotations, and none of code."""
    if chunk.startswith(FENCE):
        return chunk
    return "\n".join(line if line.startswith(">") else f"> {line}" for line in chunk.split("\n"))
