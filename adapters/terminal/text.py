"""What may be printed: no text of a model, a file or a user reaches the terminal as a command."""

from __future__ import annotations

import re

_KEPT = "\n\t"
_REPLACED = {
    **{code: 0x2400 + code for code in range(0x20)},  # the pictures of the control characters
    **dict.fromkeys(range(0x7F, 0xA0), 0xFFFD),
    **dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F], 0xFFFD),
    0x0D: None,  # the line end of others
    **{ord(character): ord(character) for character in _KEPT},
}
"""Control characters, and those that turn the direction of text around (Unicode TR 36, section 3.1)."""

_FENCE = re.compile(r"(```.*?(?:```|\Z))", re.DOTALL)
_OWN_LINK = re.compile(r"\(\[open\]\(<([^<>\n]*)>\)\)")
_LINK = re.compile(r"(?<![\\!])\[((?:\\.|[^\[\]\\\n])*)\]\(<?([^<>()\s]*)>?\)")
_STRONG = re.compile(r"\*\*(\S(?:[^*\n]*\S)?)\*\*")
_NOTE = re.compile(r"(?m)^_(\S.*\S)_$")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
"""CommonMark lets every ASCII punctuation character be escaped."""


def safe(text: str) -> str:
    """Return *text* with every character that a terminal would obey replaced by one that it shows.

    Characters are replaced one by one, so that text may be cut anywhere before.
    """
    return text.translate(_REPLACED)


def encodable(text: str, encoding: str) -> str:
    """Return *text* with what *encoding* cannot express replaced by ``?``."""
    return text.encode(encoding, "replace").decode(encoding)


def linked(markdown: str) -> str:
    """Return *markdown* with the addresses of sources spelled out: a terminal has nothing to hide them in."""
    return _OWN_LINK.sub(r"(\1)", markdown)


def plain(markdown: str) -> str:
    """Return *markdown* as lines for a pipe: code as it is, the rest without emphasis and escapes."""
    pieces = _FENCE.split(linked(markdown))
    pieces[::2] = [_plain_prose(piece) for piece in pieces[::2]]
    return "\n".join(line.rstrip() for line in "".join(pieces).split("\n"))


def _plain_prose(text: str) -> str:
    text = _LINK.sub(r"\1 (\2)", text)
    text = _STRONG.sub(r"\1", _NOTE.sub(r"\1", text))
    return _ESCAPE.sub(r"\1", text)
