"""A message becomes a question, an answer and a reply: in order, once, and never silently."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, assert_never

from bot.answering import Answering
from bot.arriving import Arriving
from bot.attention import Attention
from bot.incoming import IncomingMessage, MessageDeleted, MessageEdited, StopRequested
from bot.lanes import Lane
from bot.pacing import first_of
from bot.questions import Questions, as_new
from bot.reply import Halt
from bot.rereading import reread
from bot.wording import sentence
from pipeline.conversation import Reason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine, Sequence

    from bot.chat import ChatAdapter, Thread
    from bot.context import Context
    from bot.incoming import Incoming
    from bot.ledger import Ledger
    from bot.pacing import Clock, Limiters
    from bot.preferences import PreferenceStore
    from bot.questions import Asked
    from pipeline.conversation import Question
    from pipeline.ports import AnswerStream

logger = logging.getLogger(__name__)

GRACE = 3.0
"""Seconds that stopped answers have for their last edit when the program ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one process keeps and waits for."""

    waiting: int = 5
    """Questions of one thread behind the one that is being answered; a further one is refused."""
    memory_s: float = 20.0
    """How long a question waits until the turn before it is remembered."""
    files_s: float = 20.0
    """How long it waits for files on their way that it may be about."""
    kept: int = 1000
    """Answered questions that are known even while the ledger is not to be had."""
    resumes: int = 5
    """How often a question is taken over from a process that died at it, before it is given up."""


class Conversation:
    """Everything said to the bot on one platform.

    Threads are independent of each other; within one, questions are answered in order and none is dropped.
    An idle thread costs nothing.
    """

    def __init__(
        self,
        adapter: ChatAdapter,
        ask: Callable[[Question], AnswerStream],
        *,
        ledger: Ledger,
        limiters: Limiters,
        clock: Clock,
        preferences: PreferenceStore | None = None,
        context: Context | None = None,
        arriving: Arriving | None = None,
        limits: Limits | None = None,
    ) -> None:
        self._adapter = adapter
        self._clock = clock
        self._limits = limits or Limits()
        self._questions = Questions(ledger, kept=self._limits.kept)
        self._attention = Attention(self._questions, preferences)
        self._answering = Answering(
            adapter,
            ask,
            self._questions,
            limiters=limiters,
            clock=clock,
            context=context,
            preferences=preferences,
            arriving=arriving or Arriving(),
            memory_s=self._limits.memory_s,
            files_s=self._limits.files_s,
        )
        self._lanes: dict[Thread, Lane] = {}
        self._notices: set[asyncio.Task[Any]] = set()
        self.resumes = False
        """Whether `resume` was called: then what another replica leaves is taken over as well."""

    def receive(self, event: Incoming) -> None:
        """Take *event* in and return at once; must be called on a running loop, in the order of arrival."""
        match event:
            case IncomingMessage():
                self._arrive(event.thread, partial(self._hear, event))
            case MessageEdited():
                self._arrive(event.thread, partial(self._reconsider, event))
            case MessageDeleted():
                self._withdraw(event)
            case StopRequested(thread=thread):
                if not self.stop(thread, everything=False):
                    self._notice(self.stop_elsewhere(thread))
            case _:
                assert_never(event)

    async def resume(self) -> None:
        """Answer what processes that died, or were restarted, left unanswered, in the messages that stand."""
        if self._answering.closing:
            return
        for lane in list(self._lanes.values()):
            await self._heed(lane)
        found = await self._questions.take_over(self._adapter.name, starting=not self.resumes)
        self.resumes = True
        for asked in found:
            self._arrive(asked.thread, partial(self._take_up, asked))
        if found:
            logger.info("questions taken up again: %d", len(found))

    def stop(self, thread: Thread, *, everything: bool = True) -> bool:
        """Stop the answer that is being written in *thread*; False: there is none, and none is to come.

        *everything* that was asked there so far is stopped with it, and in any case if none is written yet.
        """
        lane = self._lanes.get(thread)
        if lane is None:
            return False
        writing = lane.running is not None and lane.running.halt(Halt.STOPPED)
        if writing and not everything:
            return True
        coming = bool(lane.waiting) or lane.arrival is not None
        for asked in lane.stop():
            self._refuse(asked, sentence(Reason.CANCELLED))
        return writing or coming

    async def stop_elsewhere(self, thread: Thread) -> bool:
        """Ask whichever replica is at the questions of *thread* to stop, at its next beat; False: none is."""
        return await self._questions.stop(thread)

    async def kept(self, thread: Thread) -> None:
        """Return when it is decided what becomes of all that arrived in *thread* so far, and kept."""
        lane = self._lanes.get(thread)
        if lane is not None and lane.arrival is not None:
            await asyncio.wait([lane.arrival])

    async def answered(self, thread: Thread) -> None:
        """Return when every question of *thread* so far has its final text."""
        while (lane := self._lanes.get(thread)) is not None and lane.answering:
            await asyncio.wait(lane.answering)

    async def settled(self, thread: Thread | None = None) -> None:
        """Return when *thread* (None: every thread) is answered and remembered."""
        while tasks := self._tasks(thread):
            await asyncio.wait(tasks)

    async def drain(self, seconds: float) -> None:
        """Let answers end for *seconds*, then stop them with a text that says how it goes on.

        What arrives meanwhile is told the same. All of it stays open in the ledger, for `resume`.
        """
        self._answering.closing = True
        await first_of(self.settled(), self._clock.sleep(seconds))
        for lane in list(self._lanes.values()):
            while lane.waiting:
                self._notice(self._answering.put_off(lane.waiting.popleft()))
            if lane.running is not None:
                lane.running.halt(Halt.RESTARTING)
        await first_of(self.settled(), self._clock.sleep(GRACE))
        left = self._tasks()
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _tasks(self, thread: Thread | None = None) -> list[asyncio.Task[Any]]:
        if thread is not None:
            lane = self._lanes.get(thread)
            return lane.tasks if lane is not None else []
        return [*self._notices, *(task for lane in self._lanes.values() for task in lane.tasks)]

    def _arrive(self, thread: Thread, decide: Callable[[Lane], Awaitable[None]]) -> None:
        lane = self._lanes.get(thread)
        if lane is None:
            lane = self._lanes[thread] = Lane(thread, self._answering.serve, self._retire)
        lane.arrive(partial(decide, lane))

    async def _hear(self, message: IncomingMessage, lane: Lane) -> None:
        """Let *message* wait for its turn, if it is for us and nobody else has it."""
        if self._questions.known(message.thread.scope, message.message_id) is not None:
            logger.debug("a message arrived again")
        elif await self._attention.wants(message):
            self._admit(lane, await self._questions.open(message))

    async def _reconsider(self, event: MessageEdited, lane: Lane) -> None:
        """Answer a question anew, in the messages of its first answer if there are any."""
        known = self._questions.known(event.thread.scope, event.message_id)
        if not event.mentioned and await self._unname(event, lane):
            return
        if known is not None and not known.done:
            await self._amend(known, event.text)
            return
        asked = await self._questions.reopen(event)
        if asked is None and known is None and event.mentioned:
            asked = await self._questions.open(as_new(event))
        self._admit(lane, asked)

    async def _amend(self, asked: Asked, text: str) -> None:
        """Change a question that waits, or is being answered."""
        if asked.gone or asked.text == text:
            return
        asked.text = text
        asked.again = asked.halt(Halt.WITHDRAWN)
        await self._questions.amend(asked)

    async def _unname(self, event: MessageEdited, lane: Lane) -> bool:
        """Take back a question that names us no more; False: it did not, or is none."""
        name = event.thread.scope, event.message_id
        known = self._questions.known(*name)
        at_work = known is not None and not known.done
        asked = known if at_work else await self._questions.recall(*name)
        if asked is None or not asked.message.mentioned:
            return False
        asked.unnamed = True
        if at_work:
            asked.drop()
        else:
            self._notice(self._answering.take_back(asked, lane))
        return True

    async def _heed(self, lane: Lane) -> None:
        """Stop what another replica was asked to stop."""
        for asked in filter(None, [lane.running, *lane.waiting]):
            if not await self._questions.stopped(asked) or asked.halt(Halt.STOPPED):
                continue
            if asked in lane.waiting:
                lane.waiting.remove(asked)
                self._refuse(asked, sentence(Reason.CANCELLED))

    async def _take_up(self, asked: Asked, lane: Lane) -> None:
        """Let a question wait again, as it is now, unless it seems to be what processes die of."""
        if asked.stopped:
            self._refuse(asked, sentence(Reason.CANCELLED))
        elif asked.resumed > self._limits.resumes:
            logger.warning("a question was given up: each attempt at it was cut short")
            self._refuse(asked, sentence(Reason.INTERNAL_ERROR))
        else:
            await reread(self._adapter, self._questions, asked, self._clock.sleep)
            lane.put(asked)

    def _admit(self, lane: Lane, asked: Asked | None) -> None:
        if asked is None:
            return
        if lane.stopped:
            self._refuse(asked, sentence(Reason.CANCELLED))
        elif self._answering.closing:
            self._notice(self._answering.put_off(asked))
        elif len(lane.waiting) >= self._limits.waiting:
            logger.info("a question was refused: too many wait in its thread")
            self._refuse(asked, sentence(Reason.RATE_LIMITED))
        else:
            lane.put(asked)

    def _withdraw(self, event: MessageDeleted) -> None:
        asked = self._questions.known(event.scope, event.message_id)
        if asked is None or asked.done:
            lanes = [lane for lane in self._lanes.values() if lane.thread.scope == event.scope]
            arrivals = [lane.arrival for lane in lanes if lane.arrival is not None]
            self._notice(self._look_up(event, arrivals))
        else:
            asked.drop()

    async def _look_up(self, event: MessageDeleted, arrivals: Sequence[asyncio.Task[None]]) -> None:
        """Remove the answer to a question of long ago, or to one that was only just arriving."""
        if arrivals:
            await asyncio.wait(arrivals)
        known = self._questions.known(event.scope, event.message_id)
        if known is not None and not known.done:
            self._withdraw(event)
        elif (asked := await self._questions.recall(event.scope, event.message_id)) is not None:
            await self._answering.take_back(asked, self._lanes.get(asked.thread))

    def _refuse(self, asked: Asked, why: str) -> None:
        """Say *why* there is no answer, without holding up the thread."""
        self._notice(self._answering.refuse(asked, why))

    def _notice(self, work: Coroutine[Any, Any, object]) -> None:
        task = asyncio.create_task(work, name="notice")
        self._notices.add(task)
        task.add_done_callback(self._notices.discard)

    def _retire(self, lane: Lane) -> None:
        if self._lanes.get(lane.thread) is lane:
            del self._lanes[lane.thread]
