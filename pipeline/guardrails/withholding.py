"""Keep orders that stand in a document from whatever words or quotes an answer."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from pipeline.guardrails.orders import contains_orders, orders_in
from pipeline.observability.metrics import OBSERVED
from pipeline.observability.trace import record

if TYPE_CHECKING:
    from pipeline.domain import Chunk, RankedChunk, Retrieval

WITHHELD: Final = "source:orders_withheld"
"""The code of an answer that cites a passage of which sentences were left out, or that has nothing else."""

_CACHED: Final = 1024
"""Passages whose orders are remembered: reading one takes milliseconds, and the same ones are found again."""

_BUT_LINES: Final = re.compile(r"[^\n]+")
_NAMELESS: Final = "unnamed"


def without_orders(retrieval: Retrieval) -> Retrieval:
    """Return *retrieval* without the sentences that address the assistant, and record where they stood.

    A passage of which nothing else is left is left out; where none is left, the code says why. What is stored
    stays as it is. Reads some milliseconds of regular expressions a passage, so call it in a thread.
    """
    cleared = [(found, _cleared(found.chunk)) for found in retrieval.ranked]
    touched = [found.chunk.chunk_id for found, chunk in cleared if chunk is not found.chunk]
    if not touched:
        return retrieval
    OBSERVED.labels("orders_in_source").inc(len(touched))
    record("source.orders_withheld", chunks=touched)
    left = tuple(_with(found, chunk) for found, chunk in cleared if _says_something(chunk.text))
    return replace(
        retrieval,
        ranked=left,
        degraded=retrieval.degraded if left else (*retrieval.degraded, WITHHELD),
        withheld=frozenset(touched),
    )


def _with(found: RankedChunk, chunk: Chunk) -> RankedChunk:
    return found if chunk is found.chunk else replace(found, chunk=chunk)


def _cleared(chunk: Chunk) -> Chunk:
    """Return *chunk* without orders in its text, its section and its name; itself where there are none."""
    section, name = chunk.place.section, chunk.display_name
    if section and _has_orders(section):
        chunk = replace(chunk, place=replace(chunk.place, section=None))
    if _has_orders(PurePath(name).stem.replace("_", " ").replace("-", " ")):
        chunk = replace(chunk, display_name=_NAMELESS + PurePath(name).suffix)
    text = _without(chunk.text)
    return chunk if text == chunk.text else replace(chunk, text=text)


@lru_cache(maxsize=_CACHED)
def _has_orders(text: str) -> bool:
    return contains_orders(text)


@lru_cache(maxsize=_CACHED)
def _without(text: str) -> str:
    """Return *text* without its orders; line ends stay, because citations count lines."""
    for start, end in reversed(orders_in(text)):
        text = text[:start] + _BUT_LINES.sub("", text[start:end]) + text[end:]
    return text


def _says_something(text: str) -> bool:
    return any(character.isalnum() for character in text)
