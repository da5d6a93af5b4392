"""Markdown as models write it: CommonMark with tables, and with what is common in chats besides.

Bare web addresses and Slack's ``<address|label>`` are links, strong text may end at Chinese and Japanese
punctuation, HTML is text, and so are definitions of links: their labels look like citations.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline

from adapters.markup import lenient

if TYPE_CHECKING:
    from collections.abc import MutableMapping
    from typing import Any

    from markdown_it.rules_inline.state_inline import Scanned
    from markdown_it.token import Token

_SCHEME = re.compile(r"(?<![A-Za-z0-9+.\-])https?\Z", re.IGNORECASE)
_LONGEST_SCHEME = len("https") + 1  # and what stands before it
_ADDRESS = re.compile(r"://[^\s<>|\x00-\x1f]+")
_SLACK_LINK = re.compile(r"<((?:https?://|mailto:)[^\s<>|]+)\|([^<>\n]+)>", re.IGNORECASE)
_TRAILING = ".,;:!?'\"*_~`。，、；：！？）」』】"
_EAST_ASIAN = frozenset("WF")


@cache
def parser() -> MarkdownIt:
    """Return the parser; it keeps nothing of what it reads."""
    return _built()


@cache
def lenient_parser() -> MarkdownIt:
    """Return a parser for texts that were cut into messages or are still being written.

    It reads blocks as `adapters.markup.lenient` says, and keeps escapes apart from the text around them.
    """
    markdown = _built()
    lenient.mend(markdown)
    return markdown.disable("text_join")


def _built() -> MarkdownIt:
    markdown = _Markdown()
    markdown.inline = _Inline()
    markdown.configure("commonmark", options_update={"html": False})
    markdown.enable(["table", "strikethrough"]).disable("reference")
    markdown.inline.ruler.before("newline", "address", _address)
    markdown.inline.ruler.before("autolink", "slack_link", _slack_link)
    return markdown


class _Markdown(MarkdownIt):
    """Takes every address for one; which of them can be followed is decided where they are shown."""

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's own name
        return True


class _Inline(ParserInline):
    """Reads text with `_Line`."""

    def parse(
        self, src: str, md: MarkdownIt, env: MutableMapping[str, Any], tokens: list[Token]
    ) -> list[Token]:
        state = _Line(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


class _Line(StateInline):
    """Lets emphasis begin and end beside Chinese, Japanese and Korean text, which has no gaps.

    CommonMark wants a gap or punctuation outside a mark that has punctuation inside: ``**注意：**请`` is no
    emphasis to it.
    """

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803 - the parser's own names
        scanned = super().scanDelims(start, canSplitWord)
        if not canSplitWord:
            return scanned
        before, behind = self.src[start - 1 : start], self.src[start + scanned.length :][:1]
        return scanned._replace(
            can_open=scanned.can_open or (_is_east_asian(before) and bool(behind.strip())),
            can_close=scanned.can_close or (_is_east_asian(behind) and bool(before.strip())),
        )


def _is_east_asian(character: str) -> bool:
    return bool(character) and unicodedata.east_asian_width(character) in _EAST_ASIAN


def _address(state: StateInline, silent: bool) -> bool:
    """Read a bare web address; the parser comes by at its colon."""
    if state.src[state.pos] != ":" or state.linkLevel:
        return False
    scheme = _SCHEME.search(state.pending[-_LONGEST_SCHEME:])
    rest = _ADDRESS.match(state.src, state.pos, state.posMax)
    if scheme is None or rest is None:
        return False
    address = _trimmed(scheme[0] + rest[0])
    if len(address) <= len(scheme[0]) + len("://"):
        return False
    if not silent:
        state.pending = state.pending[: -len(scheme[0])]
        _link(state, address, address)
    state.pos += len(address) - len(scheme[0])
    return True


def _trimmed(address: str) -> str:
    """Return *address* without the punctuation of the sentence it stands in."""
    while True:
        shorter = address.rstrip(_TRAILING)
        for opening, closing in ("()", "[]"):
            if shorter.endswith(closing) and shorter.count(opening) < shorter.count(closing):
                shorter = shorter[:-1]
        if shorter == address:
            return address
        address = shorter


def _slack_link(state: StateInline, silent: bool) -> bool:
    """Read a link as Slack writes them."""
    found = _SLACK_LINK.match(state.src, state.pos, state.posMax)
    if found is None or state.linkLevel:
        return False
    if not silent:
        _link(state, found[1], found[2])
    state.pos = found.end()
    return True


def _link(state: StateInline, address: str, label: str) -> None:
    state.push("link_open", "a", 1).attrs = {"href": state.md.normalizeLink(address)}
    state.push("text", "", 0).content = label
    state.push("link_close", "a", -1)
