"""May this answer be called one, and which of its markers may stand."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pipeline.domain import Reason

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from pipeline.domain import CitedSource

# [1], [ 2 ], [1, 3]; also the full-width brackets that models trained on Chinese text write.
MARKER = re.compile(r"[\[【][ \t]*(\d{1,4}(?:[ \t]*[,;、][ \t]*\d{1,4})*)[ \t]*[\]】]")
_MARKER_AND_GAP = re.compile(rf"[ \t]*{MARKER.pattern}")
MARKER_PREFIX = re.compile(r"[\[【][\d \t,;、]*")
FENCE = "```"
INLINE_CODE = re.compile(r"`[^`\n]{1,120}`")
"""A number in brackets is an index in code (``rows[0]``); spans longer than this are stray backticks."""


def without_markers(text: str) -> str:
    """Return *text* without its markers and the blanks before them."""
    return _MARKER_AND_GAP.sub("", text)


def check_answer(text: str) -> Reason | None:
    """Return EMPTY_RESPONSE where nothing is left but markers, white space and punctuation."""
    if any(character.isalnum() for character in without_markers(text)):
        return None
    return Reason.EMPTY_RESPONSE


def marker_max(labels: Collection[str]) -> int:
    """Return the longest marker worth waiting for: every label in one pair of brackets, with blanks."""
    return len("[ " + " , ".join(labels) + " ]")


def sanitize_marker(marker: re.Match[str], labels: Collection[str]) -> tuple[str, int]:
    """Rewrite one marker to ``[1][3]`` with issued labels only; return it and how many labels went."""
    numbers = [number.lstrip("0") or "0" for number in re.split(r"\D+", marker.group(1))]
    known = [number for number in numbers if number in labels]
    return "".join(f"[{number}]" for number in known), len(numbers) - len(known)


def used_labels(text: str, sources: Sequence[CitedSource]) -> tuple[str, ...]:
    """Return the labels that *text* cites outside code, in the order of *sources*."""
    prose = INLINE_CODE.sub("", "".join(text.split(FENCE)[::2]))
    cited = {number for marker in MARKER.finditer(prose) for number in re.split(r"\D+", marker.group(1))}
    return tuple(source.label for source in sources if source.label in cited)
