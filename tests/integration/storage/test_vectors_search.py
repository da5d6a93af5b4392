from __future__ import annotations

import math
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipeline.domain import Scope
from pipeline.errors import CatalogError
from pipeline.storage.refs import StoredChunk
from pipeline.storage.vectors import CatalogStore, VectorStore
from tests.fakes.stored import document_of, ref_of, stored_of, unit_vectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from numpy.typing import NDArray

WORDS = [
    "ora-00942",
    "c++",
    "f#",
    '"quoted"',
    "it's",
    "中文",
    "文検",
    "naïve",
    "NAÏVE",
    "a" * 90,
    "x*",
    "(y",
    "z^2",
]


@pytest.fixture
async def vectors(tmp_path: Path) -> AsyncIterator[VectorStore]:
    store = await VectorStore.connect(str(tmp_path), fts_min_rows=1, ann_min_rows=500)
    yield store
    await store.close()


async def ingest(catalog: CatalogStore, *documents: list[StoredChunk]) -> None:
    for stored in documents:
        document_id = stored[0].chunk.document_id
        await catalog.write_chunks(document_id, stored)
        await catalog.put_document(document_of(document_id, chunks=len(stored)))


def corpus(documents: int, chunks: int, dimension: int = 8) -> list[list[StoredChunk]]:
    rng = np.random.default_rng(7)
    return [
        stored_of(
            f"d{number:03}",
            *(" ".join(rng.choice(WORDS, rng.integers(3, 9))) for _ in range(chunks)),
            dimension=dimension,
            seed=number * 1000,
        )
        for number in range(documents)
    ]


def by_cosine(stored: list[StoredChunk], query: NDArray[np.float32]) -> list[str]:
    return [item.chunk.chunk_id for item in sorted(stored, key=lambda item: -float(item.vector @ query))]


def bm25(stored: list[StoredChunk], tokens: list[str]) -> dict[str, float]:
    """Lucene's formula, k1 = 1.2 and b = 0.75, over the whole list."""
    mean = sum(len(item.tokens) for item in stored) / len(stored)
    scores: dict[str, float] = {}
    for token in tokens:
        frequency = sum(token in item.tokens for item in stored)
        idf = math.log(1 + (len(stored) - frequency + 0.5) / (frequency + 0.5))
        for item in stored:
            count = item.tokens.count(token)
            if count:
                weight = count * 2.2 / (count + 1.2 * (0.25 + 0.75 * len(item.tokens) / mean))
                key = item.chunk.chunk_id
                scores[key] = scores.get(key, 0.0) + idf * weight
    return scores


