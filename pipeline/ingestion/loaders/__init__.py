"""A file's bytes to its text in blocks; one module for each family of formats."""

from __future__ import annotations

import re
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Upload, clean
from pipeline.ingestion.loaders.sniff import sniff

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.ingestion.blocks import Block, Loaded

MAX_PAGES = 2_000
"""A longer document is several; at 300 dense pages a second this also stays inside the time limit."""

_WORD = re.compile(r"\w")


def load(
    data: bytes, name: str, *, max_pages: int = MAX_PAGES, recognize: int = 0, page_labels: bool = True
) -> Loaded:
    """Read a file; *name* only tells kinds of text apart. Raises `IngestError`.

    At most *recognize* pages that are pictures are read by text recognition. Without *page_labels* nobody
    asks a PDF what its pages are called.

    Runs foreign parsers on foreign bytes in this process and without limits: see `sandbox` for the safe way.
    """
    if not data:
        raise IngestError(IngestReason.EMPTY_FILE, "The file is empty.")
    # imported on use: each parser costs tens of milliseconds, and most workers need two of them
    module = import_module(f"{__name__}.{sniff(data, name).module}")
    read: Callable[[Upload], Loaded] = module.load
    try:
        loaded = read(
            Upload(data=data, name=name, max_pages=max_pages, recognize=recognize, page_labels=page_labels)
        )
    except RecursionError as exc:
        raise IngestError(
            IngestReason.TOO_LARGE,
            "The file nests tables, boxes or parts too deep to be read; upload what is in them by itself.",
        ) from exc
    if loaded.is_archive:
        return loaded
    blocks = tuple(map(_cleaned, loaded.blocks))
    if not any(_WORD.search(block.text) for block in blocks):
        raise IngestError(IngestReason.NO_TEXT, "The file holds no text.")
    return replace(loaded, blocks=blocks)


def _cleaned(block: Block) -> Block:
    text = clean(block.text)
    return block if len(text) == len(block.text) else replace(block, text=text)
