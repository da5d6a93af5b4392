"""Cut Markdown into messages: greedily from the left, so that a full part never changes while text grows.

Where a part is cut depends on nothing but the text that fits into it, and on one character more. A block of
code is closed at a cut and opened again, with its language, in the next part, and the heading of a table is
repeated there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bot.blocks import LONGEST_CLOSING, NOTHING, Block, read

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALLEST = 80
"""Below this many characters a part would hold little but fences."""

_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")
_GAP = re.compile(r"[^\S\n]*(?:[^\S\n]*\n)*")
"""What is left of the white space that a line was cut at. The indentation of a line is no such gap."""
_LEAST_CODE = 43
"""A fence with less than this behind it moves to the next part."""
_MOST_HEADING = 3
"""What part of a message the heading of a table may take up to be repeated."""

_BOUNDARIES = (
    re.compile(r"\n[^\S\n]*\n+"),
    re.compile(r"\n"),
    re.compile(r"(?:[.!?…][\"'”’)\]*_]*(?:\s?\[\d{1,3}\])*\s|[。！？](?:\[\d{1,3}\])*)"),
    re.compile(r"\s"),
)
"""Paragraph, line, sentence (with the markers behind it), word."""

_OPEN = (
    re.compile(r"\[[^\[\]\n]{0,300}\Z"),
    re.compile(r"\[[^\[\]\n]{1,300}\](?:\([^()\s]{0,1500})?\Z"),
    re.compile(r"<[^<>\s]{0,1500}\Z"),
)
"""A marker or link text, a link's target, an address or a mention that a cut here would break."""


@dataclass(frozen=True, slots=True)
class Part:
    """One message's worth of text."""

    text: str
    """What to show: every fence is closed."""
    growing: str
    """The same without the closing fence that was added: later text of this part only ever extends it."""


@dataclass(frozen=True, slots=True)
class _Slice:
    """A stretch of the source, and what goes on before and behind it."""

    raw: str
    before: Block
    after: Block


def split(text: str, limit: int) -> list[Part]:
    """Return *text* in parts of at most *limit* characters; the last may still grow, the others are final.

    White space at a cut between paragraphs, lines or words is dropped, nothing else is. Whoever shows a
    cursor behind the last part asks for a smaller *limit*. Raises `ValueError` below `SMALLEST`.
    """
    if limit < SMALLEST:
        raise ValueError(f"a message of {limit} characters is too small to split for")
    return [part for piece in _slices(text, limit) if (part := _part(piece)) is not None]


def _slices(text: str, limit: int) -> Iterator[_Slice]:
    """Cut *text*; the slices' raw texts and the white space skipped between them make up all of it."""
    position, block = _skip_blank(text, 0, NOTHING), NOTHING
    while position < len(text):
        room = limit - len(block.opening) - LONGEST_CLOSING
        if len(text) - position <= room:
            rest = text[position:]
            yield _Slice(rest, block, read(rest, block, whole=True).block)
            return
        end = position + _cut(text[position : position + room + 1], room, block)
        raw = text[position:end]
        after = read(raw, block).block
        yield _Slice(raw, block, after)
        position = _skip_blank(text, end, after)
        block = _going_on(after, raw[-1:] + text[end:position], limit)


def _skip_blank(text: str, position: int, block: Block) -> int:
    """Return where the next part begins: outside code, behind blank lines and the rest of a gap."""
    if block.fence is not None:  # nothing of code is dropped but the end of the line that it was cut at
        return position + (text[position - 1] != "\n" and text.startswith("\n", position))
    gap = _BLANK_LINES if not position or text[position - 1] == "\n" else _GAP
    found = gap.match(text, position)
    return found.end() if found else position


def _going_on(block: Block, gap: str, limit: int) -> Block:
    """Return what of *block* goes on behind *gap*: behind a blank line, or in long lines, no table does."""
    ended = block.fence is None and gap.count("\n") > 1
    if ended or len(block.heading) > limit // _MOST_HEADING:
        return replace(block, heading="")
    return block


def _part(piece: _Slice) -> Part | None:
    """Dress a slice as a message; None: it would show nothing."""
    body, before = piece.raw, piece.before
    if (fence := before.fence) is not None:
        first, ended, rest = body.lstrip("\n").partition("\n")
        if ended and fence.is_closed_by(first):  # the fence was closed right behind the cut
            body, before = rest.lstrip("\n"), NOTHING
        elif not ended and not fence.code_in(first).strip(fence.sign[0]):
            return None
    if not body.strip():
        return None
    growing = before.opening_before(body) + body
    if piece.after.fence is None:
        return Part(growing.rstrip(), growing)
    return Part(growing.rstrip("\n") + piece.after.fence.closing, growing)


def _cut(window: str, room: int, block: Block) -> int:
    """Return how much of *window*, which holds one character more than *room*, goes into this part."""
    cut = _outside_signs(window, _best_boundary(window, room, block))
    reading = read(window[:cut], block)
    if reading.block.fence is not None:
        return reading.opener if reading.opener and cut - reading.opener < _LEAST_CODE else cut
    return _outside_links(window, reading.table or cut)


def _best_boundary(window: str, room: int, block: Block) -> int:
    """Return the last boundary of the best kind, as long as it does not leave the part half empty."""
    in_code = read(window[:room], block).block.fence is not None
    least = room // 4 if in_code else room // 2
    for boundary in _BOUNDARIES[1:2] if in_code else _BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(window, least)]
        if ends:  # the white space of the last may stand just behind the room
            return min(ends[-1], room) if window[room].isspace() or ends[-1] <= room else room
    return room


def _outside_signs(window: str, cut: int) -> int:
    """Move *cut* out of a run of backticks or waves, in front of it if anything stands there."""
    start = cut
    while start and window[cut] in "`~" and window[start - 1] == window[cut]:
        start -= 1
    return start or cut


def _outside_links(window: str, cut: int) -> int:
    """Move *cut* in front of a marker, link, address or mention that it would break, if that is not far."""
    head = window[:cut]
    for shape in _OPEN:
        found = shape.search(head, max(0, cut - 2000))
        if found is None or found.start() <= len(head) // 4:
            continue
        if shape is _OPEN[1] and head.endswith("]") and window[cut] != "(":
            continue
        return found.start()
    return cut
