"""Text that Slack shows and does not obey: no ping and no live mention, wherever a stream cuts it.

Slack reads ``<!channel>``, ``<@U1>`` and ``<#C1>`` in text and in code alike, and may link what it takes for
a name in plain text. A sign that could begin such a thing is parted from what follows by a word joiner, which
nobody sees. Encoded signs are treated like plain ones, whoever decodes them, and so is the target of a link,
which becomes such a sequence when Markdown is turned into Slack's own dialect.
"""

from __future__ import annotations

import re

from adapters.markup.invisible import HIDDEN

JOINER = "\u2060"
"""The word joiner: invisible, and no part of any name."""


def _entity(name: str, code: int) -> str:
    """Return a pattern for a character written as an entity, at most three times over."""
    again = r"&(?:amp;|\#0{0,5}38;|\#x0{0,5}26;){0,3}"
    number = rf"\#0{{0,5}}{code}(?:;|(?!\d))|\#x0{{0,5}}{code:x}(?:;|(?![0-9a-f]))"
    return rf"{again}(?:{name}|{number})"


_LESS = rf"(?:[<＜﹤]|{_entity('lt;?', ord('<'))})"
_AT = _entity("commat;", ord("@"))
_NUMBER = _entity("num;", ord("#"))
_JOINED = f"(?!{JOINER})"
_SIGN = rf"(?:\\{{0,4}}(?:[!@#！＠＃]|{_entity('excl;', ord('!'))}|{_AT}|{_NUMBER})|{_JOINED}[{HIDDEN}])"
_KEYWORD = "(?:here|channel|everyone|group)"
_ALONE = rf"{_KEYWORD}(?![A-Za-z0-9_])"
_DISGUISED = rf"[A-Za-z]{{0,8}}(?:[{HIDDEN}]|&|<!--|[Ａ-Ｚａ-ｚ])"
"""A keyword may hide in what follows: the reader of an entity or whoever drops a character would see it."""

_COMMAND = rf"!(?:{_KEYWORD}|subteam\^\w{{1,40}}|date\^[^<>|\n`&\\]{{1,200}})"
_ID = rf"@(?:(?-i:[A-Z0-9]{{2,40}})|{_KEYWORD})|\#(?-i:[A-Z0-9]{{2,40}})"
_LABEL = r"\|[^<>\n`&\\]{0,200}"
_DECLARATION = r"!(?:--|\[|doctype\b|element\b|entity\b|attlist\b|notation\b)"
"""What SGML begins like a command, which no command is."""

_RISKS = re.compile(
    rf"""
      (?P<sequence><(?P<id>{_COMMAND}|{_ID})(?P<label>{_LABEL})?>)
    | (?P<opening>{_LESS}(?!{_DECLARATION})(?={_SIGN}))
    | (?P<target>\](?:\(\s{{0,20}}|:[ \t]{{0,20}})(?={_SIGN})|\]\(\s{{20}})
    | (?P<at>[@＠﹫]{_JOINED}(?={_ALONE}|{_DISGUISED}))
    | (?P<person>(?<![A-Za-z0-9_.+%&\-])@{_JOINED}(?=\w))
    | (?P<channel>(?<![A-Za-z0-9_/&])\#{_JOINED}(?!\d{{1,12}}\b|[0-9a-f]{{6}}\b)(?=\w))
    | (?P<encoded>(?:{_AT}|{_NUMBER}){_JOINED}(?=[\w&{HIDDEN}]))
    | (?P<ticks>`+)
    | (?P<line>\n)
    """,
    re.IGNORECASE | re.VERBOSE,
)

