"""XML as it was written, cut at its elements."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.parsers import expat

from pipeline.ingestion.blocks import Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.keyed import NAMED_BY, Entry, cut, shortened

LONG_LINE = 2_000
"""Longer lines come from a program that packed the file, and mean nothing."""

_DECLARED = re.compile(rb"""^\s*<\?xml[^>]{0,200}?encoding\s*=\s*["']([\w.:-]{1,40})""")
_DECLARATION = re.compile(r"""\A\s*<\?xml[^>]{0,300}\?>""")
_BETWEEN = re.compile(r">\s*<")


def load(upload: Upload) -> Loaded:
    """Read XML, tags included; of what is not well formed, the part before the fault is cut at elements.

    Nothing that it refers to is fetched, and no entity is expanded.
    """
    declared = _DECLARED.search(upload.data[:1024].replace(b"\0", b""))
    text = decode(upload.data, declared=declared.group(1).decode("ascii") if declared else None)
    lines = text.split("\n")
    if max(map(len, lines)) <= LONG_LINE:
        return Loaded(kind="XML", blocks=tuple(cut(lines, entries(text))))
    spread = _BETWEEN.sub(">\n<", text)
    blocks = cut(spread.split("\n"), entries(spread))
    return Loaded(kind="XML", blocks=tuple(replace(block, lines=None) for block in blocks))


def entries(text: str) -> list[Entry]:
    """Return the elements inside of the outermost one, with the lines they take."""
    return _Reader().read(text)


class _Reader:
    """Follows the tags; the text between them is not looked at."""

    def __init__(self) -> None:
        self._parser = expat.ParserCreate("utf-8")
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        # with such a handler expat leaves entities as they are
        self._parser.DefaultHandler = lambda _: None
        self._top = Entry("", 0)
        self._open = [self._top]

    def read(self, text: str) -> list[Entry]:
        declaration = _DECLARATION.match(text)
        start = declaration.end() if declaration else 0
        # the declaration's encoding is not the one that the text has by now
        before = "\n" * text.count("\n", 0, start)
        try:
            self._parser.Parse(before.encode() + text[start:].encode("utf-8", "replace"), True)
        except expat.ExpatError:
            self._close()
        root = self._top.inside
        return root[0].inside if len(root) == 1 else root

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        line = self._parser.CurrentLineNumber - 1
        entry = Entry(tag.rpartition(":")[2], line, line)
        named = next((attributes[name] for name in NAMED_BY if attributes.get(name)), "")
        label = shortened(named)
        entry.label = f"{entry.key} {label}" if label else entry.key
        self._open[-1].inside.append(entry)
        self._open.append(entry)

    def _end(self, tag: str) -> None:
        del tag
        self._open.pop().last = self._parser.CurrentLineNumber - 1

    def _close(self) -> None:
        line = self._parser.ErrorLineNumber - 1
        for entry in self._open[1:]:
            entry.last = line
