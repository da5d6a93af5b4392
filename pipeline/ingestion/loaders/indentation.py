"""Definitions in languages without a grammar here, by the words that introduce them and their indentation."""

from __future__ import annotations

import re

from pipeline.ingestion.blocks import title
from pipeline.ingestion.loaders.definitions import Definition, with_comments

_HEAD_CHARS = 200
"""A definition says its name early; the rest of a minified line is not searched."""
_MAX_DEPTH = 8
_MODIFIERS = (
    r"(?:(?:public|private|protected|internal|static|final|abstract|override|async|export|default|sealed|partial"
    r"|open|data|suspend|inline|virtual|extern|unsafe|readonly|local|pub|case|mutating|new)\s+)"
)
_CONTAINER = re.compile(
    rf"\s*{_MODIFIERS}*(class|interface|struct|enum|trait|impl|object|module|namespace|protocol|extension|record"
    r"|package|defmodule|service|message)\s+([\w.:$]+)"
)
_FUNCTION = re.compile(
    rf"\s*(?:{_MODIFIERS}*(?:def|defp|func|function|fn|fun|sub|proc|procedure"
    r"|create\s+(?:or\s+replace\s+)?(?:table|view|function|procedure|trigger))\s+([\w.:$?!]+)"
    rf"|{_MODIFIERS}+(?:[\w<>\[\],.?]+\s+)?(\w+)\s*\("
    r"|([\w-]+)\s*\(\)\s*\{)",
    re.IGNORECASE,
)
_COMMENT = ("#", "//", "/*", "*", "--", "@", "'''", '"""')


def definitions(lines: list[str], root: tuple[str, ...]) -> list[Definition]:
    """Return the definitions whose first line says so; each ends before the next line indented no deeper."""
    found: list[Definition] = []
    open_containers: list[tuple[int, tuple[str, ...]]] = []
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        head = line[: indent + _HEAD_CHARS]
        container, function = _CONTAINER.match(head), _FUNCTION.match(head)
        if not (container or function):
            continue
        while open_containers and open_containers[-1][0] >= indent:
            open_containers.pop()
        if len(open_containers) == _MAX_DEPTH or (not open_containers and indent):
            continue
        name = container.group(2) if container else next(filter(None, function.groups())) if function else ""
        path = (*(open_containers[-1][1] if open_containers else root), title(name))
        found.append(
            Definition(
                first=with_comments(lines, number, _COMMENT), last=_end(lines, number, indent), path=path
            )
        )
        if container:
            open_containers.append((indent, path))
    return found


def _end(lines: list[str], start: int, indent: int) -> int:
    """Return the last line before text that is indented no deeper; a closing bracket belongs to it."""
    last = start
    for number in range(start + 1, len(lines)):
        line = lines[number]
        if not line.strip():
            continue
        if len(line) - len(line.lstrip()) <= indent:
            closes = line.lstrip().startswith(("}", ")", "]", "end", "{", "$$"))
            return number if closes else last
        last = number
    return last
