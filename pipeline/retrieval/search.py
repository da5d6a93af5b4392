"""The order of a search: both arms at once, fused, looked at again, fetched."""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import Filters, RankedChunk, Retrieval
from pipeline.errors import CatalogError, EmbedderChanged, ModelNotFound, ModelTimeout, PipelineError
from pipeline.observability.trace import record
from pipeline.retrieval.doubt import names
from pipeline.retrieval.filters import narrow
from pipeline.retrieval.fusion import against_best, against_spread, dense_weight, fuse
from pipeline.retrieval.query import is_vague
from pipeline.retrieval.rerank import DEPTH, rerank
from pipeline.retrieval.sparse import Covered
from pipeline.retrieval.twins import collapse

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from numpy.typing import NDArray

    from pipeline.domain import Chunk, Scope
    from pipeline.ports import Embedder
    from pipeline.retrieval.fusion import Fused
    from pipeline.retrieval.index import Indexes, Snapshot
    from pipeline.retrieval.query import SearchQuery
    from pipeline.retrieval.rerank import Reranker
    from pipeline.retrieval.store import ChunkStore

logger = logging.getLogger(__name__)

CANDIDATES = 50
"""Hits that each arm brings to the fusion."""

SUMMARY_COSINE = 0.2
"""Length of the summary's vector beside the question's in the dense query."""

QUESTION_REPEATS = 8
"""How often a token of the question counts in the sparse query, where one of the summary counts once."""

VAGUE_REPEATS = 4
"""The same where the question says next to nothing alone: "When does it leave?" is not about annual leave."""

DENSE_PATIENCE_S = 10.0
"""An embedder that takes longer for a question has failed."""

_TRACED = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """What one arm found, or why it did not."""

    name: str
    hits: Sequence[tuple[str, float]] = ()
    vector: NDArray[np.float32] | None = None
    lacking: str | None = None
    """The code of what was missing, ``dense:timeout`` for instance."""
    error: PipelineError | None = None


