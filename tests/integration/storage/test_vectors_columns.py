"""Tables that were written before a chunk knew what its numbers count."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import lancedb
import pyarrow as pa
import pytest

from pipeline.domain import Place, Unit
from pipeline.storage.tables import chunk_rows, chunks_schema
from pipeline.storage.vectors import CatalogStore, VectorStore
from tests.fakes.stored import DIMENSION, document_of, ref_of, stored_of, unit_vectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from pipeline.storage.refs import StoredChunk

SLIDE = Place(page=4, section="Prices", unit=Unit.SLIDE, page_label="D")


@pytest.fixture
async def catalog(tmp_path: Path) -> AsyncIterator[CatalogStore]:
    """Open a catalog whose chunks table has no columns for unit and label."""
    connection = await lancedb.connect_async(str(tmp_path))
    schema = chunks_schema(DIMENSION)
    later = {"unit", "page_label"}
    old = pa.schema([field for field in schema if field.name not in later])
    table = await connection.create_table(f"{ref_of().name}.chunks", schema=old)
    await table.add(chunk_rows(stored_of("d1", "old first", "old second"), DIMENSION).select(old.names))
    store = await VectorStore.connect(str(tmp_path))
    catalog = await store.catalog(ref_of())
    await catalog.put_document(document_of("d1", chunks=2))
    yield catalog
    await store.close()


def on_a_slide(document_id: str) -> list[StoredChunk]:
    stored = stored_of(document_id, "new")
    return [replace(item, chunk=replace(item.chunk, place=SLIDE)) for item in stored]


async def test_they_are_read_as_they_are(catalog: CatalogStore) -> None:
    hits = await catalog.nearest(unit_vectors(1)[0], 10)
    found = await catalog.fetch([chunk_id for chunk_id, _ in hits])

    assert {chunk.text: chunk.place.unit for chunk in found.values()} == {
        "old first": None,
        "old second": None,
    }
    assert [chunk.text for chunk in (await catalog.read_chunks()).chunks] == ["old first", "old second"]


async def test_the_next_write_gives_them_the_column(catalog: CatalogStore) -> None:
    assert (await catalog.fetch(["d1-00000"]))["d1-00000"].place.unit is None
    await catalog.write_chunks("d2", on_a_slide("d2"))
    await catalog.put_document(document_of("d2", chunks=1))

    found = await catalog.fetch(["d1-00000", "d2-00000"])
    assert {key: chunk.place.unit for key, chunk in found.items()} == {
        "d1-00000": None,
        "d2-00000": Unit.SLIDE,
    }
    assert (await catalog.read_chunks(["d2"])).chunks[0].place == SLIDE
    assert await catalog.incomplete() == []


async def test_what_another_process_added_is_read(catalog: CatalogStore, tmp_path: Path) -> None:
    await catalog.read_chunks()
    other = await VectorStore.connect(str(tmp_path))
    writer = await other.catalog(ref_of())
    await writer.write_chunks("d2", on_a_slide("d2"))
    await writer.put_document(document_of("d2", chunks=1))
    await other.close()

    assert (await catalog.fetch(["d2-00000"]))["d2-00000"].place == SLIDE
    await catalog.write_chunks("d3", on_a_slide("d3"))
    assert (await catalog.read_chunks(["d3"])).chunks[0].place == SLIDE