_BEGUN = r"&[\#\w;]{0,44}"
_BEHIND = rf"\\{{0,4}}(?:{_BEGUN})?"
_UNDECIDED = re.compile(
    rf"""
    (?:
      <[!@\#][\w^\-]{{0,60}}(?:{_LABEL})? | <!date\^[^<>|\n`&\\]{{0,200}}(?:{_LABEL})?
    | (?:[<＜﹤]|{_BEGUN}){_BEHIND}
    | \](?:(?:\(\s{{0,20}}|:[ \t]{{0,20}}){_BEHIND})?
    | [@＠﹫][A-Za-z]{{0,8}}(?:<(?:!-?)?)?
    | \#[0-9A-Fa-f]{{0,12}}
    | `{{1,64}}
    )\Z
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""The end of a text that later text can still make a risk of."""

MOST_HELD = 700
"""More characters than this are never held back."""
_CONTEXT = 300
"""Characters before a sign that tell whether it stands in a web address."""
_ADDRESS = re.compile(r"(?:https?://|mailto:)(?:[^\s<>\"|()]|\([^\s<>\"|()]*\))*\Z", re.IGNORECASE)
_LONG_FENCE = 3


def neutralise(text: str) -> str:
    """Return *text* with everything that Slack would obey made harmless; other text stays as it is."""
    return Neutraliser().last(text)


class Neutraliser:
    """Makes a text harmless that arrives in pieces; the result does not depend on where they are cut."""

    def __init__(self) -> None:
        self._seen = ""
        self._held = ""
        self._ticks = 0
        """The length of the backticks that opened the code we are in; 0: none."""

    def feed(self, delta: str) -> str:
        """Return what can be shown of the text so far; at most `MOST_HELD` characters are held back."""
        text = self._held + delta
        undecided = _UNDECIDED.search(text, max(0, len(text) - MOST_HELD))
        return self._released(text, undecided.start() if undecided else len(text))

    def close(self) -> str:
        """Return what was held back; there is no more text."""
        return self.last("")

    def last(self, delta: str) -> str:
        """Return the rest of a text that ends with *delta*."""
        text = self._held + delta
        return self._released(text, len(text))

    def _released(self, text: str, end: int) -> str:
        """Return what *text* becomes up to about *end*; a risk is judged by all that follows it."""
        whole, begun = self._seen + text, len(self._seen)
        pieces, position = [], begun
        for found in _RISKS.finditer(whole, begun):
            if found.start() >= begun + end:
                break
            pieces += [whole[position : found.start()], self._harmless(found)]
            position = found.end()
        end = max(position, begun + end)
        self._seen, self._held = whole[:end][-_CONTEXT:], whole[end:]
        return "".join([*pieces, whole[position:end]])

    def _harmless(self, found: re.Match[str]) -> str:
        sign = found[0]
        match found.lastgroup:
            case "ticks":
                self._count(len(sign))
                return sign
            case "line":
                self._ticks = self._ticks if self._ticks >= _LONG_FENCE else 0
                return sign
            case "sequence":
                return _literal(sign) if self._ticks else _name(found)
            case "at":
                return "%40" if sign == "@" and _in_address(found) else sign + JOINER
            case "person" | "channel" if self._ticks or _in_address(found):
                return sign
            case _:
                return sign + JOINER

    def _count(self, ticks: int) -> None:
        if not self._ticks:
            self._ticks = ticks
        elif ticks == self._ticks or (ticks > self._ticks >= _LONG_FENCE):
            self._ticks = 0


def _in_address(found: re.Match[str]) -> bool:
    start = found.start()
    return _ADDRESS.search(found.string, max(0, start - _CONTEXT), start) is not None


def _literal(sequence: str) -> str:
    """Return a sequence that is shown as it was written."""
    return re.sub(rf"[<@#]{_JOINED}", lambda sign: sign[0] + JOINER, sequence)


def _name(found: re.Match[str]) -> str:
    """Return what a sequence stands for, in words."""
    command, label = found["id"], (found["label"] or "").strip("|@#! ")
    kind, _, rest = command[1:].partition("^")
    if kind.lower() == "date":
        if not label:
            return _literal(found[0])
        sign = ""
    else:
        sign = command[0].replace("!", "@")
    name = neutralise(label or rest or kind)
    return sign + JOINER + name + ("" if name[-1].isalnum() else JOINER)
