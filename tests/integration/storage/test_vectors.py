from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipeline.domain import DocumentStatus, Scope
from pipeline.errors import CatalogError, CatalogUnavailable, EmbedderChanged
from pipeline.storage.upkeep import FRAGMENTS
from pipeline.storage.vectors import CatalogStore, VectorStore, local_directory
from tests.fakes.stored import DEMO, DIMENSION, document_of, ref_of, stored_of, unit_vectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path


@pytest.fixture
async def vectors(tmp_path: Path) -> AsyncIterator[VectorStore]:
    store = await VectorStore.connect(str(tmp_path / "vectors"))
    yield store
    await store.close()


@pytest.fixture
async def catalog(vectors: VectorStore) -> CatalogStore:
    return await vectors.catalog(ref_of())


async def ingest(catalog: CatalogStore, document_id: str, *texts: str, seed: int = 0) -> None:
    await catalog.put_document(document_of(document_id, status=DocumentStatus.INDEXING))
    await catalog.write_chunks(document_id, stored_of(document_id, *texts, seed=seed))
    await catalog.put_document(document_of(document_id, chunks=len(texts)))


async def texts_of(catalog: CatalogStore) -> list[str]:
    return [chunk.text for chunk in (await catalog.read_chunks()).chunks]


async def test_a_catalog_that_was_never_written_is_empty_and_makes_no_files(
    vectors: VectorStore, catalog: CatalogStore, tmp_path: Path
) -> None:
    read = await catalog.read_chunks(vectors=True)
    assert (read.chunks, read.tokens) == ([], [])
    assert read.vectors is not None
    assert read.vectors.shape == (0, DIMENSION)
    assert await catalog.documents() == []
    assert await catalog.fetch(["d1-00000"]) == {}
    assert await catalog.nearest(unit_vectors(1)[0], 5) == []
    assert await catalog.search_text(["word"], 5) == []
    assert await catalog.versions() == (0, 0)
    assert await catalog.count_chunks() == 0
    assert await catalog.sweep() == 0
    await catalog.delete_documents(["d1"])
    await catalog.write_chunks("d1", [])
    await catalog.maintain()
    assert await vectors.check(ref_of()) is None
    assert list((tmp_path / "vectors").iterdir()) == []


async def test_what_was_written_comes_back(catalog: CatalogStore) -> None:
    stored = stored_of("d1", "red blue", "blue café ORA-00942 中文")
    document = replace(document_of("d1", chunks=2), uploader="U1", pages=3, message="fine")
    await catalog.put_document(document)
    await catalog.write_chunks("d1", stored)
    read = await catalog.read_chunks(vectors=True)
    assert read.chunks == [item.chunk for item in stored]
    assert read.tokens == [list(item.tokens) for item in stored]
    assert read.vectors is not None
    assert np.array_equal(read.vectors, np.stack([item.vector for item in stored]))
    assert await catalog.documents() == [document]
    assert await catalog.fetch(["d1-00001", "d9-00000"]) == {"d1-00001": stored[1].chunk}
    assert await catalog.count_chunks() == 2


async def test_vectors_are_only_read_when_asked_for(catalog: CatalogStore) -> None:
    await ingest(catalog, "d1", "one")
    assert (await catalog.read_chunks()).vectors is None


async def test_a_document_is_replaced_as_a_whole_and_others_stay(catalog: CatalogStore) -> None:
    await ingest(catalog, "d1", "one", "two", "three")
    await ingest(catalog, "d2", "other")
    await ingest(catalog, "d1", "uno", "due")
    assert await texts_of(catalog) == ["uno", "due", "other"]
    assert await catalog.count_chunks() == 3


async def test_writing_a_document_again_changes_nothing(catalog: CatalogStore) -> None:
    for _ in range(2):
        await ingest(catalog, "d1", "one", "two")
    assert await texts_of(catalog) == ["one", "two"]
    assert len(await catalog.documents()) == 1


async def test_writing_no_chunks_removes_those_that_were_there(catalog: CatalogStore) -> None:
    await ingest(catalog, "d1", "one")
    await ingest(catalog, "d1")
    assert await catalog.count_chunks() == 0


@pytest.mark.parametrize("document_id", ["d'1", 'd"; drop', "d\\1", "d--1"])
async def test_ids_are_values_and_never_part_of_a_query(catalog: CatalogStore, document_id: str) -> None:
    await ingest(catalog, document_id, "one", "two")
    await ingest(catalog, document_id, "one")
    await ingest(catalog, "other", "three")
    [(found, _)] = await catalog.nearest(unit_vectors(1)[0], 5, only=frozenset({document_id}))
    assert list(await catalog.fetch([found])) == [f"{document_id}-00000"]
    await catalog.delete_documents([document_id])
    assert await texts_of(catalog) == ["three"]


async def test_deleted_documents_are_gone_with_their_chunks(catalog: CatalogStore) -> None:
    for document_id in ("d1", "d2", "d3"):
        await ingest(catalog, document_id, "one", "two")
    await catalog.delete_documents(["d1", "d3", "unknown"])
    assert [document.document_id for document in await catalog.documents()] == ["d2"]
    assert await catalog.count_chunks() == 2
    assert await catalog.fetch(["d1-00000"]) == {}


