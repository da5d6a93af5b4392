"""How a button or form says, in the one text that Discord keeps for it, what it does and about what.

Nothing is stored on our side, so it works after a restart and in every process.
"""

from __future__ import annotations

import re

LONGEST = 100
"""Code points of a custom id."""
PATTERN = r"fn:1:(?P<action>[a-z][a-z_]*):(?P<value>.*)"
"""All that is ours and of this version, as `discord.ui.DynamicItem` wants it."""

_PREFIX = "fn:1:"
_OURS = re.compile(PATTERN, re.DOTALL)


def custom_id(action: str, value: str) -> str:
    """Return what Discord is to keep. Raises `ValueError` for too much of it and for a name with signs."""
    text = f"{_PREFIX}{action}:{value}"
    if len(text) > LONGEST:
        raise ValueError(f"Discord keeps no more than {LONGEST} characters of a button")
    if parse_custom_id(text) != (action, value):
        raise ValueError("the name of an action has other characters than small letters")
    return text


def parse_custom_id(text: str) -> tuple[str, str] | None:
    """Return action and value; None: it is not ours, or of a version that is not known."""
    found = _OURS.fullmatch(text)
    return (found["action"], found["value"]) if found else None
