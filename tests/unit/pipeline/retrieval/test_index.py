from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import DocumentStatus, Scope
from pipeline.retrieval import index as module
from pipeline.retrieval.dense import LanceVectors
from pipeline.retrieval.index import Indexes
from pipeline.retrieval.sparse import Covered, LanceIndex
from tests.fakes.shelf import Shelf
from tests.fakes.stored import ref_of, stored_of, unit_vectors

if TYPE_CHECKING:
    from pipeline.retrieval.index import Snapshot


@pytest.fixture
def shelf() -> Shelf:
    made = Shelf()
    made.put("d1", stored_of("d1", "refunds take days", "refunds need receipts"))
    made.put("d2", stored_of("d2", "pumps stop"))
    return made


@pytest.fixture
def indexes() -> Indexes:
    return Indexes(analyze=str.split)


async def words(snapshot: Snapshot, *tokens: str) -> list[str]:
    return [chunk_id for chunk_id, _ in await snapshot.sparse.search(tokens, 10)]


async def near(snapshot: Snapshot) -> list[str]:
    return [chunk_id for chunk_id, _ in await snapshot.dense.search(unit_vectors(1)[0], 10)]


async def test_both_arms_and_the_texts_hold_the_ready_documents(shelf: Shelf, indexes: Indexes) -> None:
    snapshot = await indexes.snapshot(shelf)

    assert snapshot.ready == {"d1", "d2"}
    assert sorted(await words(snapshot, "refunds", "pumps")) == ["d1-00000", "d1-00001", "d2-00000"]
    assert sorted(await near(snapshot)) == ["d1-00000", "d1-00001", "d2-00000"]
    fetched = await snapshot.fetch(["d2-00000", "gone"])
    assert {chunk_id: chunk.text for chunk_id, chunk in fetched.items()} == {"d2-00000": "pumps stop"}


@pytest.mark.parametrize("status", [DocumentStatus.INDEXING, DocumentStatus.FAILED, DocumentStatus.QUEUED])
async def test_a_document_that_is_not_ready_is_not_seen(
    shelf: Shelf, indexes: Indexes, status: DocumentStatus
) -> None:
    shelf.put("d3", stored_of("d3", "refunds unseen"), status=status)

    snapshot = await indexes.snapshot(shelf)

    assert "d3" not in snapshot.ready
    assert await words(snapshot, "unseen") == []
    assert "d3-00000" not in await near(snapshot)


async def test_what_did_not_change_is_not_read_again(shelf: Shelf, indexes: Indexes) -> None:
    await indexes.snapshot(shelf)
    shelf.reads.clear()
    shelf.put("d3", stored_of("d3", "valves stop"))

    snapshot = await indexes.snapshot(shelf)
    await indexes.snapshot(shelf)

    assert shelf.reads == ["d3"]
    assert sorted(await words(snapshot, "stop")) == ["d2-00000", "d3-00000"]


async def test_a_deleted_document_is_gone_at_the_next_question(shelf: Shelf, indexes: Indexes) -> None:
    before = await indexes.snapshot(shelf)
    shelf.delete("d1")

    after = await indexes.snapshot(shelf)

    assert await words(after, "refunds") == []
    assert await near(after) == ["d2-00000"]
    assert not await after.fetch(["d1-00000"])
    assert await words(before, "receipts") == ["d1-00001"]


async def test_a_document_written_anew_is_read_anew(shelf: Shelf, indexes: Indexes) -> None:
    await indexes.snapshot(shelf)
    shelf.put("d1", stored_of("d1", "refunds abolished"), revision=1)

    snapshot = await indexes.snapshot(shelf)

    assert await words(snapshot, "abolished") == ["d1-00000"]
    assert await words(snapshot, "receipts") == []
    assert sorted(await near(snapshot)) == ["d1-00000", "d2-00000"]


async def test_first_questions_at_once_build_the_index_once(shelf: Shelf, indexes: Indexes) -> None:
    found = await asyncio.gather(*(indexes.snapshot(shelf) for _ in range(5)))

    assert shelf.reads == ["d1", "d2"]
    assert all(snapshot is found[0] for snapshot in found)


