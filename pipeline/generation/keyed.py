"""Keys and values of a configuration file as lines that stand for themselves: each with the keys above it."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from pipeline.domain import SECTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Path = tuple[str, ...]

_SUFFIXES: Final = """
    .cfg .conf .editorconfig .env .geojson .ini .json .json5 .jsonc .properties .service .toml .yaml .yml
"""
_KEYED: Final = frozenset(_SUFFIXES.split())

_COMMENT: Final = ("#", ";", "//")
_SECTION: Final = re.compile(r"\[{1,2}\s*([^\[\]\"{}:,]{1,120}?)\s*\]{1,2}(?:\s*[#;].*)?")
_ENTRY: Final = re.compile(r"-\s+(?=\S)")
_QUOTED_KEY: Final = re.compile(r"\"([^\"\n]{1,120})\"(?=\s*:)")
_SAYS: Final = re.compile(r"\w")
_ENTRY_MARK: Final = "-"
DEEPEST: Final = 32
"""Levels that are told apart; what lies deeper stands beside its parents: people do not make such files."""

_OPEN: Final = " :={[|>"
"""What stands behind a key whose value follows on lines of its own."""


@dataclass(slots=True)
class _Node:
    """A line with the lines that stand under it."""

    indent: float
    text: str
    inside: list[_Node] = field(default_factory=list)

    @property
    def is_comment(self) -> bool:
        return self.text.startswith(_COMMENT)

    @property
    def value(self) -> str:
        """The value that an entry of a list is; empty: it has keys, or is no entry."""
        alone = self.text == _ENTRY_MARK and len(self.inside) == 1 and not self.inside[0].inside
        return self.inside[0].text if alone and not _is_pair(self.inside[0].text) else ""


def is_keyed(name: str) -> bool:
    """Tell by a file's *name* whether it is made of keys and values."""
    return PurePath(name).suffix.lower() in _KEYED or PurePath(name).name.lower() in _KEYED


def name_values(text: str, section: str) -> list[str]:
    """Return each value of *text* with its key and the keys above it: ``database > pool > size: 12``.

    What a list holds stays together: its values, or the keys and values of one of its entries. *section*
    names the keys that *text* stands under.
    """
    names = tuple(filter(None, section.split(SECTIONS)))
    values = _values(_tree(_lines(text)), ())
    return [
        said if path is None else SECTIONS.join((*_above(names, path, said), said)) for path, said in values
    ]


def _lines(text: str) -> list[str]:
    """Return the lines of *text*; JSON that is whole is written one value a line."""
    try:
        return json.dumps(json.loads(text), indent=2, ensure_ascii=False).splitlines()
    except (ValueError, RecursionError):  # a part of a file, or no JSON
        return text.splitlines()


def _above(names: Path, path: Path, said: str) -> Path:
    """Put *names* before *path*, up to the name that the path, or without one what is *said*, begins with."""
    first = path[0] if path else said.partition(":")[0]
    until = next((place for place in range(len(names) - 1, -1, -1) if names[place] == first), len(names))
    return (*names[:until], *path)


def _tree(lines: Sequence[str]) -> list[_Node]:
    """Return the lines as their indentation nests them."""
    top = _Node(-2, "")
    opened = [top]
    for line in lines:
        for node in _nodes(line):
            if len(opened) > DEEPEST:
                opened.pop()  # what lies deeper stands beside its parent
            while opened[-1].indent >= node.indent:
                opened.pop()
            opened[-1].inside.append(node)
            opened.append(node)
    return top.inside


def _nodes(line: str, depth: int = 0) -> Iterator[_Node]:
    """Yield what a line begins: a section, the entry of a list, a key."""
    text, indent = line.strip(), len(line) - len(line.lstrip())
    if section := _SECTION.fullmatch(text):
        yield _Node(-1, section[1])
    elif text == _ENTRY_MARK or (text in ("{", "[") and indent):
        yield _Node(indent + 0.5, _ENTRY_MARK)  # the entries of a list may stand below its key's first letter
    elif depth < DEEPEST and (entry := _ENTRY.match(text)):
        yield _Node(indent + 0.5, _ENTRY_MARK)
        yield from _nodes(" " * (indent + entry.end()) + text[entry.end() :], depth + 1)
    elif _SAYS.search(text):
        yield _Node(indent, _QUOTED_KEY.sub(r"\1", text, count=1).rstrip(","))


def _values(nodes: Sequence[_Node], path: Path) -> Iterator[tuple[Path | None, str]]:
    """Yield what the leaves say, each with the keys above it; comments stand for themselves: None."""
    for node in nodes:
        if node.is_comment:
            yield None, node.text
        elif node.text == _ENTRY_MARK:
            inner = [SECTIONS.join((*(own or ()), said)) for own, said in _values(node.inside, ())]
            if inner:
                yield path, "; ".join(inner)
        elif not node.inside:
            yield path, node.text
        else:
            yield from _under(node, path)


def _under(node: _Node, path: Path) -> Iterator[tuple[Path | None, str]]:
    """Yield what stands under a key: the values of its list together, or each on its own."""
    name = node.text.rstrip(_OPEN)
    in_brackets = node.text.endswith("[")
    listed = [each.text if in_brackets and not each.inside else each.value for each in node.inside]
    if all(listed):
        yield path, f"{name}: {', '.join(listed)}"
    else:
        yield from _values(node.inside, (*path, name))


def _is_pair(text: str) -> bool:
    return ": " in text or text.endswith(":")
