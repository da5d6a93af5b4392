"""One thread's questions, answered one at a time and in the order in which they came."""

from __future__ import annotations

import asyncio
from collections import deque
from functools import partial
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from bot.chat import Thread
    from bot.questions import Asked


class Lane:
    """The order of one thread. It holds tasks only while there is something to do."""

    def __init__(
        self, thread: Thread, serve: Callable[[Lane, Asked], Awaitable[None]], idle: Callable[[Lane], None]
    ) -> None:
        self.thread = thread
        self.waiting: deque[Asked] = deque()
        self.running: Asked | None = None
        self.memory: asyncio.Task[None] | None = None
        self._serve = serve
        self._idle = idle
        self.arrival: asyncio.Task[None] | None = None
        """Runs until it is decided what becomes of everything that arrived so far."""
        self._worker: asyncio.Task[None] | None = None
        self._arrived = 0
        self._deciding = 0
        """Which of the things that arrived is being decided on."""
        self._stopped = 0
        """How many had arrived when everything was stopped."""

    @property
    def stopped(self) -> bool:
        """Whether what is being decided on arrived before everything was stopped."""
        return self._deciding <= self._stopped

    @property
    def answering(self) -> list[asyncio.Task[None]]:
        """The tasks that run until every question so far is answered."""
        return [task for task in (self.arrival, self._worker) if task is not None]

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """All tasks of the thread."""
        return self.answering + ([self.memory] if self.memory is not None else [])

    def arrive(self, decide: Callable[[], Awaitable[None]]) -> None:
        """Run *decide*, which may `put` a question in, after whatever arrived earlier was decided."""
        self._arrived += 1
        work = partial(self._decide, self._arrived, decide)
        self.arrival = self._start(self._after(self.arrival, work), "arrival")

    def stop(self) -> list[Asked]:
        """Let nothing be answered that waits, or is only just arriving; return what waited."""
        self._stopped = self._arrived
        waited = list(self.waiting)
        self.waiting.clear()
        return waited

    def put(self, asked: Asked) -> None:
        """Let a question wait for its turn."""
        self.waiting.append(asked)
        if self._worker is None:
            self._worker = self._start(self._work(), "answers")

    def remember(self, work: Callable[[], Awaitable[None]]) -> None:
        """Run *work*, which the next question of the thread should wait for."""
        self.memory = self._start(self._after(self.memory, work), "memory")

    async def _decide(self, number: int, decide: Callable[[], Awaitable[None]]) -> None:
        self._deciding = number
        await decide()

    async def _work(self) -> None:
        while self.waiting:
            self.running = self.waiting.popleft()
            try:
                await self._serve(self, self.running)
            finally:
                self.running = None

    @staticmethod
    async def _after(earlier: asyncio.Task[None] | None, work: Callable[[], Awaitable[None]]) -> None:
        if earlier is not None:
            await asyncio.wait([earlier])
        await work()

    def _start(self, work: Coroutine[Any, Any, None], name: str) -> asyncio.Task[None]:
        task = asyncio.create_task(work, name=f"{name} {self.thread}")
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        """Forget a task, and the lane itself when it was the last."""
        if task is self._worker:
            self._worker = None
            if self.waiting and not task.cancelled():
                self._worker = self._start(self._work(), "answers")
        if task is self.arrival:
            self.arrival = None
        if task is self.memory:
            self.memory = None
        if not self.tasks:
            self._idle(self)
