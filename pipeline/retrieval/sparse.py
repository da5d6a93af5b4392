"""Exact words: BM25 over the analyzer's tokens, in memory or in the store, behind one protocol."""

from __future__ import annotations

import asyncio
import math
import sys
from array import array
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from rank_bm25 import BM25Okapi

from pipeline.retrieval.slots import Slots, best

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from pipeline.retrieval.store import ChunkStore

K1 = 1.2
B = 0.75
"""Lucene's constants, which LanceDB's full-text search has built in, so that both indexes rank alike."""

RARITY_FROM = 100
"""As how many chunks a smaller channel counts when a question's words are weighed for the coverage.

In one of three chunks a word that is there would weigh next to nothing beside one that is not.
"""

_THREAD_FROM = 400_000
"""Postings that one search may visit on the event loop; about 5 ms."""

_TERM_BYTES = 200
"""Rough cost in CPython of a dictionary entry, its key and an empty bytes object."""


_USUAL_WEIGHT = 0.5
"""What a word weighs where its frequency is not known: the mean of those found on the development sets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Covered:
    """How much of a question's words one chunk holds."""

    share: float
    """Of the question's idf mass, in [0, 1]."""
    weight: float
    """The same mass itself, in units of a word that nothing holds; it grows with each rare word."""
    missing: int = 0
    """How many different words it does not hold."""
    unnamed: float = 0.0
    """Share of the question's idf mass in names that it does not hold, in [0, 1]."""


