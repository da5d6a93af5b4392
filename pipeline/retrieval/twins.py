"""Passages that say the same in the same words: one of them is enough to read."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.domain import Chunk

_RUN: Final = 4
"""Words in a row that are looked for in the other passage."""

_SHARED: Final = 0.9
"""Share of such rows that two copies have in common at least; a heading may have moved."""

_WORD: Final = re.compile(r"\w+")


def collapse(chunks: Sequence[Chunk]) -> list[tuple[Chunk, tuple[Chunk, ...]]]:
    """Return *chunks*, best first, without copies of a better one; each with its copies.

    A copy has all the words of the other and none besides, in nearly the same order: two versions of a rule
    that differ by one number are no copies, and both are kept.
    """
    kept: list[tuple[Chunk, _Wording, list[Chunk]]] = []
    for chunk in chunks:
        wording = _Wording(chunk.text)
        for _, better, copies in kept:
            if wording.same_as(better):
                copies.append(chunk)
                break
        else:
            kept.append((chunk, wording, []))
    return [(chunk, tuple(copies)) for chunk, _, copies in kept]


class _Wording:
    """The words of a passage, and which stand in a row."""

    def __init__(self, text: str) -> None:
        words = _WORD.findall(text.casefold())
        self._words = frozenset(words)
        self._rows = frozenset(zip(*(words[start:] for start in range(_RUN)), strict=False))
        self._short = words if len(words) < _RUN else None

    def same_as(self, other: _Wording) -> bool:
        if self._words != other._words or self._short != other._short:
            return False
        most = max(len(self._rows), len(other._rows))
        return len(self._rows & other._rows) >= _SHARED * most
