"""The health server: alive, able to answer, what Prometheus reads, and the routes of chat platforms."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from aiohttp import web
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable

    from aiohttp.web import AbstractRouteDef


def build_health_app(
    ready: Callable[[], Awaitable[str | None]], routes: Iterable[AbstractRouteDef] = ()
) -> web.Application:
    """Serve /healthz, /readyz and /metrics beside the *routes* of chat platforms.

    *ready* returns None or one sentence on what is missing.
    """

    async def healthz(_: web.Request) -> web.Response:
        return web.json_response({"status": "alive"})

    async def readyz(_: web.Request) -> web.Response:
        missing = await ready()
        if missing is None:
            return web.json_response({"status": "ready"})
        return web.json_response({"status": "not ready", "message": missing}, status=503)

    async def metrics(_: web.Request) -> web.Response:
        return web.Response(body=generate_latest(), headers={"Content-Type": CONTENT_TYPE_LATEST})

    app = web.Application()
    app.router.add_get("/healthz", healthz)
    app.router.add_get("/readyz", readyz)
    app.router.add_get("/metrics", metrics)
    app.router.add_routes(routes)
    return app


@asynccontextmanager
async def serve_health(
    host: str,
    port: int,
    ready: Callable[[], Awaitable[str | None]],
    routes: Iterable[AbstractRouteDef] = (),
) -> AsyncIterator[int]:
    """Run the server inside the block and give the port it listens on. Raises `OSError`."""
    runner = web.AppRunner(build_health_app(ready, routes), access_log=None)
    await runner.setup()
    try:
        site = web.TCPSite(runner, host, port)
        await site.start()
        yield runner.addresses[0][1]
    finally:
        await runner.cleanup()
