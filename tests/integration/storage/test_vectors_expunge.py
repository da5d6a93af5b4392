from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import lancedb
import pytest

from pipeline.storage.vectors import CatalogStore, VectorStore
from tests.fakes.stored import document_of, ref_of, stored_of, unit_vectors

if TYPE_CHECKING:
    from pathlib import Path

NEVER = 10**9
SECRET = "zebrafish-4711"
DOCUMENTS, CHUNKS = 30, 20


async def filled(root: Path, *, fts_min_rows: int = NEVER, ann_min_rows: int = NEVER) -> CatalogStore:
    """A tidy catalog in which one document of many says something that no other says."""
    store = await VectorStore.connect(str(root), fts_min_rows=fts_min_rows, ann_min_rows=ann_min_rows)
    catalog = await store.catalog(ref_of())
    for number in range(DOCUMENTS):
        document_id = "secret" if number == 7 else f"d{number:02}"
        word = SECRET if number == 7 else "giraffe"
        await catalog.write_chunks(
            document_id, stored_of(document_id, *[f"a {word} {n}" for n in range(CHUNKS)])
        )
        await catalog.put_document(document_of(document_id, chunks=CHUNKS))
    await catalog.maintain()
    return catalog


def files_with(root: Path, word: str) -> list[str]:
    return [path.name for path in root.rglob("*") if path.is_file() and word.encode() in path.read_bytes()]


@pytest.mark.parametrize(
    ("fts_min_rows", "ann_min_rows"), [(NEVER, NEVER), (1, NEVER), (NEVER, 300), (1, 300)]
)
async def test_what_was_deleted_and_expunged_is_in_no_file_any_more(
    tmp_path: Path, fts_min_rows: int, ann_min_rows: int
) -> None:
    catalog = await filled(tmp_path, fts_min_rows=fts_min_rows, ann_min_rows=ann_min_rows)
    assert files_with(tmp_path, SECRET)
    await catalog.delete_documents(["secret"])

    await catalog.expunge()

    assert files_with(tmp_path, SECRET) == []
    assert files_with(tmp_path, "secret.md") == []
    assert await catalog.incomplete() == []
    assert await catalog.count_chunks() == (DOCUMENTS - 1) * CHUNKS
    assert len(await catalog.nearest(unit_vectors(1)[0], 5)) == 5
    assert await catalog.has_text_index() == (fts_min_rows == 1)
    if fts_min_rows == 1:
        assert await catalog.search_text([SECRET], 5) == []
        assert len(await catalog.search_text(["giraffe"], 5)) == 5


async def test_a_catalog_of_which_everything_was_deleted_is_empty_on_the_disk_too(tmp_path: Path) -> None:
    catalog = await filled(tmp_path)
    await catalog.delete_documents([each.document_id for each in await catalog.documents()])

    await catalog.expunge()

    assert files_with(tmp_path, SECRET) == files_with(tmp_path, "giraffe") == []
    assert await catalog.count_chunks() == 0


async def test_expunging_what_was_never_written_is_fine(tmp_path: Path) -> None:
    store = await VectorStore.connect(str(tmp_path))
    await (await store.catalog(ref_of())).expunge()
    assert list(tmp_path.iterdir()) == []


async def test_questions_of_another_process_go_on_while_something_is_expunged(tmp_path: Path) -> None:
    catalog = await filled(tmp_path)
    reader = await (await VectorStore.connect(str(tmp_path))).catalog(ref_of())
    stop = asyncio.Event()
    found: list[int] = []

    async def ask() -> None:
        while not stop.is_set():
            found.append(len(await reader.nearest(unit_vectors(1)[0], 5)))
            found.append(len((await reader.read_chunks(["d01"])).chunks) - CHUNKS + 5)

    asking = asyncio.create_task(ask())
    for document in (await catalog.documents())[10:16]:
        await catalog.delete_documents([document.document_id])
        await catalog.expunge()
    stop.set()
    await asking
    assert set(found) == {5}


async def test_a_query_whose_version_was_pruned_under_it_is_repeated_with_the_latest(tmp_path: Path) -> None:
    catalog = await filled(tmp_path)
    # a handle that does not look for newer versions is where a running query is
    stale = await (await lancedb.connect_async(str(tmp_path))).open_table(f"{ref_of().name}.chunks")
    await catalog.delete_documents(["secret"])
    await catalog.expunge()
    with pytest.raises(RuntimeError, match="Not found"):
        await stale.query().to_list()
    catalog._chunks._table = stale

    read = await catalog.read_chunks()

    assert len(read.chunks) == (DOCUMENTS - 1) * CHUNKS
