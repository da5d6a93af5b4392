"""A language model while there is one, and without it meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pipeline.errors import ModelNotFound, ModelTimeout, ModelUnavailable
from pipeline.generation.fallback import FallbackReader, FallbackSummarizer
from pipeline.generation.response import build_response
from pipeline.observability.trace import collect
from tests.fakes.models import Reply, ScriptedReader, ScriptedSummarizer

if TYPE_CHECKING:
    from pipeline.errors import ModelError
    from pipeline.ports import Reader, Reading


def reader(model: Reader | None) -> FallbackReader:
    return FallbackReader(lambda: model, ScriptedReader("Quoted [1].", name="extractive", source_budget=10))


def read(with_: FallbackReader) -> Reading:
    return with_.read("How long?", (), "", waiting=lambda _: None)


async def text_of(reading: Reading) -> str:
    return "".join([piece async for piece in reading])


async def test_the_model_answers_while_it_is_there() -> None:
    both = reader(ScriptedReader("Worded [1].", name="ollama:x", source_budget=99))
    reading = read(both)

    assert await text_of(reading) == "Worded [1]."
    assert build_response(reading.message, ()).answer == "Worded [1]."
    assert (both.name, both.source_budget) == ("ollama:x", 99)


async def test_without_a_model_sentences_are_quoted() -> None:
    alone = reader(None)

    assert await text_of(read(alone)) == "Quoted [1]."
    assert (alone.name, alone.source_budget) == ("extractive", 10)


@pytest.mark.parametrize("error", [ModelUnavailable(), ModelTimeout(), ModelNotFound()])
async def test_a_model_that_fails_before_its_first_text_is_stood_in_for_and_it_is_traced(
    error: ModelError,
) -> None:
    reading = read(reader(ScriptedReader(Reply(error=error))))
    with collect() as events:
        text = await text_of(reading)

    assert text == "Quoted [1]."
    assert build_response(reading.message, ()).answer == "Quoted [1]."
    assert {"event": "generation.fell_back", "error": type(error).__name__} in events


async def test_a_model_that_fails_in_the_middle_has_failed() -> None:
    reading = read(reader(ScriptedReader(Reply(pieces=["Half an "], error=ModelUnavailable()))))

    with pytest.raises(ModelUnavailable):
        await text_of(reading)


async def test_a_model_that_says_nothing_is_not_stood_in_for() -> None:
    assert await text_of(read(reader(ScriptedReader(Reply())))) == ""


async def test_the_memory_goes_on_without_the_model() -> None:
    plain = ScriptedSummarizer("They asked about refunds.")
    failing = ScriptedSummarizer(error=ModelUnavailable())

    for model in (None, failing):
        both = FallbackSummarizer(lambda model=model: model, plain)  # type: ignore[misc]  # bound now, not later
        assert (await both.summarize("", "How long?", "Five days."))[0] == "They asked about refunds."
    assert len(plain.calls) == 2
