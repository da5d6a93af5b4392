"""Configuration in sections: TOML, INI and their relatives, as written, cut at ``[section]``."""

from __future__ import annotations

import re

from pipeline.ingestion.blocks import Loaded, Upload
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.keyed import Entry, cut

_SECTION = re.compile(r"\s{0,40}\[{1,2}\s*([^\[\]\n]{1,120}?)\s*\]{1,2}\s*(?:[#;].*)?")
_COMMENT = ("#", ";", "//")
_LONG_STRING = re.compile(r"\"\"\"|'''")


def load(upload: Upload) -> Loaded:
    """Read a configuration file; comments above a section belong to it."""
    lines = decode(upload.data).split("\n")
    return Loaded(kind="configuration", blocks=tuple(cut(lines, _sections(lines))))


def _sections(lines: list[str]) -> list[Entry]:
    """Return the sections, each with the comments directly above it."""
    found: list[Entry] = []
    inside_string = False
    comment: int | None = None
    for number, line in enumerate(lines):
        match = None if inside_string else _SECTION.fullmatch(line)
        if match is not None:
            first = number if comment is None else comment
            if found:
                found[-1].last = first - 1
            found.append(Entry(match.group(1), first, len(lines) - 1))
        if not line.lstrip().startswith(_COMMENT):
            comment = None
            inside_string ^= len(_LONG_STRING.findall(line)) % 2 == 1
        elif comment is None:
            comment = number
    return found
