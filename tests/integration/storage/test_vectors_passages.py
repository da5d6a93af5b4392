from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from pipeline.storage.passages import Latest
from pipeline.storage.vectors import CatalogStore, VectorStore
from tests.fakes.stored import document_of, ref_of, stored_of, unit_vectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

QUERY = unit_vectors(1, seed=99)[0]


@pytest.fixture
async def catalog(tmp_path: Path) -> AsyncIterator[CatalogStore]:
    store = await VectorStore.connect(str(tmp_path))
    catalog = await store.catalog(ref_of())
    for document_id in ("d1", "d2", "d3"):
        await write(catalog, document_id, f"{document_id} first", f"{document_id} second")
    yield catalog
    await store.close()


async def write(catalog: CatalogStore, document_id: str, *texts: str) -> None:
    stored = stored_of(document_id, *texts, seed=int(document_id[1:]))
    await catalog.write_chunks(document_id, stored)
    await catalog.put_document(document_of(document_id, chunks=len(stored)))


async def searched(catalog: CatalogStore) -> list[str]:
    """Let a search see where all chunks lie."""
    return [chunk_id for chunk_id, _ in await catalog.nearest(QUERY, 10)]


async def texts(catalog: CatalogStore, chunk_ids: list[str]) -> dict[str, str]:
    return {key: chunk.text for key, chunk in (await catalog.fetch(chunk_ids)).items()}


async def test_hits_of_a_search_are_taken_from_where_they_lie(catalog: CatalogStore) -> None:
    hits = await searched(catalog)
    found = await texts(catalog, hits)

    assert len(hits) == 6
    assert found == await texts(catalog, sorted(hits))
    assert found["d2-00001"] == "d2 second"


async def test_chunks_that_no_search_has_seen_are_looked_for(catalog: CatalogStore) -> None:
    assert await texts(catalog, ["d3-00000", "d9-00000"]) == {"d3-00000": "d3 first"}


async def test_a_compaction_moves_rows_and_every_text_is_still_its_own(catalog: CatalogStore) -> None:
    hits = await searched(catalog)
    before = await texts(catalog, hits)
    await catalog.delete_documents(["d1"])
    table = await catalog._chunks.created()
    await table.optimize(cleanup_older_than=timedelta(hours=1))
    found = await texts(catalog, hits)

    assert found == {key: text for key, text in before.items() if not key.startswith("d1")}
    assert len(found) == 4


async def test_a_document_that_is_written_anew_shows_its_new_text(catalog: CatalogStore) -> None:
    hits = await searched(catalog)
    await texts(catalog, hits)
    await write(catalog, "d2", "quite another text")

    assert (await texts(catalog, hits)).get("d2-00000") == "quite another text"
    assert "d2-00001" not in await texts(catalog, hits)


async def test_a_document_that_is_taken_back_is_not_shown_from_memory(catalog: CatalogStore) -> None:
    hits = await searched(catalog)
    await texts(catalog, hits)
    await catalog.delete_documents(["d3"])

    assert {key[:2] for key in await texts(catalog, hits)} == {"d1", "d2"}


def test_only_the_latest_values_are_kept() -> None:
    latest: Latest[int] = Latest(2)
    latest.add({"a": 1, "b": 2})
    latest.add({"a": 3, "c": 4})

    assert latest.of(["a", "b", "c"]) == {"a": 3, "c": 4}
