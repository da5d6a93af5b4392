from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import DocumentStatus
from pipeline.errors import CatalogUnavailable
from pipeline.storage.vectors import CatalogStore, VectorStore
from tests.fakes.stored import document_of, ref_of, stored_of, unit_vectors

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

TEARS = [
    pytest.param(lambda _: b"", id="empty"),
    pytest.param(lambda data: data[: len(data) // 2], id="half"),
    pytest.param(lambda data: bytes(len(data)), id="zeros"),
]


@pytest.fixture
async def vectors(tmp_path: Path) -> AsyncIterator[VectorStore]:
    store = await VectorStore.connect(str(tmp_path))
    yield store
    await store.close()


@pytest.fixture
async def catalog(vectors: VectorStore) -> CatalogStore:
    """A catalog with two documents."""
    catalog = await vectors.catalog(ref_of())
    await ingest(catalog, "d1")
    await ingest(catalog, "d2")
    return catalog


async def ingest(catalog: CatalogStore, document_id: str) -> None:
    await catalog.write_chunks(document_id, stored_of(document_id, "one", "two"))
    await catalog.put_document(document_of(document_id, chunks=2))


def manifests_of(root: Path, table: str) -> list[Path]:
    """Newest first."""
    return sorted((root / f"{ref_of().name}.{table}.lance" / "_versions").glob("*.manifest"))


def below(directory: Path, pattern: str = "*") -> list[Path]:
    return sorted(directory.rglob(pattern))


async def ids_of(catalog: CatalogStore) -> list[str]:
    return [document.document_id for document in await catalog.documents()]


@pytest.mark.parametrize("tear", TEARS)
@pytest.mark.parametrize("table", ["documents", "chunks"])
async def test_a_torn_newest_version_is_set_aside_and_the_one_before_it_used(
    catalog: CatalogStore,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    table: str,
    tear: Callable[[bytes], bytes],
) -> None:
    newest = manifests_of(tmp_path, table)[0]
    newest.write_bytes(tear(newest.read_bytes()))
    store = await VectorStore.connect(str(tmp_path))
    healed = await store.catalog(ref_of())
    assert healed.healed
    assert "torn" in caplog.text
    assert below(tmp_path, "_quarantine/*.manifest") == [newest.parent.parent / "_quarantine" / newest.name]
    assert await ids_of(healed) == (["d1"] if table == "documents" else ["d1", "d2"])
    assert [chunk.document_id for chunk in (await healed.read_chunks()).chunks] == ["d1", "d1"]
    report = await store.check(ref_of())
    assert report is not None
    assert "lost its latest writes; run 'footnote reindex --channel terminal:local:demo'" in report
    await healed.sweep()
    await ingest(healed, "d2")
    await healed.maintain()
    assert await ids_of(healed) == ["d1", "d2"]
    assert await healed.incomplete() == []
    await store.close()


async def test_that_writes_were_lost_is_known_to_every_later_process_until_the_catalog_is_dropped(
    catalog: CatalogStore, tmp_path: Path
) -> None:
    manifests_of(tmp_path, "chunks")[0].write_bytes(b"")
    for _ in range(2):
        store = await VectorStore.connect(str(tmp_path))
        assert "lost its latest writes" in str(await store.check(ref_of()))
        assert (await store.catalog(ref_of())).healed
        await store.close()
    store = await VectorStore.connect(str(tmp_path))
    await store.drop(ref_of())
    assert await store.check(ref_of()) is None
    await store.close()


async def test_a_whole_catalog_is_not_called_healed(vectors: VectorStore, catalog: CatalogStore) -> None:
    assert not catalog.healed
    assert await vectors.check(ref_of()) is None


async def test_a_catalog_without_a_whole_version_is_unavailable_and_not_empty(
    catalog: CatalogStore, tmp_path: Path
) -> None:
    for manifest in manifests_of(tmp_path, "documents"):
        manifest.write_bytes(bytes(manifest.stat().st_size))
    store = await VectorStore.connect(str(tmp_path))
    with pytest.raises(CatalogUnavailable, match="footnote reindex --channel terminal:local:demo"):
        await store.catalog(ref_of())
    assert "no version that can be read" in str(await store.check(ref_of()))
    await store.drop(ref_of())
    assert below(tmp_path) == []
    await store.close()


async def test_a_lost_data_file_makes_the_catalog_unavailable(
    vectors: VectorStore, catalog: CatalogStore, tmp_path: Path
) -> None:
    for file in below(tmp_path, "*.chunks.lance/data/*"):
        file.write_bytes(b"")
    store = await VectorStore.connect(str(tmp_path))
    damaged = await store.catalog(ref_of())
    for call in (damaged.read_chunks(), damaged.nearest(unit_vectors(1)[0], 3), damaged.fetch(["d1-00000"])):
        with pytest.raises(CatalogUnavailable, match="cannot be read") as caught:
            await call
        assert caught.value.__cause__ is not None
    assert "cannot be read" in str(await store.check(ref_of()))
    assert await ids_of(damaged) == ["d1", "d2"]
    await store.close()


async def test_an_open_catalog_is_looked_at_afresh_after_a_failure(
    catalog: CatalogStore, tmp_path: Path
) -> None:
    manifests_of(tmp_path, "documents")[0].write_bytes(b"")
    with pytest.raises(CatalogUnavailable):
        await catalog.documents()
    assert await ids_of(catalog) == ["d1"]
    assert catalog.healed


@pytest.mark.parametrize("leftover", ["data/1.lance", "_transactions/0-1.txn", "_versions/.tmp"])
async def test_a_table_whose_creation_was_interrupted_is_created_again(
    vectors: VectorStore, tmp_path: Path, leftover: str
) -> None:
    for table in ("documents", "chunks"):
        file = tmp_path / f"{ref_of().name}.{table}.lance" / leftover
        file.parent.mkdir(parents=True)
        file.write_bytes(b"")
    catalog = await vectors.catalog(ref_of())
    assert await ids_of(catalog) == []
    assert (await catalog.read_chunks()).chunks == []
    assert await catalog.nearest(unit_vectors(1)[0], 3) == []
    await ingest(catalog, "d1")
    assert await ids_of(catalog) == ["d1"]
    assert len((await catalog.read_chunks()).chunks) == 2
    assert not catalog.healed


async def test_a_deletion_that_was_interrupted_shows_nothing_of_the_document(
    vectors: VectorStore, catalog: CatalogStore, tmp_path: Path
) -> None:
    await catalog.put_document(document_of("d2", status=DocumentStatus.FAILED))
    await catalog.delete_documents(["d1"])
    # as if the process had ended between the two tables
    newest = manifests_of(tmp_path, "chunks")[0]
    newest.unlink()
    store = await VectorStore.connect(str(tmp_path))
    reopened = await store.catalog(ref_of())
    assert await reopened.count_chunks() == 4
    assert (await reopened.read_chunks()).chunks == []
    assert await reopened.nearest(unit_vectors(1)[0], 5) == []
    assert await reopened.fetch(["d1-00000", "d2-00000"]) == {}
    assert await reopened.sweep() == 2
    assert await reopened.count_chunks() == 2
    await store.close()


async def test_upkeep_has_every_file_written_to_the_disk(
    catalog: CatalogStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.add(os.fstat(descriptor).st_ino))
    await catalog.maintain()
    assert flushed >= {path.stat().st_ino for path in below(tmp_path)}
    flushed.clear()
    await catalog.maintain()
    assert flushed == set()


async def test_a_flush_writes_every_file_to_the_disk_and_changes_none(
    catalog: CatalogStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: set[int] = set()
    monkeypatch.setattr(os, "fsync", lambda descriptor: flushed.add(os.fstat(descriptor).st_ino))
    before = await catalog.versions()
    await catalog.flush()
    assert flushed >= {path.stat().st_ino for path in below(tmp_path)}
    assert await catalog.versions() == before
