"""Which indexes a chunks table gets, and from how many rows on they pay."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from lancedb.index import FTS, IvfFlat, IvfRq

ANN_MIN_ROWS = 10_000
"""From here on an IVF_RQ index (5 ms, recall 0.99 with refinement) beats a flat scan (17 to 50 ms)."""

FTS_MIN_ROWS = 20_000
"""Up to here BM25 over postings in memory is quicker, exact, and warm within seconds."""

TEXT_COLUMN = "tokens_text"
VECTOR_COLUMN = "vector"

_FULL_TEXT = FTS(
    base_tokenizer="whitespace",
    max_token_length=None,
    lower_case=False,
    stem=False,
    remove_stop_words=False,
    ascii_folding=False,
)
"""Nothing is done to the words: they are our analyzer's tokens already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Index:
    """An index that pays from a number of rows on."""

    column: str
    min_rows: int
    config: Any
    """One of LanceDB's index configurations."""


def chunk_indexes(dimension: int, *, ann_min_rows: int, fts_min_rows: int) -> tuple[Index, ...]:
    """Return the indexes for vectors of this length; the metric is the one `nearest` asks for."""
    # IVF_RQ builds 30 times quicker than its rivals, but takes whole bytes of bits only
    vector = IvfFlat(distance_type="cosine") if dimension % 8 else IvfRq(distance_type="cosine")
    return (
        Index(column=VECTOR_COLUMN, min_rows=ann_min_rows, config=vector),
        Index(column=TEXT_COLUMN, min_rows=fts_min_rows, config=_FULL_TEXT),
    )
