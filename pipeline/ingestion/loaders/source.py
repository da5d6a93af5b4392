"""Source code, cut at its definitions; how they are found depends on the language."""

from __future__ import annotations

from pathlib import PurePath

from pipeline.ingestion.blocks import Loaded, Upload, title
from pipeline.ingestion.loaders import grammar, indentation, python
from pipeline.ingestion.loaders.charset import decode
from pipeline.ingestion.loaders.definitions import Definition, paint


def load(upload: Upload) -> Loaded:
    """Read source code; the path of a block is file, class, method. Raises `IngestError` for binary data."""
    text = decode(upload.data)
    name = PurePath(upload.name)
    root = (title(name.name),)
    lines = text.split("\n")
    return Loaded(kind="source code", blocks=tuple(paint(lines, _definitions(text, lines, name, root), root)))


def _definitions(text: str, lines: list[str], name: PurePath, root: tuple[str, ...]) -> list[Definition]:
    suffix = name.suffix.lower()
    found = None
    if suffix in python.SUFFIXES:
        found = python.definitions(text, lines, root)
    elif suffix in grammar.LANGUAGES:
        found = grammar.definitions(text, lines, root, suffix)
    return indentation.definitions(lines, root) if found is None else found
