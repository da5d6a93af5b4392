"""Texts to vectors in this process."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pipeline.generation.embedders import BULK_CHARACTERS, EmbeddedEmbedder, unit
from pipeline.generation.minilm import MAX_WINDOWS, WINDOW, MiniLM, _windows
from tests.fakes.models import hash_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from pipeline.generation.embedders import Encoder


class Encoding:
    """An encoder that can be held, and remembers the order of its texts."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.loads = 0
        self.threads: set[int] = set()
        self.go = threading.Event()
        self.go.set()
        self.hold: dict[str, threading.Event] = {}
        """Texts that begin so wait for their own event."""

    def load(self) -> Encoder:
        self.loads += 1
        return self.encode

    def encode(self, text: str) -> NDArray[np.float32]:
        self.go.wait(5)
        for beginning, event in self.hold.items():
            assert not text.startswith(beginning) or event.wait(5)
        self.texts.append(text)
        self.threads.add(threading.get_ident())
        return hash_words(text, 384)


async def settle() -> None:
    """Let tasks that were just begun get to the queue."""
    for _ in range(5):
        await asyncio.sleep(0)


async def test_the_model_is_loaded_once_on_first_use_and_off_the_loop() -> None:
    encoding = Encoding()
    embedder = EmbeddedEmbedder(threads=2, load=encoding.load)
    assert encoding.loads == 0

    await asyncio.gather(*(embedder.embed_query(str(number)) for number in range(4)))

    assert encoding.loads == 1
    assert threading.get_ident() not in encoding.threads
    assert embedder.name == "embedded:all-minilm-l6-v2-int8"
    assert embedder.dimension == 384


async def test_documents_keep_their_order() -> None:
    embedder = EmbeddedEmbedder(load=Encoding().load)
    vectors = await embedder.embed_documents(["one", "two", "three"])

    assert vectors.shape == (3, 384)
    assert vectors.dtype == np.float32
    assert np.array_equal(vectors[1], hash_words("two", 384))
    assert (await embedder.embed_documents([])).shape == (0, 384)


@pytest.mark.parametrize("threads", [1, 2])
async def test_the_sentences_of_an_answer_go_before_the_bulk_texts_that_wait(threads: int) -> None:
    encoding = Encoding()
    embedder = EmbeddedEmbedder(load=encoding.load, threads=threads)
    bulk = [f"bulk {number} " + "x" * (BULK_CHARACTERS // 10) for number in range(20)]
    encoding.go.clear()

    indexing = asyncio.create_task(embedder.embed_documents(bulk))
    await settle()
    sentences = asyncio.create_task(embedder.embed_documents(["a sentence", "another"]))
    await settle()
    encoding.go.set()
    await asyncio.gather(indexing, sentences)

    ahead = [text for text in encoding.texts[: threads + 2] if not text.startswith("bulk")]
    assert sorted(ahead) == ["a sentence", "another"]


async def test_two_long_files_take_turns() -> None:
    encoding = Encoding()
    embedder = EmbeddedEmbedder(load=encoding.load)
    text = "x" * (BULK_CHARACTERS // 5)
    files = [[f"{name}{number} {text}" for number in range(6)] for name in "ab"]
    encoding.go.clear()

    indexing = [asyncio.create_task(embedder.embed_documents(file)) for file in files]
    await settle()
    encoding.go.set()
    await asyncio.gather(*indexing)

    assert [text[0] for text in encoding.texts] == list("abababababab")


async def test_a_question_does_not_wait_for_the_bulk_texts_at_all() -> None:
    encoding = Encoding()
    embedder = EmbeddedEmbedder(load=encoding.load)
    held = threading.Event()
    encoding.hold = {"bulk": held}

    indexing = asyncio.create_task(embedder.embed_documents(["bulk " + "x" * BULK_CHARACTERS]))
    await settle()
    await embedder.embed_query("a question")
    held.set()
    await indexing

    assert encoding.texts[0] == "a question"


async def test_sentences_seen_a_moment_ago_are_not_encoded_again() -> None:
    encoding = Encoding()
    embedder = EmbeddedEmbedder(load=encoding.load)
    await embedder.embed_documents(["a sentence"])
    await embedder.embed_documents(["a sentence", "another"])

    assert encoding.texts == ["a sentence", "another"]


def test_rows_get_length_one_and_zeros_stay() -> None:
    scaled = unit(np.array([[3, 4], [0, 0]], dtype=np.float32))

    assert np.allclose(scaled, np.array([[0.6, 0.8], [0, 0]]))


@pytest.mark.parametrize("count", [0, 1, 253, 254, 255, 600, 5000])
def test_windows_hold_all_pieces_up_to_a_bound(count: int) -> None:
    windows = _windows(list(range(count)))

    assert all(len(window) <= WINDOW - 2 for window in windows)
    assert len(windows) <= MAX_WINDOWS
    joined = [piece for window in windows for piece in window]
    assert joined == list(range(min(count, MAX_WINDOWS * (WINDOW - 2))))


@pytest.fixture(scope="module")
def minilm() -> MiniLM:
    return MiniLM()


def test_the_real_model_knows_what_belongs_together(minilm: MiniLM) -> None:
    refund, same, other = (
        minilm(text)
        for text in (
            "How long does it take to get my money back?",
            "Refunds are paid within five working days.",
            "The cat sat on the mat.",
        )
    )

    assert refund.shape == (384,)
    assert refund.dtype == np.float32
    assert np.linalg.norm(refund) == pytest.approx(1, abs=1e-5)
    assert refund @ same > 0.4
    assert refund @ other < 0.2


def test_the_end_of_a_long_text_counts(minilm: MiniLM) -> None:
    filler = "The committee met and discussed the agenda of the following meeting. " * 40
    query = minilm("Who feeds the penguins?")
    without = float(minilm(filler) @ query)
    with_end = float(minilm(filler + "Penguins are fed by Anna, the keeper of the penguins. " * 8) @ query)

    assert with_end > without + 0.1


def test_a_text_of_nothing_has_a_vector_of_nothing(minilm: MiniLM) -> None:
    assert not minilm("").any()