class SparseIndex(Protocol):
    """One channel's chunks, found by the tokens they share with a query."""

    async def search(
        self, tokens: Sequence[str], limit: int, *, only: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        """Return up to *limit* (chunk id, BM25 score), best first; each shares a token with the query.

        *only* narrows the candidates to these documents; the statistics stay those of the whole channel, so
        a chunk's score does not depend on the filter. A token that is given twice counts twice.
        """
        ...

    async def coverage(
        self, tokens: Sequence[str], chunk_ids: Sequence[str], named: frozenset[str] = frozenset()
    ) -> list[Covered]:
        """Return for each chunk how much of the query's words it holds; *named* are the names among them."""
        ...


def idf(chunks: int, holding: int) -> float:
    """Lucene's inverse document frequency, ln(1 + (N - n + 0.5) / (n + 0.5)): above 0 for every n <= N.

    rank-bm25's own is 0 or negative in a catalog of one or two chunks.
    """
    return math.log(1 + (chunks - holding + 0.5) / (holding + 0.5))


class Okapi(BM25Okapi):  # type: ignore[misc]  # rank-bm25 ships no types
    """rank-bm25 with Lucene's idf: it counts a document's words, and is the postings' oracle in tests."""

    def __init__(self, corpus: Sequence[Sequence[str]]) -> None:
        super().__init__(corpus, k1=K1, b=B)

    def _calc_idf(self, nd: Mapping[str, int]) -> None:
        self.idf = {word: idf(self.corpus_size, holding) for word, holding in nd.items()}


class PostingsIndex:
    """BM25 over postings in memory: a value that never changes, so a search may run beside an update.

    Scores equal rank-bm25's, but only the postings of the query's tokens are read, not every chunk. A token's
    postings are its rows (uint32, rising) and then its counts (uint16) in one bytes object: 6 bytes each,
    shared by the index before and after a change.
    """

    def __init__(self) -> None:
        self.slots = Slots()
        self._lengths = np.zeros(0, np.int64)
        self._terms: dict[str, tuple[str, ...]] = {}  # by document, for its removal
        self._postings: dict[str, bytes] = {}
        self._norms = np.zeros(0)
        self.nbytes = 0
        """Rough size in memory."""

    def changed(
        self, added: Mapping[str, Sequence[tuple[str, Sequence[str]]]], removed: Collection[str] = ()
    ) -> PostingsIndex:
        """Return the index with *added* (document id → its (chunk id, tokens)) and without *removed*.

        Exact: the scores are those of an index built anew. A document in both is replaced. It takes about
        0.3 ms a chunk of 100 tokens, and more in a large vocabulary, whose table is copied.
        """
        gone = {*removed, *added} & self.slots.documents.keys()
        kept = {document_id: rows for document_id, rows in added.items() if rows}
        new = PostingsIndex()
        new.slots = self.slots.changed(
            {document_id: [chunk_id for chunk_id, _ in rows] for document_id, rows in kept.items()}, gone
        )
        new._lengths, new._terms, new._postings = self._lengths, dict(self._terms), dict(self._postings)
        new.nbytes = self.nbytes
        new._take_out(gone)
        new._put_in(kept)
        living = new._lengths[new.slots.alive]
        new._norms = K1 * (1 - B + B * new._lengths / (living.mean() if living.any() else 1.0))
        return new

    async def search(
        self, tokens: Sequence[str], limit: int, *, only: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        visited = sum(len(self._postings.get(token, b"")) for token in set(tokens)) // 6
        if visited < _THREAD_FROM:
            return self._search(tokens, limit, only)
        return await asyncio.to_thread(self._search, tokens, limit, only)

    async def coverage(
        self, tokens: Sequence[str], chunk_ids: Sequence[str], named: frozenset[str] = frozenset()
    ) -> list[Covered]:
        wanted = self.slots.rows_of(chunk_ids)
        words, chunks = sorted(set(tokens)), max(len(self.slots.rows), RARITY_FROM)
        held, weight = np.zeros((len(words), len(chunk_ids)), np.bool_), np.zeros(len(words))
        for place, word in enumerate(words):
            rows, _ = self._unpack(word)
            weight[place] = idf(chunks, len(rows))
            if len(rows):
                near = np.minimum(np.searchsorted(rows, wanted), len(rows) - 1)
                held[place] = rows[near] == wanted
        names = weight * [word in named for word in words]
        whole, unit = float(weight.sum()) or 1.0, math.log1p(chunks)
        return [
            Covered(
                share=float(weight @ column) / whole,
                weight=float(weight @ column) / unit,
                missing=len(words) - int(column.sum()),
                unnamed=float(names @ ~column) / whole,
            )
            for column in held.T
        ]

    def _search(
        self, tokens: Sequence[str], limit: int, only: frozenset[str] | None
    ) -> list[tuple[str, float]]:
        scores = self._scores(tokens)
        # every idf is above 0, so a score is above 0 exactly where a token is shared
        return best(self.slots, scores, (scores > 0) & self.slots.visible(only), limit)

    def _scores(self, tokens: Iterable[str]) -> NDArray[np.float64]:
        scores = np.zeros(len(self.slots.chunk_ids))
        for token, repeats in Counter(tokens).items():
            rows, counts = self._unpack(token)
            if len(rows):
                weight = repeats * (K1 + 1) * idf(len(self.slots.rows), len(rows))
                scores[rows] += weight * counts / (counts + self._norms[rows])
        return scores

    def _unpack(self, token: str) -> tuple[NDArray[np.uint32], NDArray[np.uint16]]:
        packed = self._postings.get(token, b"")
        size = len(packed) // 6
        return np.frombuffer(packed, np.uint32, size), np.frombuffer(packed, np.uint16, size, 4 * size)

    def _pack(self, token: str, rows: bytes, counts: bytes) -> None:
        before = self._postings.pop(token, None)
        self.nbytes -= _TERM_BYTES + len(before) if before is not None else 0
        if rows:
            self._postings[token] = rows + counts
            self.nbytes += _TERM_BYTES + len(rows) + len(counts)

    def _take_out(self, documents: Collection[str]) -> None:
        for token in {token for document_id in documents for token in self._terms.pop(document_id)}:
            rows, counts = self._unpack(token)
            keep = self.slots.alive[rows]
            self._pack(token, rows[keep].tobytes(), counts[keep].tobytes())

    def _put_in(self, added: Mapping[str, Sequence[tuple[str, Sequence[str]]]]) -> None:
        fresh: dict[str, tuple[array[int], array[int]]] = {}
        for document_id, rows in added.items():
            counted = Okapi([tokens for _, tokens in rows])
            self._lengths = np.append(self._lengths, np.array(counted.doc_len, np.int64))
            for row, counts in zip(self.slots.documents[document_id], counted.doc_freqs, strict=True):
                _gather(fresh, row, counts)
            self._terms[document_id] = tuple({token for counts in counted.doc_freqs for token in counts})
        for token, (more_rows, more_counts) in fresh.items():
            old = self._postings.get(token, b"")
            cut = len(old) // 6 * 4
            self._pack(token, old[:cut] + more_rows.tobytes(), old[cut:] + more_counts.tobytes())


def _gather(fresh: dict[str, tuple[array[int], array[int]]], row: int, counts: Mapping[str, int]) -> None:
    for token, count in counts.items():
        entry = fresh.get(token)
        if entry is None:
            entry = fresh[sys.intern(token)] = (array("I"), array("H"))
        entry[0].append(row)
        entry[1].append(min(count, 65_535))


class LanceIndex:
    """The store's own full-text search over the same tokens, for channels too large to hold in memory.

    It ranks as `PostingsIndex` does. Its statistics cannot be read, so for the coverage all tokens weigh
    the same.
    """

    def __init__(self, store: ChunkStore, analyze: Callable[[str], Sequence[str]]) -> None:
        self._store = store
        self._analyze = analyze

    async def search(
        self, tokens: Sequence[str], limit: int, *, only: frozenset[str] | None = None
    ) -> list[tuple[str, float]]:
        found = await self._store.search_text(tokens, limit, only=only)
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    async def coverage(
        self, tokens: Sequence[str], chunk_ids: Sequence[str], named: frozenset[str] = frozenset()
    ) -> list[Covered]:
        chunks = await self._store.fetch(chunk_ids)
        texts = [chunks[chunk_id].text if chunk_id in chunks else "" for chunk_id in chunk_ids]
        words = frozenset(tokens)
        return await asyncio.to_thread(
            lambda: [_covered(words, named, self._analyze(text)) for text in texts]
        )


def _covered(words: frozenset[str], named: frozenset[str], text: Sequence[str]) -> Covered:
    held, every = words.intersection(text), len(words) or 1
    return Covered(
        share=len(held) / every,
        weight=len(held) * _USUAL_WEIGHT,
        missing=len(words - held),
        unnamed=len(words & named - held) / every,
    )