class Retriever:
    """Finds the chunks of one channel that a question is answered from."""

    def __init__(
        self,
        *,
        open_catalog: Callable[[Scope], Awaitable[ChunkStore | None]],
        indexes: Indexes,
        analyze: Callable[[str], Sequence[str]],
        embedder: Embedder | None,
        sparse: bool = True,
        reranker: Reranker | None = None,
        dense_patience_s: float = DENSE_PATIENCE_S,
    ) -> None:
        """*embedder* None and *sparse* False switch an arm off; *analyze* must be what made the index."""
        self._open = open_catalog
        self._indexes = indexes
        self._analyze = analyze
        self._embedder = embedder
        self._sparse_on = sparse
        self._reranker = reranker
        self._dense_patience_s = dense_patience_s

    async def retrieve(
        self, scope: Scope, query: SearchQuery, *, top_k: int, filters: Filters | None = None
    ) -> Retrieval:
        """Return up to *top_k* chunks of the channel's ready documents, best first.

        One arm that fails is reported in `Retrieval.degraded`; when both fail, the error of one is raised
        (`CatalogError` or `ModelError`).
        """
        store = await self._open(scope)
        if store is None:
            return Retrieval(ranked=())
        snapshot = await self._indexes.snapshot(store)
        only = narrow(filters or Filters(), snapshot.ready)
        dense, sparse = await asyncio.gather(
            self._dense(store, snapshot, query, only), self._sparse(snapshot, query, only)
        )
        if dense.lacking and sparse.lacking:
            raise dense.error or sparse.error or CatalogError("Both arms of the search are switched off.")
        fused = self._fused(query, dense, sparse)
        chunks, lacking = await self._refined(snapshot, query, fused, top_k)
        found = collapse(chunks)
        record("retrieval.collapsed", copies=len(chunks) - len(found))
        ranked = await self._described(snapshot, query, dense, fused, found[:top_k])
        degraded = tuple(code for code in (dense.lacking, sparse.lacking, lacking) if code)
        if degraded:
            logger.info("search degraded", extra={"action": "search_degraded", "degraded": degraded})
        return Retrieval(ranked=ranked, degraded=degraded)

    async def _dense(
        self, store: ChunkStore, snapshot: Snapshot, query: SearchQuery, only: frozenset[str] | None
    ) -> Arm:
        embedder, started = self._embedder, time.perf_counter()
        if embedder is None:
            return _told(Arm(name="dense", lacking="dense:off"), started)
        if embedder.name != store.ref.embedder:
            return _told(
                Arm(name="dense", lacking="dense:embedder_changed", error=EmbedderChanged()), started
            )
        try:
            async with asyncio.timeout(self._dense_patience_s):
                vector = await self._vector(embedder, query)
                if len(vector) != store.ref.dimension:
                    raise EmbedderChanged
                hits = await snapshot.dense.search(vector, CANDIDATES, only=only)
        except PipelineError as error:
            return _told(Arm(name="dense", lacking=f"dense:{_why(error)}", error=error), started)
        except TimeoutError:
            return _told(Arm(name="dense", lacking="dense:timeout", error=ModelTimeout()), started)
        return _told(Arm(name="dense", hits=hits, vector=vector), started)

    async def _sparse(self, snapshot: Snapshot, query: SearchQuery, only: frozenset[str] | None) -> Arm:
        started = time.perf_counter()
        if not self._sparse_on:
            return _told(Arm(name="sparse", lacking="sparse:off"), started)
        try:
            tokens = await asyncio.to_thread(self._tokens, query)
            hits = await snapshot.sparse.search(tokens, CANDIDATES, only=only)
        except PipelineError as error:
            return _told(Arm(name="sparse", lacking=f"sparse:{_why(error)}", error=error), started)
        return _told(Arm(name="sparse", hits=hits), started)

    async def _vector(self, embedder: Embedder, query: SearchQuery) -> NDArray[np.float32]:
        """Embed the question, drawn a little towards the summary."""
        texts = [query.question, *([query.summary] if query.summary else [])]
        missing = [text for text in texts if text not in query.vectors]
        made = dict(zip(missing, await asyncio.gather(*map(embedder.embed_query, missing)), strict=True))
        vectors = [{**query.vectors, **made}[text] for text in texts]
        mixed = vectors[0] if len(vectors) == 1 else vectors[0] + np.float32(SUMMARY_COSINE) * vectors[1]
        return np.asarray(mixed / max(float(np.linalg.norm(mixed)), 1e-12), dtype=np.float32)

    def _tokens(self, query: SearchQuery) -> list[str]:
        question = list(self._analyze(query.question))
        if not query.summary:
            return question
        repeats = VAGUE_REPEATS if is_vague(query.question, question) else QUESTION_REPEATS
        return question * repeats + list(self._analyze(query.summary))

    def _fused(self, query: SearchQuery, dense: Arm, sparse: Arm) -> list[Fused]:
        share = dense_weight(self._embedder.name, query.question, sparse.hits) if self._embedder else 0.0
        fused = fuse([against_spread(dense.hits), against_best(sparse.hits)], [share, 1 - share])
        found = [each.chunk_id for each in fused[:_TRACED]]
        record("retrieval.fused", hits=len(fused), dense_weight=round(share, 2), ids=found)
        return fused

    async def _refined(
        self, snapshot: Snapshot, query: SearchQuery, fused: Sequence[Fused], top_k: int
    ) -> tuple[list[Chunk], str | None]:
        """Fetch the best candidates and look at them again; more than *top_k*, for some may be left out."""
        depth = 2 * top_k if self._reranker is None else max(2 * top_k, DEPTH)
        ids = [each.chunk_id for each in fused[:depth]]
        stored = await snapshot.fetch(ids)
        chunks = [stored[chunk_id] for chunk_id in ids if chunk_id in stored]
        if self._reranker is None or len(chunks) < 2:
            return chunks, None
        return await rerank(self._reranker, query.question, chunks)

    async def _described(
        self,
        snapshot: Snapshot,
        query: SearchQuery,
        dense: Arm,
        fused: Sequence[Fused],
        found: Sequence[tuple[Chunk, tuple[Chunk, ...]]],
    ) -> tuple[RankedChunk, ...]:
        ids = [chunk.chunk_id for chunk, _ in found]
        cosines = dict(dense.hits)
        if dense.vector is not None:
            missing = [chunk_id for chunk_id in ids if chunk_id not in cosines]
            cosines |= await snapshot.dense.cosines(dense.vector, missing)
        coverage = await self._coverage(snapshot, query, ids)
        places = {each.chunk_id: each for each in fused}
        return tuple(
            RankedChunk(
                chunk=chunk,
                score=places[chunk.chunk_id].score,
                dense_rank=places[chunk.chunk_id].ranks[0],
                sparse_rank=places[chunk.chunk_id].ranks[1],
                cosine=cosines.get(chunk.chunk_id),
                coverage=covered.share,
                weight=covered.weight,
                missing=covered.missing,
                unnamed=covered.unnamed,
                copies=copies,
            )
            for (chunk, copies), covered in zip(found, coverage, strict=True)
        )

    async def _coverage(self, snapshot: Snapshot, query: SearchQuery, ids: Sequence[str]) -> list[Covered]:
        """Look how much of the bare question each chunk holds; the summary is no part of what is asked."""
        tokens, named = self._analyze(query.question), names(query.question, self._analyze)
        try:
            return await snapshot.sparse.coverage(tokens, ids, named)
        except CatalogError:
            return [Covered(share=0.0, weight=0.0)] * len(ids)


def _told(arm: Arm, started: float) -> Arm:
    record(
        f"retrieval.{arm.name}",
        hits=len(arm.hits),
        ms=round((time.perf_counter() - started) * 1000, 1),
        ids=[chunk_id for chunk_id, _ in arm.hits[:_TRACED]],
        lacking=arm.lacking,
    )
    return arm


def _why(error: PipelineError) -> str:
    match error:
        case EmbedderChanged():
            return "embedder_changed"
        case ModelTimeout():
            return "timeout"
        case ModelNotFound():
            return "model_not_found"
        case _:
            return "unavailable"
