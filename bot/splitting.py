"""Cut Markdown into messages: greedily from the left, so that a full part never changes while text grows.

Where a part is cut depends on nothing but the text that fits into it, and on one character more. Code fences
are closed at a cut and opened again, with their language, in the next part. Every ``` counts as a fence,
wherever it stands: that is how the stricter clients read it, and it keeps the count even in every part.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SMALLEST = 80
"""Below this many characters a part would hold little but fences."""

_FENCE = "```"
_CLOSING = "\n" + _FENCE
_LANGUAGE = re.compile(r"[A-Za-z0-9_+\-.#]{1,20}(?=\n)")
_BLANK_LINES = re.compile(r"(?:[^\S\n]*\n)*")
_GAP = re.compile(r"[^\S\n]*(?:[^\S\n]*\n)*")
"""What is left of the white space that a line was cut at. The indentation of a line is no such gap."""
_LEAST_CODE = 40
"""A fence with less than this behind it moves to the next part."""

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
    """A stretch of the source, and the language of the fence it starts and ends in (None: in none)."""

    raw: str
    before: str | None
    after: str | None


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
    position, fence = _skip_blank(text, 0, None), None
    while position < len(text):
        room = limit - len(_opening(fence)) - len(_CLOSING)
        if len(text) - position <= room:
            rest = text[position:]
            yield _Slice(rest, fence, _fence_after(rest, fence))
            return
        length = _cut(text[position : position + room + 1], room, fence)
        raw = text[position : position + length]
        after = _fence_after(raw, fence)
        yield _Slice(raw, fence, after)
        position, fence = _skip_blank(text, position + length, after), after


def _skip_blank(text: str, position: int, fence: str | None) -> int:
    """Return where the next part begins: outside code, behind blank lines and the rest of a gap."""
    if fence is not None:
        return position
    gap = _BLANK_LINES if not position or text[position - 1] == "\n" else _GAP
    found = gap.match(text, position)
    return found.end() if found else position


def _opening(fence: str | None) -> str:
    return "" if fence is None else f"{_FENCE}{fence}\n"


def _part(piece: _Slice) -> Part | None:
    """Dress a slice as a message; None: it would show nothing."""
    body, before = piece.raw, piece.before
    if before is not None:
        start = body.lstrip("\n")
        if start.startswith(_FENCE):  # the fence was closed right behind the cut
            body, before = start.removeprefix(_FENCE).lstrip("\n"), None
        elif not start.strip("`"):
            return None
    if not body.strip():
        return None
    growing = _opening(before) + body
    if piece.after is None:
        return Part(growing.rstrip(), growing)
    shown = growing.rstrip("\n")
    inside = growing[growing.rfind(_FENCE) + len(_FENCE) :]
    # on a line of its own the fence would turn the only line of code into the name of a language
    alone = "\n" in inside or not inside.strip()
    return Part(shown + (_CLOSING if alone else _FENCE), growing)


def _fences(raw: str) -> Iterator[int]:
    """Yield where each fence of *raw* begins."""
    position = raw.find(_FENCE)
    while position >= 0:
        yield position
        position = raw.find(_FENCE, position + len(_FENCE))


def _fence_after(raw: str, fence: str | None) -> str | None:
    """Return the language of the fence that is open behind *raw*, "" for none named, None for no fence."""
    for position in _fences(raw):
        if fence is not None:
            fence = None
        else:
            language = _LANGUAGE.match(raw, position + len(_FENCE))
            fence = language.group() if language else ""
    return fence


def _cut(window: str, room: int, fence: str | None) -> int:
    """Return how much of *window*, which holds one character more than *room*, goes into this part."""
    cut = _outside_ticks(window, _best_boundary(window, room, fence))
    if _fence_after(window[:cut], fence) is not None:
        opener = max(_openers(window[:cut], fence), default=0)
        if opener and cut - opener < _LEAST_CODE + len(_FENCE):
            return opener
        return cut
    return _outside_links(window, cut)


def _openers(raw: str, fence: str | None) -> list[int]:
    """Return where the fences begin that open code, given the one *raw* begins in."""
    return list(_fences(raw))[0 if fence is None else 1 :: 2]


def _best_boundary(window: str, room: int, fence: str | None) -> int:
    """Return the last boundary of the best kind, as long as it does not leave the part half empty."""
    in_code = _fence_after(window[:room], fence) is not None
    least = room // 4 if in_code else room // 2
    for boundary in _BOUNDARIES[1:2] if in_code else _BOUNDARIES:
        ends = [match.end() for match in boundary.finditer(window, least)]
        if ends:  # the white space of the last may stand just behind the room
            return min(ends[-1], room) if window[room].isspace() or ends[-1] <= room else room
    return room


def _outside_ticks(window: str, cut: int) -> int:
    """Move *cut* out of a run of backticks, in front of it if anything stands there."""
    start = cut
    while start and window[start - 1] == "`":
        start -= 1
    if start == cut or window[cut] != "`":
        return cut
    return start or cut - cut % len(_FENCE)


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
