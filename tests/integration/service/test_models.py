"""Which models a service uses while model servers come and go."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import pytest
from prometheus_client import REGISTRY

from bot.bootstrap import open_service
from bot.models import INSPECTION_S, Models, embedding_choice
from bot.settings import Settings
from pipeline.catalog import REEMBED
from pipeline.conversation import Question
from pipeline.domain import DocumentStatus, Scope
from pipeline.generation.lookout import EVERY_S
from pipeline.generation.providers import Llm
from pipeline.generation.rolling import ExtractiveSummarizer
from pipeline.ingestion.intake import Upload
from pipeline.ingestion.tokens import analyze
from tests.fakes.clock import FakeClock
from tests.fakes.models import ScriptedEmbedder, ScriptedReader
from tests.fakes.ollama import FakeOllama
from tests.fakes.waiting import eventually
from tests.integration.service.conftest import ingest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.bootstrap import Service
    from pipeline.conversation import GenerationResponse
    from pipeline.ports import Embedder

MONTHLY = "How long does a refund for a monthly plan take?"
FIVE = "It takes five working days [1]."


@pytest.fixture
async def ollama() -> AsyncIterator[FakeOllama]:
    async with FakeOllama() as server:
        yield server


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def settings_for(
    tmp_path: Path, ollama: FakeOllama, *, embedding: str = "auto", llm: str = "auto"
) -> Settings:
    return Settings(
        data_dir=tmp_path / "data",
        llm={"base_url": ollama.url, "provider": llm},
        embedding={"provider": embedding},
        _env_file=None,
    )


@asynccontextmanager
async def started(
    settings: Settings, clock: FakeClock, *, embedder: Embedder | None = None, working: bool = False
) -> AsyncIterator[Service]:
    """Start the service; *embedder* is what ``auto`` came to, without its model being loaded."""
    llm = Llm(reader=ScriptedReader(FIVE), summarizer=ExtractiveSummarizer(analyze), note="scripted")
    models = Models(settings, embedder=embedder, llm=llm, clock=clock.monotonic)
    async with open_service(settings, models=models) as service:
        if not working:
            yield service
            return
        async with service.working():
            yield service


async def ask(service: Service, scope: Scope) -> GenerationResponse:
    return await (await service.pipeline()).ask(Question(text=MONTHLY, scope=scope))


async def made_by(service: Service, scope: Scope) -> str:
    ref = await service.stores.generations.current(scope)
    assert ref is not None
    return ref.embedder


async def waiting(service: Service, scope: Scope) -> list[str]:
    return [job.kind for job in await service.stores.queue.waiting(scope)]


@pytest.fixture
async def indexed(
    tmp_path: Path, ollama: FakeOllama, clock: FakeClock, scope: Scope, folder: Path
) -> Settings:
    """A channel whose vectors Ollama made, as ``auto`` had it, and a service that was stopped."""
    settings = settings_for(tmp_path, ollama)
    async with started(settings, clock, working=True) as service:
        await ingest(service, scope, folder)
        assert await made_by(service, scope) == "ollama:nomic-embed-text"
        assert (await ask(service, scope)).degraded == ()
    return settings


async def test_an_outage_at_the_start_leaves_the_words_and_the_channel_as_it_is(
    indexed: Settings, ollama: FakeOllama, clock: FakeClock, scope: Scope
) -> None:
    ollama.down = True
    async with started(indexed, clock, embedder=ScriptedEmbedder()) as service:
        first = await ask(service, scope)
        ollama.requests.clear()
        again = await ask(service, scope)
        looked = [request.path for request in ollama.requests]
        jobs = await waiting(service, scope)

    assert first.success
    assert first.degraded == again.degraded == ("dense:unavailable",)
    assert looked == []
    assert REEMBED not in jobs


async def test_after_an_outage_the_embedder_is_found_again_within_about_a_minute(
    indexed: Settings, ollama: FakeOllama, clock: FakeClock, scope: Scope
) -> None:
    ollama.down = True
    async with started(indexed, clock, embedder=ScriptedEmbedder()) as service:
        await ask(service, scope)
        ollama.down = False
        clock.advance(EVERY_S)
        beside = await ask(service, scope)

        async def whole() -> bool:
            return (await ask(service, scope)).degraded == ()

        assert await eventually(whole)
        embedder = await made_by(service, scope)

    assert beside.success
    assert embedder == "ollama:nomic-embed-text"


async def test_a_file_that_comes_during_the_outage_waits_with_a_reason_and_moves_nothing(
    indexed: Settings, ollama: FakeOllama, clock: FakeClock, scope: Scope, folder: Path
) -> None:
    ollama.down = True
    late = folder / "late.md"
    late.write_text("# Late\n\nThe office closes at six.\n")
    async with started(indexed, clock, embedder=ScriptedEmbedder(), working=True) as service:
        await service.intake.accept(scope, Upload(source=late.as_uri(), display_name=late.name))

        async def reasons() -> list[str]:
            return [job.message for job in await service.stores.queue.waiting(scope) if job.message]

        tried = await eventually(reasons)
        embedder = await made_by(service, scope)
        documents = await service.stores.catalog.documents(scope)

    assert "ollama:nomic-embed-text, which cannot be reached" in tried[0]
    assert embedder == "ollama:nomic-embed-text"
    assert {d.status for d in documents if d.display_name == "late.md"} == {DocumentStatus.QUEUED}


async def test_a_model_that_its_server_has_no_more_is_given_up(
    indexed: Settings, ollama: FakeOllama, clock: FakeClock, scope: Scope
) -> None:
    def counted() -> float:
        return REGISTRY.get_sample_value("footnote_observed_total", {"kind": "embedder_gone"}) or 0.0

    before = counted()
    ollama.embedding_models.clear()
    async with started(indexed, clock, embedder=ScriptedEmbedder()) as service:
        meanwhile = await ask(service, scope)
        await service.worker.drain(scope)
        renewed = await ask(service, scope)
        embedder = await made_by(service, scope)

    assert meanwhile.degraded == ("dense:embedder_changed",)
    assert renewed.degraded == ()
    assert embedder == "scripted:words"
    assert counted() == before + 1


async def test_settings_that_name_another_model_have_the_channel_indexed_anew(
    indexed: Settings, ollama: FakeOllama, clock: FakeClock, scope: Scope, tmp_path: Path
) -> None:
    named = settings_for(tmp_path, ollama, embedding="embedded")
    ollama.down = True
    async with started(named, clock, embedder=ScriptedEmbedder(name="embedded:other")) as service:
        meanwhile = await ask(service, scope)
        await service.worker.drain(scope)
        embedder = await made_by(service, scope)

    assert meanwhile.degraded == ("dense:embedder_changed",)
    assert embedder == "embedded:other"


async def test_a_named_embedding_server_that_is_down_leaves_the_words(
    indexed: Settings, ollama: FakeOllama, clock: FakeClock, scope: Scope, tmp_path: Path
) -> None:
    ollama.down = True
    async with started(settings_for(tmp_path, ollama, embedding="ollama"), clock) as service:
        down = await ask(service, scope)
        ollama.down = False
        up = await ask(service, scope)

    assert down.success
    assert down.degraded == ("dense:unavailable", "entailment:unavailable")
    assert up.degraded == ()


async def test_a_first_file_is_indexed_once_the_named_embedding_server_is_there(
    ollama: FakeOllama, clock: FakeClock, scope: Scope, folder: Path, tmp_path: Path
) -> None:
    ollama.down = True
    settings = settings_for(tmp_path, ollama, embedding="ollama")
    async with started(settings, clock, working=True) as service:
        file = folder / "leave.md"
        await service.models.embedder()
        ollama.down = False
        await service.intake.accept(scope, Upload(source=file.as_uri(), display_name=file.name))

        async def ready() -> int:
            return (await service.stores.catalog.holdings(scope)).ready

        assert await eventually(ready)
        ref = await service.stores.generations.current(scope)

    assert ref is not None
    assert ref.dimension == 48


async def test_the_service_is_not_ready_while_a_named_language_model_cannot_be_asked(
    ollama: FakeOllama, clock: FakeClock, tmp_path: Path
) -> None:
    async with started(settings_for(tmp_path, ollama, llm="ollama"), clock) as service:
        ready = await service.missing()
        ollama.down = True
        believed = await service.missing()
        clock.advance(INSPECTION_S)
        ollama.requests.clear()
        down = [await service.missing() for _ in range(3)]
        ollama.down = False
        clock.advance(INSPECTION_S)
        ollama.chat_models.clear()
        lacking = await service.missing()

    assert (ready, believed) == (None, None)
    assert down[0] is not None
    assert "failed with status 503" in down[0]
    assert down == [down[0]] * 3
    assert lacking is not None
    assert "ollama pull llama3.2" in lacking


@pytest.mark.parametrize("provider", ["auto", "extractive"])
async def test_the_service_is_ready_where_it_does_without_a_language_model(
    ollama: FakeOllama, clock: FakeClock, tmp_path: Path, provider: str
) -> None:
    ollama.down = True
    settings = settings_for(tmp_path, ollama, llm=provider)
    async with started(settings, clock, embedder=ScriptedEmbedder()) as service:
        assert await service.missing() is None


@pytest.mark.parametrize(
    ("llm", "embedding", "shared"),
    [
        ("auto", "auto", True),
        ("ollama", "auto", True),
        ("openai", "openai", True),
        ("openai", "auto", False),
        ("openai", "ollama", False),
        ("ollama", "openai", False),
        ("auto", "embedded", False),
        ("anthropic", "openai", False),
    ],
)
def test_the_address_of_the_language_model_serves_embeddings_of_the_same_kind_of_server(
    llm: str, embedding: str, shared: bool
) -> None:
    url = "http://127.0.0.1:8000/v1"
    settings = Settings(
        llm={"provider": llm, "model": "m", "base_url": url},
        embedding={"provider": embedding},
        _env_file=None,
    )

    assert embedding_choice(settings).base_url == (url if shared else None)


def test_an_address_of_its_own_goes_first() -> None:
    settings = Settings(
        llm={"provider": "openai", "model": "m", "base_url": "http://127.0.0.1:1/v1"},
        embedding={"provider": "openai", "base_url": "http://127.0.0.1:2/v1"},
        _env_file=None,
    )

    assert embedding_choice(settings).base_url == "http://127.0.0.1:2/v1"
