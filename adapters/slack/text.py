"""What people said in Slack, as plain words: without its escapes, its sequences and the bot's own name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from adapters.markup.spoken import HERE, Spoken, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_CODE = re.compile(r"(```.+?```|`[^`\n]+`)", re.DOTALL)
_SEQUENCE = re.compile(
    r"<(?P<address>[a-z][a-z0-9+.\-]*:[^<>|]*)(?:\|(?P<caption>[^>\n]{0,1000}))?>"
    r"|<(?P<sign>[@#!])(?P<id>[^<>|]*)(?:\|(?P<label>[^<>]*))?>",
    re.IGNORECASE,
)
_ESCAPE = re.compile(r"&(amp|lt|gt);")
_CHARACTERS = {"amp": "&", "lt": "<", "gt": ">"}

_LOCAL_PART = re.compile(r"[A-Za-z0-9._%+\-]\Z")
_DOMAIN = re.compile(r"\.[A-Za-z]{2,}")
_ADDRESS = re.compile(r"(?:://|\bwww\.)\S*\Z")
_FAR = 500
"""Characters before a mention that may belong to the same address."""


def read(text: str, bot_user: str, names: Mapping[str, str]) -> Spoken:
    """Read the *text* of a Slack message; *names* are those of people and channels by their ids."""
    words = _Words(bot_user, names)
    pieces = _CODE.split(text.replace(HERE, ""))
    pieces[::2] = [words.put(piece, words.mention) for piece in pieces[::2]]
    pieces[1::2] = [words.put(piece, words.name) for piece in pieces[1::2]]
    said = "".join(pieces)
    return Spoken(
        text=joined(said),
        mentioned=HERE in said,
        others_first=_is_for_others(text, bot_user),
    )


class _Words:
    """Puts control sequences into words."""

    def __init__(self, bot_user: str, names: Mapping[str, str]) -> None:
        self._bot_user = bot_user
        self._names = names

    def put(self, text: str, named: Callable[[re.Match[str]], str]) -> str:
        """Return *text* with its sequences and escapes read; *named* reads those that name somebody."""
        return "".join(self._pieces(text, named))

    def _pieces(self, text: str, named: Callable[[re.Match[str]], str]) -> Iterator[str]:
        position = 0
        for found in _SEQUENCE.finditer(text):
            yield _unescaped(text[position : found.start()])
            yield _link(found["address"], found["caption"]) if found["address"] else named(found)
            position = found.end()
        yield _unescaped(text[position:])

    def mention(self, found: re.Match[str]) -> str:
        """Return the name that a sequence stands for, and a mark where it names the bot."""
        if _names(found, self._bot_user) and not _in_address(found):
            return HERE
        return self.name(found)

    def name(self, found: re.Match[str]) -> str:
        """Return the name that a sequence stands for."""
        sign, label = found["sign"], _unescaped(found["label"] or "")
        kind, _, rest = found["id"].partition("^")
        if kind == "date" and sign == "!":
            return label
        who = rest or kind
        return ("#" if sign == "#" else "@") + (self._names.get(who) or label.lstrip("@#!") or who)


def _names(found: re.Match[str], user: str) -> bool:
    return bool(user) and found["sign"] == "@" and found["id"] == user


def _in_address(found: re.Match[str]) -> bool:
    """Tell whether a mention stands inside an e-mail or web address that Slack did not take for one."""
    before = found.string[max(0, found.start() - _FAR) : found.start()]
    if _ADDRESS.search(before):
        return True
    return bool(_LOCAL_PART.search(before) and _DOMAIN.match(found.string, found.end()))


def _link(address: str, caption: str | None) -> str:
    """Return a link's label and address, or one of them where they are the same."""
    address, label = _unescaped(address), _unescaped(caption or "").strip()
    shown = re.sub(r"\A(?:mailto|tel):", "", address, flags=re.IGNORECASE)
    bare = shown.partition("://")[2] or shown
    if not label or label == shown or label.rstrip("/") == bare.rstrip("/"):
        return label or shown
    return f"{label} ({shown})"


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda found: _CHARACTERS[found[1]], text)


def _is_for_others(text: str, bot_user: str) -> bool:
    found = _SEQUENCE.match(text.lstrip())
    if found is None or found["sign"] not in {"@", "!"}:
        return False
    return not _names(found, bot_user) and not found["id"].startswith("date^")
