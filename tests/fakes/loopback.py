"""What the local servers of all platforms have in common: listening, stopping, failing on demand."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self, TypeVar

from aiohttp import web

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine

    from tests.fakes.faults import Mishap, Plans

T = TypeVar("T")

POLL = 0.01


class Loopback:
    """A server on ports of this machine. ``async with`` starts and stops it."""

    faults: Plans[Any, Any]

    def __init__(self) -> None:
        self._tasks: set[asyncio.Task[Any]] = set()
        self._runners: list[web.AppRunner] = []

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> str:
        """Listen. Returns the base URL of the API."""
        raise NotImplementedError("a server says what it serves")

    async def stop(self) -> None:
        """Stop listening and forget what is on its way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._disconnect()
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()

    async def _disconnect(self) -> None:
        """End the connections that stay open."""

    async def listen(self, app: web.Application) -> str:
        """Serve *app* on a free port until the server stops. Returns its origin."""
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        self._runners.append(runner)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"

    def start_task(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Run *work* beside everything else, until the server stops."""
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    def fail(
        self,
        name: str,
        fault: Mishap,
        *,
        times: int | None = 1,
        skip: int = 0,
        when: Callable[[Any], bool] | None = None,
    ) -> None:
        """Let *fault* happen to the next calls of *name* (``times=None``: to all, until `heal`)."""
        self._check_name(name)
        self.faults.plan(name, fault, times=times, skip=skip, when=when)

    def _check_name(self, name: str) -> None:
        """Raise `LookupError` when no call can have that name."""

    def heal(self, name: str | None = None) -> None:
        """Let nothing more go wrong."""
        self.faults.clear(name)

    async def until(self, condition: Callable[[], Any], seconds: float = 60.0) -> Any:
        """Wait until *condition* holds, and return what it came to."""
        async with asyncio.timeout(seconds):
            while True:
                if result := condition():
                    return result
                await asyncio.sleep(POLL)


def hang_up(request: web.Request) -> web.Response:
    """Reset the connection that *request* came over."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response()
