from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.retrieval import dense
from pipeline.retrieval.dense import MatrixIndex
from tests.fakes.stored import unit_vectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

DIMENSION = 8
VECTORS = {key: unit_vectors(3, DIMENSION, seed=number) for number, key in enumerate("abcdef")}
QUERY = unit_vectors(1, DIMENSION, seed=99)[0]


def added(*keys: str) -> dict[str, tuple[list[str], NDArray[np.float32]]]:
    return {key: ([f"{key}-{index}" for index in range(3)], VECTORS[key]) for key in keys}


def expected(keys: str) -> list[tuple[str, float]]:
    found = [(f"{key}-{index}", float(VECTORS[key][index] @ QUERY)) for key in keys for index in range(3)]
    return sorted(found, key=lambda hit: -hit[1])


async def test_it_finds_the_exact_nearest() -> None:
    index = MatrixIndex(DIMENSION).changed(added(*"abcd"))

    found = await index.search(QUERY, 5)

    assert [chunk_id for chunk_id, _ in found] == [chunk_id for chunk_id, _ in expected("abcd")[:5]]
    assert [cosine for _, cosine in found] == pytest.approx([cosine for _, cosine in expected("abcd")[:5]])


async def test_an_empty_index_finds_nothing() -> None:
    assert await MatrixIndex(DIMENSION).search(QUERY, 5) == []
    assert await MatrixIndex(DIMENSION).changed({}).cosines(QUERY, ["a-0"]) == {}


async def test_a_filter_is_kept_to() -> None:
    index = MatrixIndex(DIMENSION).changed(added(*"abcd"))

    found = await index.search(QUERY, 50, only=frozenset("bz"))

    assert [chunk_id for chunk_id, _ in found] == [chunk_id for chunk_id, _ in expected("b")]


async def test_equal_vectors_stand_in_the_order_of_their_ids_even_at_the_cut() -> None:
    same = np.repeat(QUERY[None], 4, axis=0)
    index = MatrixIndex(DIMENSION).changed({"a": (["a-3", "a-1", "a-2", "a-0"], same)})

    assert [chunk_id for chunk_id, _ in await index.search(QUERY, 2)] == ["a-0", "a-1"]


async def test_cosines_are_looked_up_for_living_chunks_only() -> None:
    index = MatrixIndex(DIMENSION).changed(added("a", "b")).changed({}, ["a"])

    assert await index.cosines(QUERY, ["a-0", "b-1", "z-0"]) == pytest.approx(
        {"b-1": dict(expected("b"))["b-1"]}
    )


async def test_a_large_matrix_is_searched_off_the_event_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    index = MatrixIndex(DIMENSION).changed(added(*"abc"))
    found = await index.search(QUERY, 5)
    monkeypatch.setattr(dense, "_THREAD_FROM", 1)

    assert await index.search(QUERY, 5) == found


change = st.tuples(
    st.sets(st.sampled_from("abcdef"), max_size=3), st.sets(st.sampled_from("abcdef"), max_size=3)
)


@given(st.lists(change, max_size=8))
async def test_any_course_of_changes_ends_in_the_index_built_anew(
    changes: list[tuple[set[str], set[str]]],
) -> None:
    index, keys = MatrixIndex(DIMENSION), set[str]()
    for new, removed in changes:
        index = index.changed(added(*sorted(new)), removed)
        keys = keys - removed | new

    found = await index.search(QUERY, 100)

    assert [chunk_id for chunk_id, _ in found] == [
        chunk_id for chunk_id, _ in expected("".join(sorted(keys)))
    ]


async def test_an_index_does_not_change_when_its_successor_does() -> None:
    before = MatrixIndex(DIMENSION).changed(added("a"))
    hits = await before.search(QUERY, 10)

    before.changed(added("b", "c"), ["a"])

    assert await before.search(QUERY, 10) == hits


def test_rows_that_died_are_noticed() -> None:
    index = MatrixIndex(2)
    few = np.ones((1100, 2), np.float32)
    full = index.changed({"a": ([f"a-{number}" for number in range(1100)], few)})

    assert not full.slots.wasteful
    assert full.changed({}, ["a"]).slots.wasteful
