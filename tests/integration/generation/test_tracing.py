"""Nothing people wrote goes to a tracing service because of a variable in the environment."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest
from aiohttp import web
from langchain_core.tracers.langchain import wait_for_all_tracers
from langsmith import utils

from pipeline.errors import ModelMisconfigured
from pipeline.generation.chain import Limits, compose, stream
from pipeline.generation.choice import ModelChoice
from pipeline.generation.clients import chat_model
from tests.fakes.ollama import FakeOllama

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

LIMITS = Limits(num_ctx=4096, num_predict=64, first_token_s=5, total_s=5)


@pytest.fixture
async def collected(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[str]]:
    """A tracing service that the environment points at; yields the paths it was sent something on."""
    paths: list[str] = []

    async def take(request: web.Request) -> web.Response:
        await request.read()
        if request.method != "GET":
            paths.append(request.path)
        return web.json_response({}, status=202)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", take)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    # the library remembers what the environment said the first time
    forget = vars(utils)["get_env_var"].cache_clear
    for name in ("LANGSMITH_TRACING", "LANGCHAIN_TRACING_V2"):
        monkeypatch.setenv(name, "true")
    monkeypatch.setenv("LANGSMITH_API_KEY", "key")
    monkeypatch.setenv("LANGSMITH_ENDPOINT", f"http://127.0.0.1:{runner.addresses[0][1]}")
    forget()
    yield paths
    forget()
    await runner.cleanup()


async def test_tracing_variables_send_nothing(collected: list[str]) -> None:
    async with FakeOllama() as ollama:
        choice = ModelChoice(provider="ollama", base_url=ollama.url)
        server = choice.server("chat")
        chain = compose("Policy.", chat_model(choice, server, num_predict=64))

        assert [chunk async for chunk in stream(chain, "A secret.", server, LIMITS)]
        await asyncio.to_thread(wait_for_all_tracers)
        ours = list(collected)
        assert [chunk async for chunk in chain.astream({"human": "No secret."})]
        await asyncio.to_thread(wait_for_all_tracers)

    assert ours == []
    assert collected, "the same call without our guard is traced, so the check above can fail"


@pytest.mark.parametrize("name", ["LANGCHAIN_TRACING", "LANGCHAIN_HANDLER"])
def test_a_retired_tracing_variable_is_named_before_the_first_question(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, "true")
    choice = ModelChoice(provider="ollama")

    with pytest.raises(ModelMisconfigured, match=name):
        chat_model(choice, choice.server("chat"), num_predict=64)
