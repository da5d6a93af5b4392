"""Which chunk stands in which row of an index in memory, and which rows a search may see."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

_WASTE_FROM = 1024
"""Fewer dead rows than this are not worth a rebuild."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """A value: a change makes a new one, so that a search may go on beside it. Rows are only appended."""

    chunk_ids: list[str] = field(default_factory=list)
    """By row; dead ones too."""
    alive: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, np.bool_))
    rows: Mapping[str, int] = field(default_factory=dict)
    """The row of each living chunk."""
    documents: Mapping[str, range] = field(default_factory=dict)
    """The rows of each living document."""

    @property
    def wasteful(self) -> bool:
        """Whether so many rows are dead that the index should be built anew."""
        return len(self.chunk_ids) - len(self.rows) > max(_WASTE_FROM, len(self.rows))

    def changed(self, added: Mapping[str, Sequence[str]], removed: Collection[str]) -> Slots:
        """Return the slots without *removed* documents and with *added* (document id → chunk ids) at the end.

        A document in *added* must not be alive, unless it is in *removed* too.
        """
        chunk_ids, rows, documents = list(self.chunk_ids), dict(self.rows), dict(self.documents)
        alive = self.alive.copy()
        for document_id in removed:
            span = documents.pop(document_id, range(0))
            alive[span.start : span.stop] = False
            for row in span:
                del rows[chunk_ids[row]]
        for document_id, fresh in added.items():
            start = len(chunk_ids)
            chunk_ids += fresh
            documents[document_id] = range(start, len(chunk_ids))
            rows.update(zip(fresh, documents[document_id], strict=True))
        grown = np.ones(len(chunk_ids), np.bool_)
        grown[: len(alive)] = alive
        return Slots(chunk_ids=chunk_ids, alive=grown, rows=rows, documents=documents)

    def visible(self, only: frozenset[str] | None) -> NDArray[np.bool_]:
        """Return a mask of the living rows, narrowed to the documents in *only* if given."""
        if only is None:
            return self.alive
        mask = np.zeros(len(self.chunk_ids), np.bool_)
        for document_id in only & self.documents.keys():
            span = self.documents[document_id]
            mask[span.start : span.stop] = True
        return mask

    def rows_of(self, chunk_ids: Sequence[str]) -> NDArray[np.int64]:
        """Return the row of each chunk, -1 for one that is not there."""
        return np.array([self.rows.get(chunk_id, -1) for chunk_id in chunk_ids], np.int64)


def best(
    slots: Slots, scores: NDArray[np.float32] | NDArray[np.float64], seen: NDArray[np.bool_], limit: int
) -> list[tuple[str, float]]:
    """Return up to *limit* (chunk id, score) of the *seen* rows, best first, equal scores in chunk-id order.

    All that tie with the last place take part before the cut, so the cut is not left to chance either.
    """
    rows = np.flatnonzero(seen)
    if limit < 1 or not len(rows):
        return []
    if len(rows) > limit:
        held = scores[rows]
        rows = rows[held >= np.partition(held, len(held) - limit)[len(held) - limit]]
    found = [(slots.chunk_ids[row], float(scores[row])) for row in rows]
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))[:limit]