async def test_a_deletion_that_matches_nothing_writes_nothing(catalog: CatalogStore) -> None:
    await ingest(catalog, "d1", "one")
    before = await catalog.versions()
    await catalog.delete_documents(["unknown"])
    assert await catalog.sweep() == 0
    assert await catalog.versions() == before


@pytest.mark.parametrize(
    "status", [DocumentStatus.QUEUED, DocumentStatus.INDEXING, DocumentStatus.FAILED, None]
)
async def test_only_a_ready_document_is_seen(catalog: CatalogStore, status: DocumentStatus | None) -> None:
    await ingest(catalog, "ready", "visible")
    await catalog.write_chunks("other", stored_of("other", "hidden"))
    if status is not None:
        await catalog.put_document(document_of("other", status=status))
    assert [chunk_id for chunk_id, _ in await catalog.nearest(unit_vectors(1)[0], 5)] == ["ready-00000"]
    assert await catalog.nearest(unit_vectors(1)[0], 5, only=frozenset({"other"})) == []
    assert await catalog.fetch(["other-00000"]) == {}
    assert await texts_of(catalog) == ["visible"]
    assert [chunk.text for chunk in (await catalog.read_chunks(["other"])).chunks] == ["hidden"]


async def test_a_sweep_removes_chunks_whose_document_is_unknown(catalog: CatalogStore) -> None:
    await ingest(catalog, "kept", "one")
    await catalog.put_document(document_of("started", status=DocumentStatus.INDEXING))
    await catalog.write_chunks("started", stored_of("started", "two"))
    await catalog.write_chunks("orphan", stored_of("orphan", "three", "four"))
    assert await catalog.sweep() == 2
    assert (await catalog.read_chunks(["orphan"])).chunks == []
    assert await catalog.count_chunks() == 2


async def test_a_ready_document_without_all_its_chunks_is_reported(
    vectors: VectorStore, catalog: CatalogStore
) -> None:
    await ingest(catalog, "whole", "one")
    await catalog.put_document(document_of("half", chunks=2))
    await catalog.write_chunks("half", stored_of("half", "one"))
    assert await catalog.incomplete() == ["half"]
    report = await vectors.check(ref_of())
    assert report is not None
    assert "lacks parts of 1 document" in report
    assert "footnote reindex --channel terminal:local:demo" in report


async def test_channels_and_generations_do_not_meet(vectors: VectorStore) -> None:
    refs = [
        ref_of(),
        ref_of(generation=2),
        ref_of(Scope("terminal", "local", "demo2")),
        ref_of(Scope("slack", "local", "demo")),
    ]
    for place, ref in enumerate(refs):
        await ingest(await vectors.catalog(ref), "d1", f"text {place}")
    for place, ref in enumerate(refs):
        catalog = await vectors.catalog(ref)
        assert await texts_of(catalog) == [f"text {place}"]
        assert len(await catalog.nearest(unit_vectors(1)[0], 10)) == 1


async def test_a_scope_in_other_letters_is_the_same_catalog(vectors: VectorStore) -> None:
    await ingest(await vectors.catalog(ref_of(Scope("slack", "T01", "C01"))), "d1", "one")
    assert await texts_of(await vectors.catalog(ref_of(Scope("slack", "t01", "c01")))) == ["one"]


async def test_another_process_sees_what_was_written(catalog: CatalogStore, tmp_path: Path) -> None:
    other = await VectorStore.connect(str(tmp_path / "vectors"))
    theirs = await other.catalog(ref_of())
    assert await theirs.documents() == []
    await ingest(catalog, "d1", "one")
    assert await texts_of(theirs) == ["one"]
    await ingest(catalog, "d2", "two")
    assert await texts_of(theirs) == ["one", "two"]
    await catalog.delete_documents(["d1"])
    assert await texts_of(theirs) == ["two"]
    assert await theirs.versions() == await catalog.versions()
    await other.close()


async def test_documents_are_read_once_per_version(catalog: CatalogStore) -> None:
    await ingest(catalog, "d1", "one")
    first, second = await catalog.documents(), await catalog.documents()
    assert first[0] is second[0]
    first.clear()
    assert len(await catalog.documents()) == 1
    await catalog.put_document(document_of("d1", chunks=1, revision=2))
    assert [document.revision for document in await catalog.documents()] == [2]


async def test_vectors_of_another_length_are_refused_in_a_clear_sentence(catalog: CatalogStore) -> None:
    with pytest.raises(
        EmbedderChanged, match=r"terminal:local:demo have 8 numbers, this one has 5.*fake:unit"
    ):
        await catalog.write_chunks("d1", stored_of("d1", "one", dimension=5))
    with pytest.raises(EmbedderChanged, match="8 numbers, this one has 5"):
        await catalog.nearest(unit_vectors(1, 5)[0], 3)
    assert issubclass(EmbedderChanged, CatalogError)
    assert await catalog.versions() == (0, 0)


