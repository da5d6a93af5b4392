from __future__ import annotations

import numpy as np
import pytest

from pipeline.benchmark.scripted import ANSWER, KnownVectors, ScriptedReader
from pipeline.generation.response import build_response
from pipeline.streaming import FLUSH_FLOOR, Sanitizer


async def test_the_answer_comes_in_pieces_and_whole() -> None:
    reading = ScriptedReader().read("?", [], "", waiting=lambda place: None)

    assert [piece async for piece in reading] == list(ANSWER)
    assert build_response(reading.message, []).answer == "".join(ANSWER)


async def test_the_time_that_the_model_took_is_known_for_each_answer() -> None:
    ticks = iter([1.0, 1.5, 7.0, 7.25])
    reader = ScriptedReader(clock=lambda: next(ticks))
    for _ in range(2):
        [_ async for _ in reader.read("?", [], "", waiting=lambda place: None)]

    assert reader.waited == [0.5, 0.25]


def test_the_first_piece_is_long_enough_to_be_shown_at_once() -> None:
    assert len(ANSWER[0]) >= FLUSH_FLOOR
    assert Sanitizer(labels=frozenset("12")).feed(ANSWER[0])


async def test_an_embedder_that_knows_everything_embeds_nothing() -> None:
    vector = np.full(4, 0.5, np.float32)
    known = KnownVectors("some:model", {"question": vector})

    assert (known.name, known.dimension) == ("some:model", 4)
    assert await known.embed_query("question") is vector
    assert (await known.embed_documents(["question"])).shape == (1, 4)
    with pytest.raises(KeyError):
        await known.embed_query("another")
