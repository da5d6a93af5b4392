"""The service with the chat platforms around it: served until it is told to stop, or just within reach."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from adapters.platforms import reached

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
    from contextlib import AbstractAsyncContextManager

    from aiohttp.web import AbstractRouteDef

    from bot.bootstrap import Service
    from bot.settings import Settings


class Connection(Protocol):
    """One chat platform, about to be served."""

    @property
    def routes(self) -> Sequence[AbstractRouteDef]:
        """What the web server must serve for it."""

    async def missing(self) -> str | None:
        """Return what keeps it from working, None if nothing does; for /readyz."""

    async def run(self, stop: asyncio.Event, say: Callable[[str], None]) -> None:
        """Serve until *stop* is set; *say* tells whoever started this how it stands.

        Raises `ChatError`, with what to do, when it cannot be served.
        """


@asynccontextmanager
async def open_working(settings: Settings) -> AsyncIterator[Service]:
    """Open the service and do queued jobs for the length of the block.

    The files of configured platforms are within reach, because a job may have to fetch them again.
    """
    from bot.bootstrap import open_service

    async with open_service(settings) as service, AsyncExitStack() as stack:
        for platform in reached(service):
            await stack.enter_async_context(platform)
        async with service.working():
            yield service


async def serve(
    service: Service,
    stop: asyncio.Event,
    platforms: Sequence[AbstractAsyncContextManager[Connection]],
    *,
    say: Callable[[str], None],
    listening: Callable[[int], None],
) -> None:
    """Serve *platforms*, do queued jobs and tell of health until *stop* is set.

    *listening* is told the web server's port once everything but the platforms is ready. Raises `ModelError`,
    `OSError` when the port is taken, and `ChatError`, with what to do, when a platform cannot be served.
    """
    from adapters.health import serve_health  # a web server is slow to import; single commands need none

    http = service.settings.http
    async with AsyncExitStack() as stack:
        connections = [await stack.enter_async_context(platform) for platform in platforms]
        routes = [route for connection in connections for route in connection.routes]
        await stack.enter_async_context(service.working(stop))
        ready = partial(_missing, service, connections)
        port = await stack.enter_async_context(serve_health(http.host, http.port, ready, routes))
        for note in await service.describe_models():
            say(note)
        if (renewed := await service.renew()) > 0:
            say(f"Indexes of an earlier version are made anew in the background: {renewed}.")
        listening(port)
        await _until(stop, [connection.run(stop, say) for connection in connections])


async def _missing(service: Service, connections: Sequence[Connection]) -> str | None:
    for missing in (service.missing, *(connection.missing for connection in connections)):
        if (fault := await missing()) is not None:
            return fault
    return None


async def _until(stop: asyncio.Event, works: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run all *works* to their end; the first that fails ends the others in good order, and is raised."""
    if not works:
        await stop.wait()
        return
    tasks = [asyncio.create_task(work) for work in works]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stop.set()
        ended = await asyncio.gather(*tasks, return_exceptions=True)
    for error in filter(None, ended):
        raise error
