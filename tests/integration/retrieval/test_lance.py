from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.domain import DocumentStatus, Filters, Scope, chunk_id_for
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.index import Indexes
from pipeline.retrieval.query import SearchQuery
from pipeline.retrieval.search import Retriever
from pipeline.retrieval.sparse import LanceIndex
from pipeline.storage.refs import CatalogRef, StoredChunk
from pipeline.storage.vectors import VectorStore
from tests.contracts.sparse import Corpus, SparseContract
from tests.fakes.embedding import WordEmbedder
from tests.fakes.stored import DEMO, chunk_of, document_of, ref_of, unit_vectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from pipeline.retrieval.sparse import SparseIndex
    from pipeline.storage.catalogstore import CatalogStore


@pytest.fixture
async def vectors(tmp_path: Path) -> AsyncIterator[VectorStore]:
    store = await VectorStore.connect(str(tmp_path), fts_min_rows=1)
    yield store
    await store.close()


class TestLance(SparseContract):
    @pytest.fixture(autouse=True)
    def _store(self, vectors: VectorStore) -> None:
        self.vectors = vectors

    async def make(self, corpus: Corpus) -> SparseIndex:
        catalog = await self.vectors.catalog(ref_of())
        for document_id, texts in corpus.items():
            rows = [
                StoredChunk(
                    chunk=chunk_of(document_id, index, " ".join(tokens)), tokens=tuple(tokens), vector=vector
                )
                for index, (tokens, vector) in enumerate(zip(texts, unit_vectors(len(texts)), strict=True))
            ]
            await catalog.write_chunks(document_id, rows)
            await catalog.put_document(document_of(document_id, len(rows)))
        await catalog.maintain()
        return LanceIndex(catalog, str.split)


TEXTS = {
    "policy": ["Refunds take five working days.", "Annual plans are refunded in part."],
    "pumps": ["PANIC-0417 means that the pump stopped.", "PANIC-0418 means that the valve stopped."],
}


async def write(catalog: CatalogStore, document_id: str, texts: Sequence[str], *, revision: int = 0) -> None:
    made = await WordEmbedder().embed_documents(texts)
    rows = [
        StoredChunk(chunk=chunk_of(document_id, index, text), tokens=tuple(analyze(text)), vector=vector)
        for index, (text, vector) in enumerate(zip(texts, made, strict=True))
    ]
    await catalog.put_document(document_of(document_id, 0, DocumentStatus.INDEXING, revision))
    await catalog.write_chunks(document_id, rows)
    await catalog.put_document(document_of(document_id, len(rows), DocumentStatus.READY, revision))


@pytest.fixture
async def catalog(vectors: VectorStore) -> CatalogStore:
    ref = CatalogRef(scope=DEMO, generation=1, embedder="fake:words", dimension=64)
    made = await vectors.catalog(ref)
    for document_id, texts in TEXTS.items():
        await write(made, document_id, texts)
    return made


@pytest.fixture(params=["memory", "store"])
async def retriever(catalog: CatalogStore, request: pytest.FixtureRequest) -> Retriever:
    await catalog.maintain()

    async def open_catalog(_: Scope) -> CatalogStore:
        return catalog

    limit = 1 if request.param == "store" else 1000
    indexes = Indexes(analyze=analyze, max_chunks=limit)
    return Retriever(open_catalog=open_catalog, indexes=indexes, analyze=analyze, embedder=WordEmbedder())


async def found(
    retriever: Retriever, question: str, *, filters: Filters | None = None, top_k: int = 5
) -> list[str]:
    retrieval = await retriever.retrieve(DEMO, SearchQuery(question=question), top_k=top_k, filters=filters)
    assert retrieval.degraded == ()
    return [each.chunk.chunk_id for each in retrieval.ranked]


async def test_the_same_chunk_wins_in_memory_and_in_the_store(retriever: Retriever) -> None:
    assert (await found(retriever, "what is panic-0418"))[0] == chunk_id_for("pumps", 1)
    assert (await found(retriever, "how many working days do refunds take"))[0] == chunk_id_for("policy", 0)


async def test_an_upload_is_found_and_a_deleted_document_is_not(
    catalog: CatalogStore, retriever: Retriever
) -> None:
    await found(retriever, "badge")
    await write(catalog, "office", ["The badge opens the office."])
    assert (await found(retriever, "office badge"))[0] == chunk_id_for("office", 0)

    await catalog.delete_documents(["office"])

    assert chunk_id_for("office", 0) not in await found(retriever, "office badge")


async def test_a_document_that_is_being_written_again_is_found_as_it_is_when_ready(
    catalog: CatalogStore, retriever: Retriever
) -> None:
    await found(retriever, "refunds")
    await write(catalog, "policy", ["Vouchers replace money."], revision=1)

    assert (await found(retriever, "vouchers"))[0] == chunk_id_for("policy", 0)
    assert chunk_id_for("policy", 1) not in await found(retriever, "annual plans refunded")


async def test_a_filter_lets_nothing_else_through(retriever: Retriever) -> None:
    filters = Filters(document_ids=frozenset({"pumps"}))

    assert {each[:5] for each in await found(retriever, "refunds", filters=filters)} == {"pumps"}
