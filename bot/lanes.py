"""One thread's questions, answered one at a time and in the order in which they came."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine

    from bot.chat import MessageRef, Thread
    from bot.incoming import IncomingMessage
    from bot.reply import Reply


@dataclass(slots=True, eq=False)
class Asked:
    """One question and what became of it so far."""

    message: IncomingMessage
    text: str
    """As it reads now; people edit their messages."""
    messages: tuple[MessageRef, ...] = ()
    """What stands in the thread because of it."""
    attempt: int = 0
    reply: Reply | None = None
    """While it is being answered."""
    again: bool = False
    """Its text changed while it was being answered."""
    gone: bool = False
    """It was deleted."""
    done: bool = False
    """It was answered or refused."""


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
        self._arrival: asyncio.Task[None] | None = None
        self._worker: asyncio.Task[None] | None = None

    @property
    def answering(self) -> list[asyncio.Task[None]]:
        """The tasks that run until every question so far is answered."""
        return [task for task in (self._arrival, self._worker) if task is not None]

    @property
    def tasks(self) -> list[asyncio.Task[None]]:
        """All tasks of the thread."""
        return self.answering + ([self.memory] if self.memory is not None else [])

    def arrive(self, decide: Coroutine[Any, Any, None]) -> None:
        """Run *decide*, which may `put` a question in, after whatever arrived earlier was decided."""
        self._arrival = self._start(self._after(self._arrival, decide), "arrival")

    def put(self, asked: Asked) -> None:
        """Let a question wait for its turn."""
        self.waiting.append(asked)
        if self._worker is None:
            self._worker = self._start(self._work(), "answers")

    def remember(self, work: Coroutine[Any, Any, None]) -> None:
        """Run *work*, which the next question of the thread should wait for."""
        self.memory = self._start(self._after(self.memory, work), "memory")

    async def _work(self) -> None:
        while self.waiting:
            self.running = self.waiting.popleft()
            try:
                await self._serve(self, self.running)
            finally:
                self.running = None

    @staticmethod
    async def _after(earlier: asyncio.Task[None] | None, work: Coroutine[Any, Any, None]) -> None:
        try:
            if earlier is not None:
                await asyncio.wait([earlier])
        except asyncio.CancelledError:
            work.close()
            raise
        await work

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
        if task is self._arrival:
            self._arrival = None
        if task is self.memory:
            self.memory = None
        if not self.tasks:
            self._idle(self)
