"""What a citation marker looks like: the one place that knows, for whoever writes, reads or removes one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Collection

MARKER: Final = re.compile(r"[\[【]([ \t]*\d{1,4}(?:[ \t]*[,;、][ \t]*\d{1,4})*[ \t]*)[\]】]")
"""[1], [ 2 ], [1, 3]; also the full-width brackets that models trained on Chinese text write."""

BEGUN: Final = re.compile(r"[\[【][\d \t,;、]*")
"""What may still become a marker."""

FENCE: Final = "```"
CODE_CHARS: Final = 120
"""An inline span of code is no longer; what is longer stands between stray backticks."""
INLINE_CODE: Final = re.compile(rf"`[^`\n]{{1,{CODE_CHARS}}}`")
"""A number in brackets is an index in code (``rows[0]``)."""

_MARKER_AND_GAP: Final = re.compile(rf"[ \t]*{MARKER.pattern}")
_BETWEEN: Final = re.compile(r"\D+")


def without_markers(text: str) -> str:
    """Return *text* without its markers and the blanks before them."""
    return _MARKER_AND_GAP.sub("", text)


def defused(text: str) -> str:
    """Turn a document's own ``[2]`` into ``(2)``: repeated in an answer it would link to the wrong source."""
    return MARKER.sub(r"(\1)", text)


def labels_of(marker: re.Match[str]) -> list[str]:
    """Return the labels that one marker names, leading zeros left out."""
    return [number.lstrip("0") or "0" for number in _BETWEEN.split(marker[1]) if number]


def cited_in(text: str) -> frozenset[str]:
    """Return the labels that *text* cites outside code."""
    prose = INLINE_CODE.sub("", "".join(text.split(FENCE)[::2]))
    return frozenset(label for marker in MARKER.finditer(prose) for label in labels_of(marker))


def code_spans(text: str) -> list[tuple[int, int]]:
    """Return where spans of code within a line begin and end; a bracket there is no marker."""
    return [span.span() for span in INLINE_CODE.finditer(text)]


def longest(labels: Collection[str]) -> int:
    """Return the length of the longest marker worth waiting for: every label in one pair of brackets."""
    return len("[ " + " , ".join(labels) + " ]")


def issued(marker: re.Match[str], labels: Collection[str]) -> tuple[str, int]:
    """Rewrite one marker to ``[1][3]`` with issued *labels* only; return it and how many labels went."""
    named = labels_of(marker)
    known = [label for label in named if label in labels]
    return "".join(f"[{label}]" for label in known), len(named) - len(known)
