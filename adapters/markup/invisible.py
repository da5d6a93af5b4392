"""Characters that nobody sees, and texts that hold nothing else."""

from __future__ import annotations

import re

HIDDEN = (
    "\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e0fff"
)
"""Characters that are not seen, as part of a pattern. Whoever drops them joins what stood around them."""

_UNSEEN = re.compile(rf"[\s{HIDDEN}]*\Z")


def is_blank(text: str) -> bool:
    """Tell whether nobody would see anything of *text*."""
    return _UNSEEN.match(text) is not None