async def test_chunks_that_do_not_belong_together_are_refused(catalog: CatalogStore) -> None:
    one = stored_of("d1", "one")
    with pytest.raises(CatalogError, match="another document"):
        await catalog.write_chunks("d2", one)
    with pytest.raises(CatalogError, match="same id"):
        await catalog.write_chunks("d1", one + one)


async def test_a_write_the_store_refuses_is_an_error_of_ours(catalog: CatalogStore) -> None:
    [item] = stored_of("d1", "one")
    with pytest.raises(CatalogError, match="could not be written"):
        await catalog.write_chunks("d1", [replace(item, vector=np.full(DIMENSION, np.nan, np.float32))])
    with pytest.raises(CatalogError, match="could not be written"):
        await catalog.write_chunks("d1", [replace(item, tokens=("\ud800",))])


async def test_a_dropped_catalog_leaves_no_files_and_is_not_written_again(
    vectors: VectorStore, catalog: CatalogStore, tmp_path: Path
) -> None:
    other = await VectorStore.connect(str(tmp_path / "vectors"))
    theirs = await other.catalog(ref_of())
    await ingest(catalog, "d1", "one")
    assert await texts_of(theirs) == ["one"]
    await vectors.drop(ref_of())
    await vectors.drop(ref_of())
    for held in (catalog, theirs):
        with pytest.raises(CatalogUnavailable):
            await held.documents()
        with pytest.raises(CatalogError):
            await held.put_document(document_of("d2"))
        with pytest.raises(CatalogError):
            await held.write_chunks("d2", stored_of("d2", "two"))
    assert list((tmp_path / "vectors").iterdir()) == []
    await other.close()


async def test_upkeep_compacts_a_ragged_table_and_loses_nothing(catalog: CatalogStore) -> None:
    names = [f"d{number:02}" for number in range(FRAGMENTS + 1)]
    for name in names:
        await catalog.write_chunks(name, stored_of(name, name))
        await catalog.put_document(document_of(name, chunks=1))
    before = await catalog.versions()
    await catalog.maintain()
    compacted = await catalog.versions()
    assert all(new > old for new, old in zip(compacted, before, strict=True))
    await catalog.maintain()
    assert await catalog.versions() == compacted
    assert await texts_of(catalog) == names


async def test_upkeep_of_two_processes_at_once_ends_well(tmp_path: Path) -> None:
    stores = [await VectorStore.connect(str(tmp_path), fts_min_rows=1) for _ in range(2)]
    ours, theirs = [await store.catalog(ref_of()) for store in stores]
    await ingest(ours, "d1", "one")
    await asyncio.gather(ours.maintain(), theirs.maintain(), ingest(ours, "d2", "two"))
    for catalog in (ours, theirs):
        assert await texts_of(catalog) == ["one", "two"]
        assert [chunk_id for chunk_id, _ in await catalog.search_text(["two"], 5)] == ["d2-00000"]
    for store in stores:
        await store.close()


async def test_many_queries_at_once_all_get_their_answer(catalog: CatalogStore) -> None:
    await ingest(catalog, "d1", *(f"text {number}" for number in range(20)))
    vectors = unit_vectors(30, seed=5)
    answers = await asyncio.gather(*(catalog.nearest(vector, 3) for vector in vectors))
    assert all(len(answer) == 3 for answer in answers)


async def test_the_store_keeps_a_bounded_number_of_catalogs_open(
    vectors: VectorStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.storage.vectors.OPEN_CATALOGS", 2)
    first = await vectors.catalog(ref_of(generation=1))
    assert await vectors.catalog(ref_of(generation=1)) is first
    await ingest(first, "d1", "one")
    await vectors.catalog(ref_of(generation=2))
    await vectors.catalog(ref_of(generation=3))
    again = await vectors.catalog(ref_of(generation=1))
    assert again is not first
    assert await texts_of(again) == await texts_of(first) == ["one"]


async def test_a_store_in_memory_works_the_same() -> None:
    store = await VectorStore.connect("memory://footnote", storage_options={})
    catalog = await store.catalog(ref_of())
    await ingest(catalog, "d1", "one")
    await catalog.maintain()
    assert await texts_of(catalog) == ["one"]
    await store.drop(ref_of())
    await store.close()


@pytest.mark.parametrize("name", ["db", "with space", "ü#1%20", "two/levels"])
async def test_any_directory_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.chdir(tmp_path)
    store = await VectorStore.connect(name)
    await ingest(await store.catalog(ref_of()), "d1", "one")
    assert (tmp_path / name / f"{DEMO.key}.g1.chunks.lance").is_dir()
    await store.close()
    again = await VectorStore.connect((tmp_path / name).as_uri())
    assert await texts_of(await again.catalog(ref_of())) == ["one"]
    await again.close()


async def test_a_path_that_cannot_be_used_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a directory")
    with pytest.raises(CatalogUnavailable, match="check its path"):
        await VectorStore.connect(str(tmp_path / "file"))


@pytest.mark.parametrize("uri", ["s3://bucket/path", "gs://bucket", "az://box/path", "memory://"])
def test_object_stores_have_no_directory(uri: str) -> None:
    assert local_directory(uri) is None
