from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pipeline.evaluation.vectors import KeptEmbedder
from tests.fakes.embedding import WordEmbedder

if TYPE_CHECKING:
    from pathlib import Path


def silent(done: int, total: int, what: str) -> None:
    pass


def kept(folder: Path, inner: WordEmbedder) -> KeptEmbedder:
    return KeptEmbedder(inner, folder, silent)


async def test_a_second_run_asks_for_nothing_again(tmp_path: Path) -> None:
    first = await kept(tmp_path, WordEmbedder()).embed_documents(["a b", "c", "a b"])
    inner = WordEmbedder()

    second = await kept(tmp_path, inner).embed_documents(["c", "a b"])

    assert inner.asked == []
    assert np.array_equal(second, first[[1, 0]])


async def test_only_new_texts_are_embedded(tmp_path: Path) -> None:
    inner = WordEmbedder()
    embedder = kept(tmp_path, inner)
    await embedder.embed_documents(["a", "b"])

    await embedder.embed_documents(["b", "c"])

    assert inner.asked == ["a", "b", "c"]


async def test_a_query_is_kept_apart_from_the_same_text_as_a_document(tmp_path: Path) -> None:
    inner = WordEmbedder()
    embedder = kept(tmp_path, inner)
    await embedder.embed_documents(["a"])

    vector = await embedder.embed_query("a")
    await kept(tmp_path, inner).embed_query("a")

    assert inner.asked == ["a", "a"]
    assert vector.shape == (64,)


async def test_another_embedder_has_its_own_vectors(tmp_path: Path) -> None:
    await kept(tmp_path, WordEmbedder()).embed_documents(["a"])
    other = WordEmbedder(name="other:words", dimension=8)

    vectors = await kept(tmp_path, other).embed_documents(["a"])

    assert vectors.shape == (1, 8)
    assert other.asked == ["a"]


async def test_a_run_that_was_broken_off_in_writing_does_no_harm(tmp_path: Path) -> None:
    await kept(tmp_path, WordEmbedder()).embed_documents(["a", "b"])
    [path] = tmp_path.glob("*.vectors")
    path.write_bytes(path.read_bytes()[:-5])
    inner = WordEmbedder()

    vectors = await kept(tmp_path, inner).embed_documents(["a", "b"])
    again = await kept(tmp_path, WordEmbedder()).embed_documents(["a", "b"])

    assert inner.asked == ["b"]
    assert np.array_equal(vectors, again)


async def test_two_runs_at_the_same_time_keep_what_each_of_them_made(tmp_path: Path) -> None:
    one, other = kept(tmp_path, WordEmbedder()), kept(tmp_path, WordEmbedder())
    await one.embed_documents(["a"])
    await other.embed_documents(["b"])
    await one.embed_documents(["c"])
    inner = WordEmbedder()

    vectors = await kept(tmp_path, inner).embed_documents(["a", "b", "c"])

    assert inner.asked == []
    assert np.array_equal(vectors, await WordEmbedder().embed_documents(["a", "b", "c"]))


async def test_no_texts_are_no_vectors(tmp_path: Path) -> None:
    assert (await kept(tmp_path, WordEmbedder()).embed_documents([])).shape == (0, 64)


async def test_the_progress_tells_how_many_are_left(tmp_path: Path) -> None:
    told: list[tuple[int, int, str]] = []
    embedder = KeptEmbedder(WordEmbedder(), tmp_path, lambda *facts: told.append(facts))

    await embedder.embed_documents([f"text {number}" for number in range(70)])

    assert told == [(0, 70, "embedding"), (32, 70, "embedding"), (64, 70, "embedding")]
