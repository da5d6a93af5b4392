from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import aiohttp
import pytest
from aiohttp import web

from adapters.health import serve_health
from pipeline.observability.metrics import QUESTIONS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

HOST = "127.0.0.1"


async def nothing_missing() -> str | None:
    return None


async def model_missing() -> str | None:
    return "The model server cannot be reached."


@asynccontextmanager
async def served(ready: Callable[[], Awaitable[str | None]]) -> AsyncIterator[aiohttp.ClientSession]:
    async with (
        serve_health(HOST, 0, ready) as port,
        aiohttp.ClientSession(f"http://{HOST}:{port}") as session,
    ):
        yield session


async def test_a_service_that_misses_nothing_is_alive_and_ready() -> None:
    async with served(nothing_missing) as session:
        alive, ready = await session.get("/healthz"), await session.get("/readyz")

        assert (alive.status, await alive.json()) == (200, {"status": "alive"})
        assert (ready.status, await ready.json()) == (200, {"status": "ready"})


async def test_a_service_that_cannot_answer_is_alive_and_says_what_is_missing() -> None:
    async with served(model_missing) as session:
        alive, ready = await session.get("/healthz"), await session.get("/readyz")

        assert alive.status == 200
        assert ready.status == 503
        assert await ready.json() == {
            "status": "not ready",
            "message": "The model server cannot be reached.",
        }


async def test_what_was_counted_is_served_as_prometheus_reads_it() -> None:
    QUESTIONS.labels("answered").inc()

    async with served(nothing_missing) as session:
        metrics = await session.get("/metrics")
        text = await metrics.text()

    assert metrics.content_type == "text/plain"
    assert 'footnote_questions_total{outcome="answered"}' in text


async def test_nothing_else_is_served() -> None:
    async with served(nothing_missing) as session:
        assert (await session.get("/")).status == 404
        assert (await session.post("/healthz")).status == 405


async def test_routes_of_a_platform_are_served_beside_it() -> None:
    async def told(_: web.Request) -> web.Response:
        return web.Response(text="told")

    async with (
        serve_health(HOST, 0, nothing_missing, [web.post("/platform/events", told)]) as port,
        aiohttp.ClientSession(f"http://{HOST}:{port}") as session,
    ):
        assert await (await session.post("/platform/events")).text() == "told"
        assert (await session.get("/healthz")).status == 200


async def test_a_port_that_is_taken_is_an_error_of_the_system() -> None:
    async with serve_health(HOST, 0, nothing_missing) as port:
        with pytest.raises(OSError, match=str(port)):
            async with serve_health(HOST, port, nothing_missing):
                pass


async def test_the_port_is_free_again_afterwards() -> None:
    async with serve_health(HOST, 0, nothing_missing) as port:
        pass

    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection(HOST, port)
