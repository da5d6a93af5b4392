"""What a file is called, as far as it can be shown, searched and kept."""

from __future__ import annotations

import re
from typing import Final

UNNAMED: Final = "unnamed"
"""What a file is called whose name holds no letter and no digit, such as ``/``."""

_NO_TEXT = re.compile("[\ud800-\udfff]")
"""Halves of characters: so systems hand over the bytes of a name that are no text."""
_BREAKS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
_TURNS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""What turns text around (Unicode TR 36, section 3.1), so that a name seems to end in something else."""


def harmless(name: str) -> str:
    """Return a file's name on one line, in the order in which it is written, as valid Unicode."""
    text = _TURNS.sub("", _BREAKS.sub(" ", _NO_TEXT.sub("\ufffd", name)))
    return text.strip() if any(map(str.isalnum, text)) else UNNAMED