async def test_a_question_given_up_leaves_the_building_to_the_next(
    shelf: Shelf, indexes: Indexes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_BATCH", 1)
    first = asyncio.create_task(indexes.snapshot(shelf))
    await shelf.being_read.wait()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)

    snapshot = await indexes.snapshot(shelf)

    assert sorted(await words(snapshot, "refunds", "pumps")) == ["d1-00000", "d1-00001", "d2-00000"]


async def test_an_empty_channel_has_an_empty_index(indexes: Indexes) -> None:
    snapshot = await indexes.snapshot(Shelf())

    assert snapshot.ready == frozenset()
    assert await words(snapshot, "refunds") == []
    assert await near(snapshot) == []


async def test_a_large_channel_is_searched_in_its_store(shelf: Shelf) -> None:
    shelf.text_index = True
    indexes = Indexes(analyze=str.split, max_chunks=2)

    snapshot = await indexes.snapshot(shelf)

    assert isinstance(snapshot.sparse, LanceIndex)
    assert isinstance(snapshot.dense, LanceVectors)
    assert shelf.reads == []
    assert await words(snapshot, "pumps") == ["d2-00000"]
    assert len(await near(snapshot)) == 3
    assert await snapshot.sparse.coverage(["pumps", "refunds"], ["d2-00000"]) == [
        Covered(share=0.5, weight=0.5, missing=1)
    ]
    [named] = await snapshot.sparse.coverage(["pumps", "porto"], ["d2-00000"], frozenset({"porto"}))
    assert named.unnamed == 0.5
    assert await snapshot.dense.cosines(unit_vectors(1)[0], ["d2-00000"]) == {}
    assert (await snapshot.fetch(["d2-00000"]))["d2-00000"].text == "pumps stop"


async def test_a_large_channel_without_a_text_index_stays_in_memory(shelf: Shelf) -> None:
    snapshot = await Indexes(analyze=str.split, max_chunks=2).snapshot(shelf)

    assert not isinstance(snapshot.sparse, LanceIndex)
    assert await words(snapshot, "pumps") == ["d2-00000"]


async def test_the_channel_asked_longest_ago_is_given_up(shelf: Shelf) -> None:
    other = Shelf(ref_of(Scope("terminal", "local", "other")))
    other.put("d9", stored_of("d9", "valves"))
    indexes = Indexes(analyze=str.split, max_bytes=1)
    await indexes.snapshot(shelf)
    await indexes.snapshot(other)
    await indexes.snapshot(other)
    assert other.reads == ["d9"]

    await indexes.snapshot(shelf)

    assert shelf.reads == ["d1", "d2", "d1", "d2"]


async def test_channels_that_fit_stay_in_memory(shelf: Shelf, indexes: Indexes) -> None:
    other = Shelf(ref_of(Scope("terminal", "local", "other")))
    for _ in range(3):
        await indexes.snapshot(shelf)
        await indexes.snapshot(other)

    assert shelf.reads == ["d1", "d2"]


async def test_another_generation_takes_the_place_of_the_one_before(shelf: Shelf, indexes: Indexes) -> None:
    await indexes.snapshot(shelf)
    rebuilt = Shelf(replace(shelf.ref, generation=2, dimension=4))
    rebuilt.put("d1", stored_of("d1", "refunds rebuilt", dimension=4))

    snapshot = await indexes.snapshot(rebuilt)

    assert await words(snapshot, "rebuilt") == ["d1-00000"]
    assert snapshot.ready == {"d1"}


async def test_an_index_of_mostly_dead_rows_is_built_anew(indexes: Indexes) -> None:
    shelf = Shelf()
    shelf.put("big", stored_of("big", *(["pumps stop"] * 1100)))
    shelf.put("d1", stored_of("d1", "refunds"))
    await indexes.snapshot(shelf)
    shelf.delete("big")
    shelf.reads.clear()

    snapshot = await indexes.snapshot(shelf)

    assert shelf.reads == ["d1"]
    assert await words(snapshot, "refunds", "pumps") == ["d1-00000"]