async def test_the_nearest_chunks_come_first_with_their_cosine(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    documents = corpus(4, 10)
    await ingest(catalog, *documents)
    stored = list(chain(*documents))
    query = unit_vectors(1, seed=99)[0]
    found = await catalog.nearest(query * 3, 12)
    assert [chunk_id for chunk_id, _ in found] == by_cosine(stored, query)[:12]
    cosines = {item.chunk.chunk_id: float(item.vector @ query) for item in stored}
    assert [cosine for _, cosine in found] == pytest.approx([cosines[key] for key, _ in found], abs=1e-5)
    assert await catalog.nearest(query, 0) == []
    assert len(await catalog.nearest(query, 1000)) == 40


async def test_the_same_vector_has_a_cosine_of_one_and_never_more(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    [stored] = corpus(1, 30)
    await ingest(catalog, stored)
    for item in stored:
        best, cosine = (await catalog.nearest(item.vector, 1))[0]
        assert best == item.chunk.chunk_id
        assert 1.0 - 1e-5 < cosine <= 1.0


async def test_equally_close_chunks_come_in_the_order_of_their_ids(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    vector = unit_vectors(1)[0]
    stored = [StoredChunk(chunk=item.chunk, tokens=item.tokens, vector=vector) for item in corpus(1, 9)[0]]
    await ingest(catalog, stored[::-1])
    found = [chunk_id for chunk_id, _ in await catalog.nearest(vector, 9)]
    assert found == sorted(found)


async def test_only_and_exclude_narrow_before_the_best_are_picked(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    documents = corpus(12, 3)
    await ingest(catalog, *documents)
    await catalog.maintain()
    names = [stored[0].chunk.document_id for stored in documents]
    for seed, (included, excluded) in enumerate([(1, 0), (5, 1), (11, 10), (5, 10), (None, 1), (None, 10)]):
        rng = np.random.default_rng(seed)
        only = None if included is None else frozenset(rng.choice(names, included, replace=False).tolist())
        exclude = frozenset(rng.choice(names, excluded, replace=False).tolist())
        seen = frozenset(names if only is None else only) - exclude
        allowed = [item for item in chain(*documents) if item.chunk.document_id in seen]
        query = unit_vectors(1, seed=seed)[0]
        dense = await catalog.nearest(query, 5, only=only, exclude=exclude)
        assert [chunk_id for chunk_id, _ in dense] == by_cosine(allowed, query)[:5]
        sparse = await catalog.search_text(["c++"], 100, only=only, exclude=exclude)
        holding = {item.chunk.chunk_id for item in allowed if "c++" in item.tokens}
        assert {chunk_id for chunk_id, _ in sparse} == holding


async def test_thousands_of_named_documents_are_no_problem(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    await ingest(catalog, *corpus(3, 2))
    names = frozenset(f"x{number}" for number in range(20_000))
    query = unit_vectors(1)[0]
    assert len(await catalog.nearest(query, 10, only=names | {"d001"})) == 2
    assert len(await catalog.nearest(query, 10, exclude=names | {"d001"})) == 4
    assert await catalog.nearest(query, 10, only=names) == []


async def test_text_is_ranked_by_bm25_over_exactly_our_tokens(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    documents = corpus(5, 12)
    await ingest(catalog, *documents)
    await catalog.maintain()
    stored = list(chain(*documents))
    for tokens in [[word] for word in WORDS] + [WORDS, ["c++", "missing"], ["中文", "中文", "f#"]]:
        found = await catalog.search_text(tokens, 100)
        expected = bm25(stored, tokens)
        assert dict(found) == pytest.approx(expected, abs=1e-3)
        assert found == sorted(found, key=lambda hit: (-hit[1], hit[0]))


async def test_a_token_matches_itself_only(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    await ingest(catalog, *corpus(2, 5))
    await catalog.maintain()
    for token in ["AND", "NOT", "*", "x", "(", '"', "tokens_text:c++", "naive", "c", "\0", "中"]:
        assert await catalog.search_text([token], 10) == []


async def test_new_chunks_are_found_by_text_before_the_next_upkeep(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    await ingest(catalog, *corpus(2, 5))
    await catalog.maintain()
    await ingest(catalog, stored_of("late", "quite unheard-of"))
    assert [chunk_id for chunk_id, _ in await catalog.search_text(["unheard-of"], 5)] == ["late-00000"]


async def test_text_scores_do_not_depend_on_other_channels(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of())
    await ingest(catalog, *corpus(2, 5))
    await catalog.maintain()
    before = await catalog.search_text(["c++", "f#"], 10)
    other = await vectors.catalog(ref_of(Scope("terminal", "local", "other")))
    await ingest(other, stored_of("d000", *["c++ only"] * 50))
    await other.maintain()
    assert await catalog.search_text(["c++", "f#"], 10) == before


async def test_without_a_text_index_the_caller_is_told(tmp_path: Path) -> None:
    store = await VectorStore.connect(str(tmp_path / "small"))
    catalog = await store.catalog(ref_of())
    await ingest(catalog, *corpus(1, 3))
    await catalog.maintain()
    assert not await catalog.has_text_index()
    with pytest.raises(CatalogError, match="no full-text part"):
        await catalog.search_text(["c++"], 3)
    assert await catalog.search_text([], 3) == []
    await store.close()


async def test_a_large_channel_is_searched_through_an_index_with_the_same_result(
    vectors: VectorStore,
) -> None:
    catalog = await vectors.catalog(ref_of(dimension=64))
    documents = corpus(6, 120, dimension=64)
    await ingest(catalog, *documents)
    queries = [stored[5].vector for stored in documents]
    exact = [await catalog.nearest(query, 10) for query in queries]
    await catalog.maintain()
    indexed = [await catalog.nearest(query, 10) for query in queries]
    assert [found[0][0] for found in indexed] == [stored[5].chunk.chunk_id for stored in documents]
    shared = [len(dict(one).keys() & dict(two).keys()) for one, two in zip(exact, indexed, strict=True)]
    # vectors without any structure are the index's hardest case; on real ones it finds 0.98 and more
    assert sum(shared) >= 40
    found = await catalog.nearest(queries[0], 10, only=frozenset({"d003"}))
    assert [chunk_id for chunk_id, _ in found] == by_cosine(documents[3], queries[0])[:10]
    await ingest(catalog, stored_of("late", "text", dimension=64))
    [(best, cosine)] = await catalog.nearest(stored_of("late", "text", dimension=64)[0].vector, 1)
    assert best == "late-00000"
    assert cosine == pytest.approx(1.0)


async def test_vectors_of_any_length_can_be_indexed(vectors: VectorStore) -> None:
    catalog = await vectors.catalog(ref_of(dimension=10))
    [stored] = corpus(1, 500, dimension=10)
    await ingest(catalog, stored)
    await catalog.maintain()
    [(best, cosine)] = await catalog.nearest(stored[7].vector, 1)
    assert best == "d000-00007"
    assert cosine == pytest.approx(1.0)
