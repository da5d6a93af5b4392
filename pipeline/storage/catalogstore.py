"""One channel's documents and chunks, in one generation."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import TYPE_CHECKING

from lancedb.expr import col, lit

from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogError, CatalogLost
from pipeline.storage.cached import Cached
from pipeline.storage.contents import read_contents
from pipeline.storage.handles import TableHandle
from pipeline.storage.indexes import chunk_indexes
from pipeline.storage.passages import Passages
from pipeline.storage.queries import by_text, by_vector, hits, narrowed, without_others
from pipeline.storage.selection import select
from pipeline.storage.tables import (
    CHUNK_COLUMNS,
    check_chunks,
    check_vector,
    chunk_rows,
    chunks_schema,
    columns_of,
    document_rows,
    documents_of,
    documents_schema,
)
from pipeline.storage.upkeep import expunge, tend

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    import numpy as np
    import pyarrow as pa
    from lancedb.query import AsyncStandardQuery
    from lancedb.table import AsyncTable
    from numpy.typing import NDArray

    from pipeline.domain import Chunk, Document
    from pipeline.storage.handles import Lance
    from pipeline.storage.refs import CatalogRef, ChunkRows, StoredChunk
    from pipeline.storage.upkeep import Upkeep

_EMPTY: frozenset[str] = frozenset()


class CatalogStore:
    """A documents table and a chunks table; reading what was never written gives nothing.

    A document counts only while its documents row says ``ready``: searches, `fetch` and an unrestricted
    `read_chunks` see nothing else. All writes of one channel come from its single running job. Every method
    may raise `CatalogUnavailable` (reading) or `CatalogError` (writing).
    """

    def __init__(self, lance: Lance, ref: CatalogRef, upkeep: Upkeep) -> None:
        self.ref = ref
        self._patience = upkeep.patience
        self._indexes = chunk_indexes(
            ref.dimension, ann_min_rows=upkeep.ann_min_rows, fts_min_rows=upkeep.fts_min_rows
        )
        channel = str(ref.scope)
        self._documents = TableHandle(lance, f"{ref.name}.documents", documents_schema(), channel)
        self._chunks = TableHandle(lance, f"{ref.name}.chunks", chunks_schema(ref.dimension), channel)
        self._facts = Cached(self._documents.version, self._read_documents)
        self._contents = Cached(self._chunks.version, partial(read_contents, self._chunks))
        self._passages = Passages(self._chunks)

    @property
    def healed(self) -> bool:
        """Whether a table lost its latest writes to a power cut; the channel wants a reindex."""
        return self._documents.healed or self._chunks.healed

    # -- documents

    async def documents(self) -> list[Document]:
        """Return all documents in any state, in the order of their upload."""
        return list(await self._facts.get())

    async def put_document(self, document: Document) -> None:
        """Insert or replace a document's row; write ``ready`` last, when its chunks stand."""
        await self.put_documents([document])

    async def put_documents(self, documents: Sequence[Document]) -> None:
        """Insert or replace several documents' rows by one write; none of them may come twice."""
        if not documents:
            return
        rows = document_rows(documents)

        async def upsert(table: AsyncTable) -> None:
            merge = table.merge_insert("document_id").use_index(False)
            await merge.when_matched_update_all().when_not_matched_insert_all().execute(rows)

        await self._documents.change(upsert)

    async def delete_documents(self, ids: Sequence[str]) -> None:
        """Remove documents and their chunks; unknown ids are fine.

        The rows go first, so that an interruption leaves invisible orphans for `sweep` and no half document.
        """
        gone = frozenset(ids)
        await self._delete(self._documents, {each.document_id for each in await self._facts.get()} & gone)
        await self._delete(self._chunks, (await self._present()).keys() & gone)

    async def sweep(self) -> int:
        """Remove chunks whose document has no row, left by an interrupted job; return how many.

        Call it only from the channel's own job.
        """
        present = await self._present()
        orphans = present.keys() - {each.document_id for each in await self._facts.get()}
        await self._delete(self._chunks, orphans)
        return sum(present[document_id] for document_id in orphans)

    async def check(self) -> None:
        """Raise `CatalogLost` if a table is gone: what is lost must not pass for what never was."""
        if not (await self._chunks.version()) and any(each.chunks for each in await self._ready_facts()):
            raise self._lost("passages")

    async def incomplete(self) -> list[str]:
        """Return the ids of ready documents that have another number of chunks than their row says."""
        present = await self._present()
        return [
            each.document_id
            for each in await self._facts.get()
            if each.status is DocumentStatus.READY and present[each.document_id] != each.chunks
        ]

    # -- chunks

    async def write_chunks(self, document_id: str, chunks: Sequence[StoredChunk]) -> None:
        """Replace all chunks of one document at once. Raises `EmbedderChanged` for another vector length."""
        if not chunks:
            await self._delete(self._chunks, (await self._present()).keys() & {document_id})
            return
        check_chunks(self.ref, document_id, chunks)
        with self._chunks.writing():
            rows = await asyncio.to_thread(chunk_rows, chunks, self.ref.dimension)

        async def replace(table: AsyncTable) -> None:
            merge = table.merge_insert("chunk_id").use_index(False)  # an index on the key lets duplicates in
            merge = merge.when_matched_update_all().when_not_matched_insert_all()
            merge = merge.when_not_matched_by_source_delete(col("document_id") == lit(document_id))
            await merge.execute(rows)

        await self._chunks.change(replace)

    async def read_chunks(
        self, document_ids: Sequence[str] | None = None, *, vectors: bool = False
    ) -> ChunkRows:
        """Return the chunks of these documents in whatever state, or of all ready ones."""
        wanted = await self._ready() if document_ids is None else frozenset(document_ids)
        wide = ("tokens", "vector") if vectors else ("tokens",)
        columns = await self._chunks.having((*CHUNK_COLUMNS, *wide))
        rows = await self._select(wanted, lambda table: table.query().select(columns))
        if rows is None:
            rows = chunks_schema(self.ref.dimension).empty_table().select(columns)
        return await asyncio.to_thread(columns_of, rows)

    async def fetch(self, chunk_ids: Sequence[str]) -> dict[str, Chunk]:
        """Return chunks of ready documents by id; an id that is gone is left out."""
        if not chunk_ids:
            return {}
        found = await self._passages.get(chunk_ids)
        if not found:
            await self.check()
        ready = await self._ready()
        return {key: chunk for key, chunk in found.items() if chunk.document_id in ready}

    async def count_chunks(self) -> int:
        """Return the number of chunks, those of unready documents included."""
        return await self._chunks.count()

    async def versions(self) -> tuple[int, int]:
        """Return the versions of the documents and the chunks table (0.1 ms each); upkeep raises them too."""
        return await self._documents.version(), await self._chunks.version()

    # -- search

    async def nearest(
        self,
        vector: NDArray[np.float32],
        limit: int,
        *,
        only: frozenset[str] | None = None,
        exclude: frozenset[str] = _EMPTY,
    ) -> list[tuple[str, float]]:
        """Return ids of the chunks closest to *vector* with their cosine similarity in [-1, 1], best first.

        *only* and *exclude* are document ids. Raises `EmbedderChanged` for a vector of another length.
        """
        check_vector(self.ref, vector)
        return await self._search(by_vector(vector), limit, only, exclude)

    async def search_text(
        self,
        tokens: Sequence[str],
        limit: int,
        *,
        only: frozenset[str] | None = None,
        exclude: frozenset[str] = _EMPTY,
    ) -> list[tuple[str, float]]:
        """Return ids and BM25 scores of the chunks that hold any of the analyzer's *tokens*, best first.

        A token that is given twice counts twice. Raises `CatalogError` without a full-text index, which
        `maintain` builds for large channels only.
        """
        contents = await self._contents.get()
        if not tokens or not contents.present:
            return []
        if not contents.text_index:
            raise CatalogError(f"The index of {self.ref.scope} has no full-text part yet.")
        return await self._search(by_text(tokens), limit, only, exclude)

    async def has_text_index(self) -> bool:
        """Whether `search_text` can be used."""
        return (await self._contents.get()).text_index

    # -- upkeep

    async def maintain(self) -> None:
        """Make all writes durable, after compacting, pruning and indexing where due.

        Call it before a job is marked done. Mostly it costs some fsyncs; a compaction, 30 µs a row.
        """
        # chunks first: a durable "ready" must not precede the chunks it speaks of
        for handle, indexes in ((self._chunks, self._indexes), (self._documents, ())):
            table = await handle.opened()
            if table is None:
                continue
            try:
                with handle.writing():
                    await tend(table, indexes, self._patience)
            finally:
                await handle.sync()

    async def expunge(self) -> None:
        """Remove from every file what was deleted, at once, and make that durable.

        It rewrites both tables: about 30 µs a row, and an index of vectors on top.
        """
        for handle in (self._documents, self._chunks):
            await expunge(handle, self._patience)
        await self.maintain()

    async def flush(self) -> None:
        """Make what was written durable, without tidying up: cheap enough for after every document."""
        for handle in (self._chunks, self._documents):
            if await handle.opened() is not None:
                await handle.sync()

    async def drop(self) -> None:
        """Remove both tables and their files, damaged or not."""
        await self._documents.drop()
        await self._chunks.drop()

    # -- inside

    async def _search(
        self,
        query: Callable[[AsyncTable], AsyncStandardQuery],
        limit: int,
        only: frozenset[str] | None,
        exclude: frozenset[str],
    ) -> list[tuple[str, float]]:
        if limit < 1:
            return []
        ready = await self._ready()
        allowed = (ready if only is None else ready & only) - exclude
        rows = await self._select(allowed, lambda table: query(table).limit(limit))
        if rows is None:
            return []
        self._passages.note(rows)
        return hits(rows)

    async def _select(
        self, wanted: AbstractSet[str], query: Callable[[AsyncTable], AsyncStandardQuery]
    ) -> pa.Table | None:
        """Run *query* over the wanted documents; None if there can be no row."""
        selection = select((await self._present()).keys(), wanted)
        if selection.empty:
            await self.check()
            return None
        rows = await self._chunks.rows(lambda table: narrowed(query(table), selection))
        # what was written meanwhile slips through an inverted selection
        return without_others(rows, wanted) if selection.inverted and rows is not None else rows

    async def _ready(self) -> frozenset[str]:
        return frozenset(each.document_id for each in await self._ready_facts())

    async def _ready_facts(self) -> list[Document]:
        return [each for each in await self._facts.get() if each.status is DocumentStatus.READY]

    async def _read_documents(self) -> list[Document]:
        rows = await self._documents.rows(lambda table: table.query())
        if rows is None and await self._chunks.version():
            raise self._lost("list of documents")
        return [] if rows is None else documents_of(rows)

    def _lost(self, what: str) -> CatalogLost:
        scope = self.ref.scope
        rebuild = f"run 'footnote reindex --channel {scope}' to rebuild it"
        return CatalogLost(f"The index of {scope} has lost its {what}; {rebuild}.")

    async def _present(self) -> Counter[str]:
        return (await self._contents.get()).present

    async def _delete(self, handle: TableHandle, document_ids: AbstractSet[str]) -> None:
        if document_ids:  # a delete that matches nothing would still write a version
            where = col("document_id").isin(sorted(document_ids))
            await handle.change(lambda table: table.delete(where))
