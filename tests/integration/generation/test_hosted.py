"""OpenAI-compatible and Anthropic chat models, through LangChain, against servers on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.errors import ModelNotFound, ModelUnavailable
from pipeline.generation.choice import ModelChoice
from pipeline.generation.limiter import Limiters
from pipeline.generation.providers import choose_llm
from pipeline.generation.response import build_response
from pipeline.ingestion.tokens import analyze
from tests.fakes.hosted import FakeHosted
from tests.fakes.models import ScriptedEmbedder

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pipeline.ports import Reader, Reading

CHUNK = Chunk(
    chunk_id="d-1",
    document_id="d",
    display_name="policy.pdf",
    source="",
    chunk_index=0,
    text="Refunds take five days.",
    place=Place(),
)


@pytest.fixture
async def hosted() -> AsyncIterator[FakeHosted]:
    async with FakeHosted() as server:
        yield server


async def reader_of(hosted: FakeHosted, provider: Any) -> Reader:
    url = hosted.url + ("/v1" if provider == "openai" else "")
    choice = ModelChoice(
        provider=provider, model="small-model", base_url=url, api_key="the-key", num_predict=300
    )
    llm = await choose_llm(choice, embedder=ScriptedEmbedder(), analyze=analyze, limiters=Limiters())
    return llm.reader


def read(reader: Reader) -> Reading:
    return reader.read("How long?", [CitedSource(label="1", chunk=CHUNK)], "", waiting=lambda _: None)


PROVIDERS = pytest.mark.parametrize("provider", ["openai", "anthropic"])


@PROVIDERS
async def test_an_answer_streams_with_usage_and_reason(hosted: FakeHosted, provider: str) -> None:
    reading = read(await reader_of(hosted, provider))

    assert "".join([piece async for piece in reading]) == "Refunds take five days [1]."
    response = build_response(reading.message, ())
    assert response.answer == "Refunds take five days [1]."
    assert response.finish_reason == "stop"
    assert response.token_usage is not None
    assert (response.token_usage.input, response.token_usage.output) == (300, 7)


@PROVIDERS
async def test_a_limit_and_the_key_are_sent_but_no_sampling_parameters(
    hosted: FakeHosted, provider: str
) -> None:
    async for _ in read(await reader_of(hosted, provider)):
        pass

    _, body, headers = hosted.requests[-1]
    assert body["max_tokens"] == 300
    assert body["model"] == "small-model"
    assert not {"temperature", "top_p", "top_k", "seed"} & set(body)
    assert "the-key" in headers.get("Authorization", "") + headers.get("x-api-key", "")


@PROVIDERS
async def test_a_stream_that_breaks_off_is_unavailable(hosted: FakeHosted, provider: str) -> None:
    hosted.finishes = False

    with pytest.raises(ModelUnavailable):
        async for _ in read(await reader_of(hosted, provider)):
            pass


@PROVIDERS
async def test_a_missing_model_is_not_found(hosted: FakeHosted, provider: str) -> None:
    reader = await reader_of(hosted, provider)
    hosted.status = 404

    with pytest.raises(ModelNotFound):
        async for _ in read(reader):
            pass


@PROVIDERS
async def test_a_server_that_is_down_is_unavailable(hosted: FakeHosted, provider: str) -> None:
    hosted.status = 400
    reader = await reader_of(hosted, provider)

    with pytest.raises(ModelUnavailable):
        async for _ in read(reader):
            pass


async def test_reasoning_in_a_field_of_its_own_is_left_out(hosted: FakeHosted) -> None:
    hosted.reasoning = "The user wants to know."
    reading = read(await reader_of(hosted, "openai"))

    assert "".join([piece async for piece in reading]) == "Refunds take five days [1]."


async def test_a_cut_answer_says_so(hosted: FakeHosted) -> None:
    hosted.finish_reason = "length"
    reading = read(await reader_of(hosted, "openai"))
    async for _ in reading:
        pass

    assert build_response(reading.message, ()).finish_reason == "length"
