"""Text that Discord shows and does not obey: no ping, no name, time or picture in place of what was written.

A sign that would begin such a thing is parted from what follows by a space without width, which nobody sees.
Discord pings and replaces nothing in code, but only it knows what it takes for code: here a text is harmless
wherever it is put, and `adapters.discord.markdown`, which writes the code itself, leaves that as it is.
"""

from __future__ import annotations

import re

from adapters.markup.invisible import HIDDEN

SPACE = "\u200b"
"""The space without width: what Discord's own libraries part ``@everyone`` with, so it is kept."""

_GAP = rf"[\\{HIDDEN}]*"
"""What Discord might drop, which would join the rest."""


def _spelled(word: str) -> str:
    return _GAP.join(word)


_NUMBER = rf"[\d\\{HIDDEN}]{{1,80}}"
_TOKEN = "|".join(
    [
        rf"@{_GAP}[!&]?{_NUMBER}",
        rf"\#{_NUMBER}",
        rf"/[^<>\n]{{1,200}}:{_NUMBER}",
        rf"t{_GAP}:{_GAP}-?{_NUMBER}(?::{_GAP}\w{_GAP})?",
        rf"(?:a{_GAP})?:[\w\\{HIDDEN}]{{1,80}}:{_NUMBER}",
        rf"{_spelled('id')}{_GAP}:[\w:\-\\{HIDDEN}]{{1,80}}",
        rf"{_spelled('sound')}{_GAP}:[\d:\\{HIDDEN}]{{1,80}}",
    ]
)
_EVERYBODY = f"{_spelled('everyone')}|{_spelled('here')}"
_IN_EMAIL = r"(?<=[\w.+\-]@)(?:everyone|here)\w[\w\-]*\.\w"

_RISKS = re.compile(
    rf"""
      (?P<address>https?://[^\s<>]+)
    | <(?!{SPACE})(?={_GAP}(?:{_TOKEN})>)
    | @(?!{SPACE})(?!{_IN_EMAIL})(?={_GAP}(?:{_EVERYBODY}))
    """,
    re.IGNORECASE | re.VERBOSE,
)
_AT = re.compile(rf"@(?={_GAP}(?:{_EVERYBODY}))", re.IGNORECASE)


def neutralise(text: str) -> str:
    """Return *text* with everything that Discord would obey made harmless; other text stays as it is."""
    return _RISKS.sub(_harmless, text)


def _harmless(found: re.Match[str]) -> str:
    if found["address"]:
        return _AT.sub("%40", found["address"])
    return found[0] + SPACE
