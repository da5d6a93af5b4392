"""JSON and JSON Lines as they were written, cut at their keys."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.ingestion.blocks import Block, Kind, Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.keyed import NAMED_BY, Entry, cut, shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

LONG_LINE = 2_000
"""Nobody writes such lines by hand: the file was packed by a program, and its lines mean nothing."""
MAX_TRACKED_DEPTH = 200
"""What is nested deeper belongs to whatever stands around it."""

# a string that is never closed ends with its line, or each of its quotes would be tried as a beginning
_TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*+"?|[{}\[\]:,\n]')
_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)((?:\\u[0-9a-fA-F]{4})+)")
_RECORDS = (".jsonl", ".ndjson")


def load(upload: Upload) -> Loaded:
    """Read JSON, broken JSON too; a file on one line is written anew, and its lines are not counted then."""
    text = _readable(decode(upload.data))
    if upload.name.lower().endswith(_RECORDS):
        return Loaded(kind="JSON", blocks=tuple(_records(text)))
    lines = text.split("\n")
    if max(map(len, lines)) <= LONG_LINE:
        return Loaded(kind="JSON", blocks=tuple(cut(lines, entries(text))))
    return Loaded(kind="JSON", blocks=tuple(_unpacked(text)))


def _records(text: str) -> Iterator[Block]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            yield Block(text=line.strip(), kind=Kind.CODE, lines=(number, number))


def _unpacked(text: str) -> Iterator[Block]:
    """Break the lines of a packed file at its brackets and commas, as far as they are outside of strings."""
    spread = "\n".join(_spread(text))
    for block in cut(spread.split("\n"), entries(spread)):
        yield replace(block, lines=None)


def _spread(text: str) -> Iterator[str]:
    depth = start = 0
    for token in _TOKEN.finditer(text):
        mark = token.group()
        if mark in ("{", "["):
            depth += 1
        elif mark in ("}", "]"):
            depth = max(depth - 1, 0)
        elif mark != ",":
            continue
        yield "  " * min(depth, 12) + text[start : token.end()].strip()
        start = token.end()
    yield text[start:].strip()


def _readable(text: str) -> str:
    r"""Write ``\u00e9`` as the letter it stands for: nobody searches for the escape."""
    return _ESCAPE.sub(_letters, text) if "\\u" in text else text


def _letters(match: re.Match[str]) -> str:
    letters = str(json.loads(f'"{match.group(2)}"'))
    plain = all(letter.isprintable() and letter not in '"\\' for letter in letters)
    return match.group(1) + letters if plain else match.group()


def entries(text: str) -> list[Entry]:
    """Return the keys of JSON with the lines they take; what is no JSON has fewer of them."""
    return _Reader().read(text)


class _Reader:
    """Follows the brackets; strings before a colon are keys."""

    def __init__(self) -> None:
        self._top = Entry("", 0)
        self._open: list[Entry] = [self._top]
        self._line = 0
        self._string = ""
        self._key: Entry | None = None
        self._deeper = 0

    def read(self, text: str) -> list[Entry]:
        for token in _TOKEN.finditer(text):
            self._take(token.group())
        for entry in self._open:
            entry.last = self._line
        return self._top.inside

    def _take(self, mark: str) -> None:
        match mark:
            case "\n":
                self._line += 1
            case ":":
                self._begin(self._string)
            case "{" | "[":
                self._enter()
            case "}" | "]":
                self._leave()
            case ",":
                self._key = None
            case _:
                self._string = json_string(mark)
                self._name(self._string)

    def _begin(self, key: str) -> None:
        if not self._deeper:
            self._key = Entry(key, self._line, self._line)
            self._open[-1].inside.append(self._key)

    def _name(self, value: str) -> None:
        """Remember what an entry of a list calls itself, and where a value ends."""
        if self._key is None or self._deeper:
            return
        self._key.last = self._line
        owner = self._open[-1]
        if self._key.key in NAMED_BY and not owner.label and owner.key.startswith("["):
            owner.label = shortened(value)

    def _enter(self) -> None:
        if len(self._open) > MAX_TRACKED_DEPTH or self._deeper:
            self._deeper += 1
            return
        entry = self._key
        if entry is None:
            inside = self._open[-1].inside
            entry = Entry(f"[{len(inside) + 1}]", self._line, self._line)
            if len(self._open) > 1:
                inside.append(entry)
            else:
                entry.inside = inside  # the outermost bracket is no entry
        self._open.append(entry)
        self._key = None

    def _leave(self) -> None:
        if self._deeper:
            self._deeper -= 1
        elif len(self._open) > 1:
            self._open.pop().last = self._line
        self._key = None


def json_string(token: str) -> str:
    """Return what a JSON string says; as it is written where it is not valid."""
    try:
        return str(json.loads(token))
    except ValueError:
        return token.strip('"')
