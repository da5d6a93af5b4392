"""YAML as it was written, cut at its keys by their indentation: templates and broken files can be read."""

from __future__ import annotations

import re

from pipeline.ingestion.blocks import Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.keyed import NAMED_BY, Entry, cut, shortened

MAX_KEY_CHARS = 120
MAX_ITEMS = 50
"""Lists that begin on one line, one in the other."""

_KEY = re.compile(
    r"""(?P<key> "[^"\n]{0,120}" | '[^'\n]{0,120}'
               | [^\s#&*!|>%@`{}\[\],"'?:-][^\n:#]{0,119}? | -[^\s:#][^\n:#]{0,118}? )
        [ ]*:(?P<value>[ \t].*)?\Z""",
    re.VERBOSE,
)
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]{0,2}")
_ITEM = re.compile(r"-(?:[ \t]+|\Z)")


def load(upload: Upload) -> Loaded:
    """Read YAML. Comments are part of it: they say what the keys are for."""
    lines = decode(upload.data).split("\n")
    return Loaded(kind="YAML", blocks=tuple(cut(lines, entries(lines))))


def entries(lines: list[str]) -> list[Entry]:
    """Return the keys with the lines they take."""
    return _Reader().read(lines)


class _Reader:
    """Keeps the keys that are open, by their indentation."""

    def __init__(self) -> None:
        self._top = Entry("", 0)
        self._open: list[tuple[int, Entry]] = [(-1, self._top)]
        self._scalar: int | None = None
        """Indentation of the key whose value is text over several lines."""

    def read(self, lines: list[str]) -> list[Entry]:
        for number, line in enumerate(lines):
            text = line.strip()
            if not text or text.startswith("#"):
                continue
            indent = len(line) - len(line.lstrip(" "))
            if self._scalar is not None and indent > self._scalar:
                continue
            self._scalar = None
            self._take(number, indent, text)
        self._close(-1, len(lines))
        return self._top.inside

    def _take(self, number: int, indent: int, text: str) -> None:
        start = 0
        for _ in range(MAX_ITEMS):
            item = _ITEM.match(text, start)
            if item is None:
                break
            self._begin(number, indent + start, "")
            start = item.end()
        indent, text = indent + start, text[start:]
        found = _KEY.match(text) if ":" in text[: MAX_KEY_CHARS + 2] else None
        if found is None:
            return
        key, value = found["key"].strip("\"' "), (found["value"] or "").strip()
        self._begin(number, indent, key)
        self._name(key, value)
        if _BLOCK_SCALAR.fullmatch(value.partition(" #")[0].strip()):
            self._scalar = indent

    def _begin(self, number: int, indent: int, key: str) -> None:
        self._close(indent, number)
        inside = self._open[-1][1].inside
        entry = Entry(key or f"[{len(inside) + 1}]", number, number)
        inside.append(entry)
        self._open.append((indent, entry))

    def _name(self, key: str, value: str) -> None:
        """Let an entry of a list be called what its name says."""
        _, owner = self._open[-2]
        if key in NAMED_BY and value and not owner.label and owner.key.startswith("["):
            owner.label = shortened(value.strip("\"'"))

    def _close(self, indent: int, number: int) -> None:
        """End the keys that stand at *indent* or deeper with the line before *number*."""
        while self._open[-1][0] >= indent and len(self._open) > 1:
            self._open.pop()[1].last = number - 1
