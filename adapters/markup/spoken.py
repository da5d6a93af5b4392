"""What somebody said to the bot, once its own name is taken out of it."""

from __future__ import annotations

import re
from dataclasses import dataclass

HERE = "\0"
"""Stands where the bot was named, until the words around it are joined."""

# no two repetitions of these touch: whoever writes forty thousand blanks would hold everybody up
_VOCATIVE = re.compile(r",[ \t]*\0(?=[.!?\s]*\Z)")
_ADDRESSED = re.compile(r"\A\s*\0[ \t]*[,:;](?=\s|\Z)")
_GAP = re.compile(r"(?<![ \t])[ \t]*\0(?:[ \t]*\0)*[ \t]*")
_CLINGING = frozenset("\n,.;:!?)]}’'…")
_OPENING = frozenset("\n([{“‘«")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """What a message says."""

    text: str
    """Without the mention of the bot; everything else that the platform marks is put into words."""
    mentioned: bool
    """Whether the bot is named, outside code."""
    others_first: bool
    """Whether it begins by naming somebody who is not the bot."""


def joined(said: str) -> str:
    """Return *said* with the words around the bot's name brought together."""
    said = _ADDRESSED.sub(HERE, _VOCATIVE.sub("", said))
    return _GAP.sub(_gap, said).strip()


def _gap(found: re.Match[str]) -> str:
    before, after = found.string[: found.start()][-1:], found.string[found.end() :][:1]
    if not before or not after or before in _OPENING or after in _CLINGING:
        return ""
    apart = len(found[0].replace(HERE, "")) > 0 or (before.isalnum() and after.isalnum())
    return " " if apart else ""
