"""From a choice to a reader and an embedder, with servers on this machine that are there or are not."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.errors import ModelMisconfigured, ModelNotFound, ModelUnavailable
from pipeline.generation.choice import ModelChoice
from pipeline.generation.embedders import BULK_CHARACTERS, EmbeddedEmbedder, ServedEmbedder
from pipeline.generation.extractive import EXTRACTIVE
from pipeline.generation.inspection import inspect
from pipeline.generation.limiter import Limiters, Priority
from pipeline.generation.lookout import EVERY_S
from pipeline.generation.providers import Llm, choose_embedder, choose_llm, recall_embedder
from pipeline.generation.response import build_response
from pipeline.ingestion.tokens import analyze
from tests.fakes.clock import FakeClock
from tests.fakes.hosted import FakeHosted
from tests.fakes.models import ScriptedEmbedder
from tests.fakes.ollama import Answer, FakeOllama
from tests.fakes.waiting import eventually

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

    from pipeline.ports import Embedder

NOBODY = "http://127.0.0.1:9"
"""The discard port: nobody listens."""


@pytest.fixture
async def ollama() -> AsyncIterator[FakeOllama]:
    async with FakeOllama() as server:
        yield server


async def choose(*, clock: Callable[[], float] = time.monotonic, **values: Any) -> Llm:
    return await choose_llm(
        ModelChoice(**values), embedder=ScriptedEmbedder(), analyze=analyze, limiters=Limiters(), clock=clock
    )


async def answer(llm: Llm) -> tuple[str, tuple[str, ...]]:
    """Return what is answered from one source, and what it had to do without."""
    chunk = Chunk(
        chunk_id="d-1",
        document_id="d",
        display_name="policy.pdf",
        source="",
        chunk_index=0,
        text="Refunds take five days.",
        place=Place(),
    )
    sources = [CitedSource(label="1", chunk=chunk)]
    reading = llm.reader.read("How long do refunds take?", sources, "", waiting=lambda _: None)
    text = "".join([piece async for piece in reading])
    return text, build_response(reading.message, ()).degraded


async def embedder_of(choice: ModelChoice) -> Embedder:
    return (await choose_embedder(choice, limiters=Limiters())).embedder


async def test_auto_is_ollama_where_it_has_the_model(ollama: FakeOllama) -> None:
    llm = await choose(base_url=ollama.url)

    assert llm.reader.name == "ollama:llama3.2"
    assert "has 'llama3.2'" in llm.note


async def test_auto_is_extractive_where_the_model_is_missing_and_says_what_to_do(ollama: FakeOllama) -> None:
    llm = await choose(base_url=ollama.url, model="qwen3:4b")

    assert llm.reader.name == "extractive"
    assert "llama3.2, nomic-embed-text" in llm.note
    assert "ollama pull qwen3:4b" in llm.note


async def test_auto_is_extractive_where_nobody_answers(ollama: FakeOllama) -> None:
    await ollama.stop()
    llm = await choose(base_url=ollama.url)

    assert llm.reader.name == "extractive"
    assert "cannot be reached" in llm.note
    assert (await llm.summarizer.summarize("", "How long?", "Five days [1]."))[0]


async def test_auto_looks_again_and_takes_ollama_when_it_is_there(ollama: FakeOllama) -> None:
    clock = FakeClock()
    ollama.chat_models.clear()
    llm = await choose(clock=clock.monotonic, base_url=ollama.url)
    ollama.chat_models["llama3.2"] = 4096

    assert llm.reader.name == "extractive"
    clock.advance(EVERY_S)
    assert llm.reader.name == "extractive", "nobody waits for the look"

    async def found() -> bool:
        return llm.reader.name != "extractive"

    assert await eventually(found)
    assert llm.reader.name == "ollama:llama3.2"
    assert await answer(llm) == ("Refunds take five days [1].", ())


async def test_auto_quotes_sentences_while_ollama_is_down_and_words_answers_again_afterwards(
    ollama: FakeOllama,
) -> None:
    llm = await choose(base_url=ollama.url)
    half = Answer(pieces=["Refunds take, as the policy says, ", "five"], error_after=1)
    ollama.answers = [Answer(status=500), half, Answer()]

    assert await answer(llm) == ("Refunds take five days [1].", (EXTRACTIVE,))
    with pytest.raises(ModelUnavailable):
        await answer(llm)
    assert await answer(llm) == ("Refunds take five days [1].", ())


async def test_a_named_provider_that_fails_is_not_stood_in_for(ollama: FakeOllama) -> None:
    llm = await choose(provider="ollama", base_url=ollama.url)
    ollama.answers = [Answer(status=500)]

    with pytest.raises(ModelUnavailable):
        await answer(llm)


async def test_extractive_asks_no_server() -> None:
    assert (await choose(provider="extractive", base_url=NOBODY)).reader.name == "extractive"


async def test_a_named_server_that_is_down_is_kept_for_when_it_comes_up(ollama: FakeOllama) -> None:
    await ollama.stop()
    llm = await choose(provider="ollama", base_url=ollama.url)

    assert llm.reader.name == "ollama:llama3.2"
    assert "cannot be reached" in llm.note


async def test_the_window_is_no_larger_than_the_model_s(ollama: FakeOllama) -> None:
    ollama.chat_models["llama3.2"] = 4096

    small = await choose(base_url=ollama.url, num_ctx=32768)
    large = await choose(base_url=ollama.url, num_ctx=4096)

    assert small.reader.source_budget == large.reader.source_budget


async def test_a_window_without_room_for_sources_is_refused(ollama: FakeOllama) -> None:
    with pytest.raises(ModelMisconfigured, match="NUM_CTX"):
        await choose(base_url=ollama.url, num_ctx=1024, num_predict=512)


@pytest.mark.parametrize(
    ("module", "provider"), [("langchain_openai", "openai"), ("langchain_anthropic", "anthropic")]
)
async def test_a_client_that_is_not_installed_is_named_with_the_command(
    module: str, provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)

    with pytest.raises(ModelMisconfigured, match=rf"pip install '\.\[{provider}\]'"):
        await choose(provider=provider, base_url=NOBODY, model="m", api_key="k")


async def test_anthropic_without_a_key_is_refused() -> None:
    with pytest.raises(ModelMisconfigured, match="API_KEY"):
        await choose(provider="anthropic", base_url=NOBODY, model="m")


async def test_embeddings_of_ollama_are_prefixed_batched_and_of_length_one(ollama: FakeOllama) -> None:
    chosen = await choose_embedder(ModelChoice(base_url=ollama.url), limiters=Limiters())
    embedder = chosen.embedder
    ollama.requests.clear()

    vectors = await embedder.embed_documents([f"text number {number}" for number in range(40)])
    query = await embedder.embed_query("text number 7")

    assert embedder.name == "ollama:nomic-embed-text"
    assert embedder.dimension == 48
    assert vectors.shape == (40, 48)
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert int(np.argmax(vectors @ query)) == 7
    inputs = [request.body["input"] for request in ollama.requests]
    assert [len(texts) for texts in inputs] == [32, 8, 1]
    assert inputs[0][0] == "search_document: text number 0"
    assert inputs[2] == ["search_query: text number 7"]
    options = ollama.requests[0].body["options"]
    assert {name: value for name, value in options.items() if value is not None} == {}
    assert (await embedder.embed_documents([])).shape == (0, 48)


async def test_bulk_embedding_waits_behind_answers_and_a_question_does_not(ollama: FakeOllama) -> None:
    limiters = Limiters(1)
    embedder = (await choose_embedder(ModelChoice(base_url=ollama.url), limiters=limiters)).embedder
    ollama.requests.clear()
    async with limiters.of(ollama.url).slot(Priority.ANSWER):
        bulk = asyncio.create_task(embedder.embed_documents(["x" * (BULK_CHARACTERS + 1)]))
        await asyncio.sleep(0)
        await embedder.embed_query("a question")
        await embedder.embed_documents(["a sentence of an answer"])
        inputs = [request.body["input"] for request in ollama.requests]
        assert not bulk.done()
    await bulk

    assert inputs == [["search_query: a question"], ["search_document: a sentence of an answer"]]


async def test_a_remembered_embedder_is_had_again_is_away_or_is_gone(ollama: FakeOllama) -> None:
    async def recall(name: str, **values: Any) -> Embedder | None:
        return await recall_embedder(ModelChoice(base_url=ollama.url, **values), name, limiters=Limiters())

    again = await recall("ollama:nomic-embed-text")
    assert again is not None
    assert (await again.embed_query("anything")).shape == (48,)
    assert isinstance(await recall("embedded:all-minilm-l6-v2-int8"), EmbeddedEmbedder)
    with pytest.raises(ModelNotFound, match="does not have the model"):
        await recall("ollama:mxbai-embed-large")
    for name in ("openai:text-embedding-3-small", "embedded:other", "scripted:words"):
        with pytest.raises(ModelMisconfigured):
            await recall(name)
    await ollama.stop()
    assert await recall("ollama:nomic-embed-text") is None


async def test_a_server_that_does_not_speak_ollamas_protocol_has_lost_nothing() -> None:
    async with FakeHosted() as other:
        choice = ModelChoice(base_url=other.url)

        assert await recall_embedder(choice, "ollama:nomic-embed-text", limiters=Limiters()) is None


async def test_auto_embeds_in_this_process_where_ollama_lacks_the_model(ollama: FakeOllama) -> None:
    ollama.embedding_models.clear()
    chosen = await choose_embedder(ModelChoice(base_url=ollama.url), limiters=Limiters())

    assert isinstance(chosen.embedder, EmbeddedEmbedder)
    assert "nomic-embed-text" in chosen.note


async def test_the_embedded_model_is_the_only_one_of_its_kind() -> None:
    assert (await embedder_of(ModelChoice(provider="embedded"))).dimension == 384
    with pytest.raises(ModelMisconfigured, match="not installed"):
        await choose_embedder(ModelChoice(provider="embedded", model="other"), limiters=Limiters())


async def test_an_embedding_server_that_is_down_learns_its_dimension_when_it_comes_up(
    ollama: FakeOllama,
) -> None:
    ollama.embed_status = 500
    chosen = await choose_embedder(ModelChoice(provider="ollama", base_url=ollama.url), limiters=Limiters())

    with pytest.raises(ModelUnavailable):
        assert chosen.embedder.dimension
    ollama.embed_status = 200
    await chosen.embedder.embed_query("anything")
    assert chosen.embedder.dimension == 48


async def test_a_replaced_embedding_model_is_noticed(ollama: FakeOllama) -> None:
    embedder = await embedder_of(ModelChoice(base_url=ollama.url))
    ollama.embedding_models["nomic-embed-text"] = 32

    with pytest.raises(ModelUnavailable, match="another form"):
        await embedder.embed_query("anything")


async def test_a_missing_embedding_model_is_not_found(ollama: FakeOllama) -> None:
    embedder = await embedder_of(ModelChoice(base_url=ollama.url))
    ollama.embedding_models.clear()

    with pytest.raises(ModelNotFound, match="ollama pull nomic-embed-text"):
        await embedder.embed_query("anything")


async def test_openai_compatible_embeddings_are_sent_as_text() -> None:
    async with FakeHosted() as server:
        choice = ModelChoice(provider="openai", model="e5-small", base_url=f"{server.url}/v1")
        embedder = await embedder_of(choice)
        vectors = await embedder.embed_documents(["one", "two"])

    assert isinstance(embedder, ServedEmbedder)
    assert vectors.shape == (2, 24)
    path, body, _ = server.requests[-1]
    assert path == "/v1/embeddings"
    assert body["input"] == ["passage: one", "passage: two"]


async def test_inspection_finds_the_model_and_what_it_can_read(ollama: FakeOllama) -> None:
    chat = await inspect(ModelChoice(base_url=ollama.url))
    embedding = await inspect(ModelChoice(base_url=ollama.url), "embedding")

    assert chat.usable
    assert chat.context_length == 8192
    assert embedding.dimension == 48
    assert chat.remedy is None


async def test_inspection_names_what_is_there_instead(ollama: FakeOllama) -> None:
    status = await inspect(ModelChoice(base_url=ollama.url, model="mistral:7b"))

    assert status.reachable
    assert not status.has_model
    assert "it has llama3.2, nomic-embed-text" in status.message
    assert status.remedy == "ollama pull mistral:7b"


async def test_inspection_of_nobody_says_how_to_start_it(ollama: FakeOllama) -> None:
    await ollama.stop()
    status = await inspect(ModelChoice(base_url=ollama.url))

    assert not status.reachable
    assert status.remedy == "ollama serve"


@pytest.mark.parametrize(("provider", "suffix"), [("openai", "/v1"), ("anthropic", "")])
async def test_inspection_of_hosted_models_lists_them(provider: Any, suffix: str) -> None:
    async with FakeHosted() as server:
        found = await inspect(
            ModelChoice(provider=provider, base_url=server.url + suffix, model="small-model", api_key="k")
        )
        missing = await inspect(
            ModelChoice(provider=provider, base_url=server.url + suffix, model="large-model", api_key="k")
        )

    assert found.usable
    assert not missing.has_model
    assert "small-model" in missing.message


async def test_inspection_without_a_server_looks_at_what_is_installed() -> None:
    assert (await inspect(ModelChoice(provider="extractive"))).usable
    assert (await inspect(ModelChoice(provider="embedded"), "embedding")).dimension == 384


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
async def test_inspection_without_the_client_names_the_command(
    provider: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pipeline.generation.inspection.find_spec", lambda _: None)
    status = await inspect(ModelChoice(provider=provider, base_url=NOBODY, model="m", api_key="k"))

    assert not status.usable
    assert status.remedy == f"pip install '.[{provider}]' in Footnote's folder"


def test_choosing_a_model_loads_no_model_library_before_it_is_needed() -> None:
    heavy = ["langchain_core", "langchain_ollama", "onnxruntime", "tokenizers", "httpx", "ollama", "openai"]
    modules = [
        "pipeline.generation.providers",
        "pipeline.generation.budget",
        "pipeline.verification.attribution",
    ]
    program = f"import sys, {', '.join(modules)}; sys.exit(', '.join({set(heavy)} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)

    assert done.stderr.strip() == ""


async def test_inspection_of_faulty_settings_says_so() -> None:
    status = await inspect(
        ModelChoice(provider="openai", base_url="http://models.example:8000/v1", model="m")
    )

    assert not status.usable
    assert "https" in status.message
    assert status.remedy is not None
    assert "settings" in status.remedy
