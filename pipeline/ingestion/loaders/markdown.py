"""Markdown by its block structure: headings give the path, fences and tables stay whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

from pipeline.ingestion.blocks import Block, Headings, Kind, Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.prose import paragraphs

if TYPE_CHECKING:
    from markdown_it.token import Token

MAX_CHARS = 5_000_000
"""markdown-it reads 200 KB a second in dense tables; above this a file is read as plain text, in no time."""

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?=[\w\"'-]+\s*:|#)(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_CONTAINERS = frozenset({"bullet_list_open", "ordered_list_open", "table_open"})
_KINDS = {
    "fence": Kind.CODE,
    "code_block": Kind.CODE,
    "paragraph_open": Kind.TEXT,
    "blockquote_open": Kind.TEXT,
    "html_block": Kind.TEXT,
    "list_item_open": Kind.ITEM,
    "tr_open": Kind.TABLE,
}
_MARKUP = re.compile(
    r"!?\[([^\]\[]*)\]\([^)\s]*\)|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|(?<!\w)_{1,3}|_{1,3}(?!\w)|`+|~~|\\(?=\W)"
    r"|</?(?:a|b|br|code|em|i|img|kbd|span|strong|sub|sup)\b[^<>]*>|\s#+\s*$"
)


def load(upload: Upload) -> Loaded:
    """Read Markdown as it was written, marks included, so that its lines can be pointed at."""
    return Loaded(kind="Markdown", blocks=tuple(read(decode(upload.data), Headings())))


def read(text: str, headings: Headings, parser: MarkdownIt | None = None) -> list[Block]:
    """Return the blocks of a Markdown text that stands under *headings*, and open those that it has.

    Whoever reads many texts passes the same *parser*, because making one takes longer than a short text.
    """
    if len(text) > MAX_CHARS:
        return paragraphs(text)
    front = _FRONT_MATTER.match(text)
    skipped = front.group().count("\n") if front else 0
    lines = text.split("\n")
    body = "\n" * skipped + text[front.end() :] if front else text
    blocks = [_source(lines, 0, skipped)] if front else []
    return blocks + _walk((parser or make_parser()).parse(body), lines, headings)


def make_parser() -> MarkdownIt:
    """Return a parser of blocks."""
    parser = MarkdownIt("commonmark").enable("table")
    # only blocks are of interest, and link definitions are text to be found like any other
    parser.core.ruler.disable(["inline", "text_join"])
    return parser.disable("reference")


def _walk(tokens: list[Token], lines: list[str], headings: Headings) -> list[Block]:
    """Take every outermost block, and the entries and rows of the outermost lists and tables."""
    blocks: list[Block] = []
    header = ""
    for index, token in enumerate(tokens):
        if token.map is None or token.type in _CONTAINERS or token.level > _depth(token.type):
            continue
        first, end = token.map
        if token.type == "heading_open":
            path = headings.enter(int(token.tag[1:]), plain(tokens[index + 1].content))
            blocks.append(_source(lines, first, end, Kind.HEADING, path))
        elif token.type == "tr_open":
            row = tokens[index - 1].type == "thead_open"
            header = "\n".join(lines[first : first + 2]) if row else header
            last = first + 2 if row else end
            blocks.append(_source(lines, first, last, Kind.TABLE, headings.path, "" if row else header))
        elif token.type in _KINDS:
            blocks.append(_source(lines, first, end, _KINDS[token.type], headings.path))
    return [block for block in blocks if block.text]


def _depth(kind: str) -> int:
    """How deep below the document this kind of token still starts a block of its own."""
    return {"list_item_open": 1, "tr_open": 2}.get(kind, 0)


def _source(
    lines: list[str],
    first: int,
    end: int,
    kind: Kind = Kind.TEXT,
    path: tuple[str, ...] = (),
    header: str = "",
) -> Block:
    """Make a block of the lines from *first* (from 0) up to *end*, without the blank ones at its end."""
    while end > first and not lines[end - 1].strip():
        end -= 1
    return Block(
        text="\n".join(lines[first:end]), kind=kind, lines=(first + 1, end), path=path, header=header
    )


def plain(markup: str) -> str:
    """Strip a heading's emphasis, code marks, tags and link targets."""
    return _MARKUP.sub(lambda match: match.group(1) or "", markup).strip() or markup.strip()
