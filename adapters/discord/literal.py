"""Keeps Discord from taking for a mark what is none, beside the marks that are meant.

Discord formats by patterns of its own: it knows neither the rules by which CommonMark tells a mark from a
sign nor, inside emphasis, what is code. So the marks that are meant are control characters at first, code and
addresses are put away, and whatever else looks like a mark then is escaped.
"""

from __future__ import annotations

import re

from adapters.discord.neutral import SPACE, neutralise

STAR, DASH, WAVE = "\x0e", "\x0f", "\x10"
"""Emphasis: ``*``, ``_``, ``~``."""
BEFORE, BEHIND = "\x01", "\x02"
"""Around a mark, what it stresses and its end."""
OPEN, JOINT = "\x11", "\x12"
"""A link: the bracket before its label, and the two between label and address."""
QUOTE, HEAD = "\x13", "\x14"
"""At the beginning of a line."""
ESCAPE = "\x15"
"""Before a character that was escaped already."""

CODE, BLOCK, ADDRESS, END = "\x05", "\x08", "\x07", "\x06"
"""Begin what stands for something that was put away, and end it."""

_MARKS = str.maketrans(
    {
        STAR: "*",
        DASH: "_",
        WAVE: "~",
        OPEN: "[",
        JOINT: "](",
        QUOTE: ">",
        HEAD: "#",
        ESCAPE: "\\",
        BEFORE: "",
        BEHIND: "",
    }
)
_AT_LINE_START = re.compile(
    rf"^([ ]*(?:(?:-|\d{{1,9}}\.|{QUOTE})[ ]+)*)(?=\#{{1,3}}\s|>(?:\s|>>)|[*+]\s)|(?<={HEAD}[ ])(?=[\#>])",
    re.MULTILINE,
)
_TOO_CLOSE = re.compile(
    rf"""
      {BEHIND}{BEFORE}
    | (?<=\*){BEFORE}?(?={STAR})
    | (?<=~){BEFORE}?(?={WAVE}) | (?<={WAVE}){BEHIND}(?=~)
    | (?<=\w){BEFORE}(?={DASH}) | (?<={DASH}){BEHIND}(?=\w)
    """,
    re.VERBOSE,
)
"""Marks beside each other, beside signs of their kind or inside a word: Discord would not see them so."""
_SIGNS = re.compile(
    rf"""
      {ESCAPE}?\](?P<joint>\()
    | {ESCAPE}.                               # stays as it is
    | (?P<alone>
        \\(?=[^0-9A-Za-z\s]|\Z)               # would escape what follows
      | `
      | \*\*+ | (?<=\S)\* | \*(?=\S)
      | __+ | (?<![0-9A-Za-z])_ | _(?![0-9A-Za-z])
      | ~~+ | \|\|+
      | <(?=[^ >]{{0,500}}(?::/|[{ADDRESS}{BLOCK}{CODE}]))  # an address to Discord alone
      )
    | (?P<scheme>https?|steam|discord):(?=//)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_ITALIC = re.compile(rf"{BEFORE}{STAR}(?!{STAR})")
_DASH_END = re.compile(r"_(?!\w)", re.ASCII)
_IN_BRACKETS = re.compile(r"\[[^\]]*\]")
_KEPT = re.compile(rf"[{CODE}{BLOCK}{ADDRESS}](\d+){END}")


class Shelf:
    """Holds code and addresses until the text around them is finished."""

    def __init__(self) -> None:
        self._kept: list[str] = []

    def put(self, kind: str, text: str) -> str:
        """Return what stands for *text* until `finish`."""
        self._kept.append(text)
        return f"{kind}{len(self._kept) - 1}{END}"

    def held_in(self, text: str) -> str:
        """Return all that was put away from *text*."""
        return "\n".join(self._kept[int(found[1])] for found in _KEPT.finditer(text))

    def finish(self, text: str) -> str:
        """Return *text* as Discord is to read it, harmless and with everything in its place."""
        if any("](" in _IN_BRACKETS.sub("", kept) for kept in self._kept):  # the half of a link
            text = _escaped("[", text).replace(OPEN, "").replace(JOINT, " (")
        if _ITALIC.search(text):  # which Discord sees no sign in that stands alone
            text = _escaped("*", text)
        if DASH in text or any(_DASH_END.search(kept) for kept in self._kept):  # the half of an emphasis
            text = _escaped("_", text)
        text = _AT_LINE_START.sub(rf"\1{ESCAPE}", _TOO_CLOSE.sub(SPACE, neutralise(text)))
        text = _SIGNS.sub(_literal, text)
        return _KEPT.sub(lambda found: self._kept[int(found[1])], text.translate(_MARKS))


def shown_as(mark: str) -> str:
    """Return what Discord sees of a *mark* that is meant."""
    return mark.translate(_MARKS)


def around_code(text: str) -> list[str]:
    """Return the stretches of *text* between pieces of code, and these at odd places."""
    return re.split(rf"({CODE}\d+{END})", text)


def _escaped(sign: str, text: str) -> str:
    return re.sub(rf"(?<!{ESCAPE}){re.escape(sign)}", lambda found: ESCAPE + found[0], text)


def _literal(found: re.Match[str]) -> str:
    if found["alone"]:
        return "".join(f"\\{character}" for character in found["alone"])
    if found["scheme"]:
        return f"{found['scheme']}\\:"
    return found[0].replace("(", f"{SPACE}(") if found["joint"] else found[0]
