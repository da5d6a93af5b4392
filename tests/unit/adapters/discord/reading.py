"""A message as Discord's clients read it: by patterns, tried one after the other wherever a word ends.

Written after what is known of them; where two descriptions differ, the one that obeys more is followed.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Rule = tuple[re.Pattern[str], Callable[["Reading", re.Match[str]], bool | None]]


@dataclass(slots=True)
class Reading:
    """What people see of a message, and what it does."""

    shown: str = ""
    """All text, without marks; a masked link as its label with the target in brackets."""
    live: list[str] = field(default_factory=list)
    """Mentions, times and pictures."""
    code: list[str] = field(default_factory=list)
    """Blocks of code, with their language in front."""
    spans: list[str] = field(default_factory=list)
    """Pieces of code in a text."""
    links: list[tuple[str, str]] = field(default_factory=list)
    """Labels and targets; with a preview if the target stands in no pointed brackets."""
    headings: list[str] = field(default_factory=list)
    quotes: list[str] = field(default_factory=list)
    bold: list[str] = field(default_factory=list)
    italic: list[str] = field(default_factory=list)
    spoilers: list[str] = field(default_factory=list)
    quoted: bool = False

    def inside(self, text: str, *, line_start: bool = False) -> str:
        """Read *text* inside something, and return what is shown of it."""
        begun = len(self.shown)
        _read(self, text, line_start=line_start)
        return self.shown[begun:]


def read(text: str) -> Reading:
    """Read the content of a message."""
    reading = Reading()
    _read(reading, text, line_start=True)
    return reading


def _read(reading: Reading, text: str, *, line_start: bool) -> None:
    position = 0
    while position < len(text):
        at_start = (
            line_start if position == 0 else not text[text.rfind("\n", 0, position) + 1 : position].strip()
        )
        rest = text[position:]
        for pattern, apply in (*(_BLOCKS if at_start else ()), *_SPANS):
            found = pattern.match(rest)
            if found and apply(reading, found) is not False:
                position += found.end()
                break


def _show(reading: Reading, found: re.Match[str]) -> None:
    reading.shown += found[found.lastindex or 0]


def _bold(reading: Reading, found: re.Match[str]) -> None:
    reading.bold.append(reading.inside(found[1]))


def _italic(reading: Reading, found: re.Match[str]) -> None:
    reading.italic.append(reading.inside(found[1] or found[2]))


def _within(reading: Reading, found: re.Match[str]) -> None:
    reading.inside(found[1])


def _spoiler(reading: Reading, found: re.Match[str]) -> None:
    reading.spoilers.append(reading.inside(found[1]))


def _block(reading: Reading, found: re.Match[str]) -> bool:
    if not found[2].strip("`"):
        return False
    reading.code.append(f"{found[1] or ''}\n{found[2]}")
    reading.shown += f"\n{found[2]}\n"
    return True


def _code(reading: Reading, found: re.Match[str]) -> None:
    reading.spans.append(found[2])
    reading.shown += found[2]


def _link(reading: Reading, found: re.Match[str]) -> bool:
    label, target = found[1], found[2]
    named = any(unicodedata.category(one) == "So" or one in "\ufe0f\u20e3" for one in label)
    if not label.strip() or named or re.search(r"https?://\w\w|:\w+:", label):
        return False
    if not re.match(r"https?://[^\s<>]+\Z", target):
        return False
    bracketed = f"<{target}>" in found[0]
    reading.links.append((reading.inside(label), f"<{target}>" if bracketed else target))
    reading.shown += f" ({target})"
    return True


def _address(reading: Reading, found: re.Match[str]) -> None:
    reading.links.append(("", found[0]))
    reading.shown += found[1]


def _live(reading: Reading, found: re.Match[str]) -> None:
    reading.live.append(found[0])
    reading.shown += found[0]


def _heading(reading: Reading, found: re.Match[str]) -> None:
    reading.headings.append(reading.inside(found[1], line_start=True))


def _subtext(reading: Reading, found: re.Match[str]) -> None:
    reading.shown += "-# "  # shown small
    reading.inside(found[1], line_start=True)


def _quote(reading: Reading, found: re.Match[str]) -> bool:
    if reading.quoted:
        return False
    reading.quoted = True
    reading.quotes.append(reading.inside(found[1] or found[2], line_start=True))
    reading.quoted = False
    return True


def _entry(reading: Reading, found: re.Match[str]) -> None:
    reading.shown += found[1]
    reading.inside(found[2], line_start=True)


_BLOCKS: tuple[Rule, ...] = (
    (re.compile(r" *>>> (.+)| *> ([^\n]*\n?)", re.DOTALL), _quote),
    (re.compile(r"#{1,3} +(?!#)([^\n]+\n?)"), _heading),
    (re.compile(r"-# +(?!-#)([^\n]+\n?)"), _subtext),
    (re.compile(r" *([*+-]|\d+\.) +([^\n]+\n?)"), _entry),
)
_ID = r"\d{1,20}"
_SPANS: tuple[Rule, ...] = (
    (re.compile(r"\\([^0-9A-Za-z\s])"), _show),
    (re.compile(r"\*\*([\s\S]+?)\*\*(?!\*)"), _bold),
    (re.compile(r"__([\s\S]+?)__(?!_)"), _within),
    (
        re.compile(
            r"_((?:__|\\[\s\S]|[^\\_])+?)_\b"
            r"|\*(?=\S)((?:\*\*|\\[\s\S]|\s+(?:\\[\s\S]|[^\s*\\]|\*\*)|[^\s*\\])+?)\*(?!\*)",
            re.ASCII,
        ),
        _italic,
    ),
    (re.compile(r"~~([\s\S]+?)~~"), _within),
    (re.compile(r"\|\|([\s\S]+?)\|\|"), _spoiler),
    (re.compile(r"```(?:([A-Za-z0-9_+\-.#]+?)\n)?\n*([^\n][\s\S]*?)\n*```"), _block),
    (re.compile(r"(`+)([\s\S]*?[^`])\1(?!`)"), _code),
    (
        re.compile(
            r"\[((?:\[[^\]]*\]|[^\[\]]|\](?=[^\[]*\]))*)\]"
            r"\(\s*<?((?:\([^)]*\)|[^\s\\]|\\.)*?)>?(?:\s+['\"]([\s\S]*?)['\"])?\s*\)"
        ),
        _link,
    ),
    (re.compile(rf"<@[!&]?{_ID}>|<#{_ID}>|</[^<>\n]+:{_ID}>|<t:-?\d+(?::\w)?>|<a?:\w+:{_ID}>"), _live),
    (re.compile(r"<id:\w[\w\-]*(?::\d+)?>|<sound:\d+:\d+>|@(?:everyone|here)(?![\w\-]+\.\w)"), _live),
    (re.compile(r"<([^: >]+:/[^ >]+)>"), _address),
    (re.compile(r"((?:https?|steam|discord)://[^\s<]+[^<.,:;\"'\]\s])"), _address),
    (re.compile(r"[\s\S]"), _show),
)
