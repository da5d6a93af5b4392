"""Hand a growing answer to whoever shows it, without ever waiting for them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine

    from pipeline.conversation import Delta, GenerationResponse, Memory, Progress


class StreamedAnswer:
    """One answer on its way: iterate it, take its `response`, then let it `remember`.

    The answer is written by a task of its own, so a slow screen does not slow the model down and the trace
    of one question cannot reach another. A rejected request is a stream with no text in it. *stopped* says
    what an answer that is stopped has come to.
    """

    def __init__(
        self,
        run: Callable[[Callable[[Progress | Delta], None]], Coroutine[None, None, GenerationResponse]],
        *,
        stopped: Callable[[], GenerationResponse],
        remember: Callable[[GenerationResponse], Awaitable[Memory | None]],
    ) -> None:
        self._events: asyncio.Queue[Progress | Delta | None] = asyncio.Queue()
        self._stopped = stopped
        self._remember = remember
        self._response: GenerationResponse | None = None
        self._task = asyncio.create_task(self._write(run), name="answer")

    async def __aiter__(self) -> AsyncIterator[Progress | Delta]:
        """Yield stages and text until the answer ends, however it ends."""
        while (event := await self._events.get()) is not None:
            yield event

    @property
    def response(self) -> GenerationResponse:
        """The outcome. Raises `RuntimeError` before the stream is drained or closed."""
        if self._response is None:
            raise RuntimeError("the stream is not drained yet")
        return self._response

    async def remember(self) -> Memory | None:
        """Keep the turn and renew the thread's summary; to be called after the last edit of the reply."""
        return await self._remember(self.response)

    async def aclose(self) -> None:
        """Stop writing at once. An answer that had ended keeps its outcome, else it is CANCELLED."""
        self._task.cancel()
        await asyncio.wait([self._task])
        if self._response is None:
            self._end(self._stopped())

    async def _write(
        self, run: Callable[[Callable[[Progress | Delta], None]], Awaitable[GenerationResponse]]
    ) -> None:
        try:
            self._end(await run(self._events.put_nowait))
        except asyncio.CancelledError:
            self._end(self._stopped())
            raise

    def _end(self, response: GenerationResponse) -> None:
        self._response = response
        self._events.put_nowait(None)
