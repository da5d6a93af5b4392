"""A message becomes a question, an answer and a reply: in order, once, and never silently."""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections import OrderedDict
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, assert_never

from bot.chat import Body, ChatError
from bot.context import catch_up
from bot.courier import Courier
from bot.incoming import IncomingMessage, MessageDeleted, MessageEdited, StopRequested
from bot.lanes import Asked, Lane
from bot.pacing import first_of
from bot.reply import Halt, Reply, report
from bot.seen import is_first
from bot.wording import RESTARTING, sentence
from pipeline.domain import Question, Reason

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence

    from bot.chat import Button, ChatAdapter, Thread
    from bot.context import Context
    from bot.incoming import Incoming
    from bot.pacing import Clock, Limiters
    from bot.seen import SeenEvents
    from pipeline.domain import Scope
    from pipeline.ports import AnswerStream

logger = logging.getLogger(__name__)

GRACE = 10.0
"""Seconds that stopped answers have for their last edit when the program ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one process keeps and waits for."""

    waiting: int = 5
    """Questions of one thread behind the one that is being answered; a further one is refused."""
    memory_s: float = 20.0
    """How long a question waits until the turn before it is remembered."""
    kept: int = 1000
    """Answered questions whose messages are still known, so that they can be redone or removed."""


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
        seen: SeenEvents,
        limiters: Limiters,
        clock: Clock,
        context: Context | None = None,
        buttons: Sequence[Button] = (),
        limits: Limits | None = None,
    ) -> None:
        self._adapter = adapter
        self._ask = ask
        self._seen = seen
        self._limiters = limiters
        self._clock = clock
        self._context = context
        self._buttons = tuple(buttons)
        self._limits = limits or Limits()
        self._lanes: dict[Thread, Lane] = {}
        self._asked: OrderedDict[str, Asked] = OrderedDict()
        self._notices: set[asyncio.Task[None]] = set()
        self._closing = False

    def receive(self, event: Incoming) -> None:
        """Take *event* in and return at once; must be called on a running loop, in the order of arrival."""
        match event:
            case IncomingMessage():
                self._take(event)
            case MessageEdited():
                self._change(event)
            case MessageDeleted():
                self._withdraw(event)
            case StopRequested(thread=thread):
                self.stop(thread)
            case _:
                assert_never(event)

    def stop(self, thread: Thread) -> bool:
        """Stop the answer that is being written in *thread*; False: there is none."""
        lane = self._lanes.get(thread)
        if lane is None or lane.running is None or lane.running.reply is None:
            return False
        lane.running.reply.halt(Halt.STOPPED)
        return True

    async def answered(self, thread: Thread) -> None:
        """Return when every question of *thread* so far has its final text."""
        while (lane := self._lanes.get(thread)) is not None and lane.answering:
            await asyncio.wait(lane.answering)

    async def settled(self, thread: Thread | None = None) -> None:
        """Return when *thread* (None: every thread) is answered and remembered."""
        while tasks := self._tasks(thread):
            await asyncio.wait(tasks)

    async def drain(self, seconds: float) -> None:
        """Let answers end for *seconds*, then stop them with a text that says how to go on.

        What arrives meanwhile is refused with the same text.
        """
        self._closing = True
        await first_of(self.settled(), self._clock.sleep(seconds))
        for lane in list(self._lanes.values()):
            while lane.waiting:
                self._refuse(lane.waiting.popleft(), RESTARTING)
            if lane.running is not None and lane.running.reply is not None:
                lane.running.reply.halt(Halt.RESTARTING)
        await first_of(self.settled(), self._clock.sleep(GRACE))
        left = self._tasks()
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)

    def _tasks(self, thread: Thread | None = None) -> list[asyncio.Task[None]]:
        if thread is not None:
            lane = self._lanes.get(thread)
            return lane.tasks if lane is not None else []
        return [*self._notices, *(task for lane in self._lanes.values() for task in lane.tasks)]

    def _take(self, message: IncomingMessage) -> None:
        key = _key(message.thread.scope, message.message_id)
        if key in self._asked:
            logger.debug("a message arrived again")
            return
        self._enter(self._keep(Asked(message, message.text)), f"message:{key}")

    def _change(self, event: MessageEdited) -> None:
        """Answer a question anew, in the messages of its first answer if those are known."""
        asked = self._asked.get(_key(event.thread.scope, event.message_id))
        if asked is None:
            message = IncomingMessage(
                event_id=event.event_id,
                message_id=event.message_id,
                thread=event.thread,
                author=event.author,
                text=event.text,
            )
            self._enter(self._keep(Asked(message, event.text)), f"edit:{event.event_id}")
        elif not asked.gone and asked.text != event.text:
            asked.text = event.text
            if asked.done:
                asked.done = False
                self._enter(asked, None)
            elif asked.reply is not None:
                asked.again = True
                asked.reply.halt(Halt.WITHDRAWN)

    def _withdraw(self, event: MessageDeleted) -> None:
        asked = self._asked.get(_key(event.scope, event.message_id))
        if asked is None or asked.gone:
            return
        asked.gone = True
        if asked.reply is not None:
            asked.reply.halt(Halt.WITHDRAWN)
        elif asked.messages:
            self._notice(self._courier(asked.message.thread).remove(asked.messages))

    def _enter(self, asked: Asked, claim: str | None) -> None:
        thread = asked.message.thread
        lane = self._lanes.get(thread)
        if lane is None:
            lane = self._lanes[thread] = Lane(thread, self._serve, self._retire)
        lane.arrive(self._admit(lane, asked, claim))

    async def _admit(self, lane: Lane, asked: Asked, claim: str | None) -> None:
        """Let a question wait for its turn, unless somebody else has it or too many wait already."""
        if claim is not None and not await is_first(self._seen, claim):
            self._asked.pop(_key(asked.message.thread.scope, asked.message.message_id), None)
        elif self._closing:
            self._refuse(asked, RESTARTING)
        elif len(lane.waiting) >= self._limits.waiting:
            logger.info("a question was refused: too many wait in its thread")
            self._refuse(asked, sentence(Reason.RATE_LIMITED))
        else:
            lane.put(asked)

    async def _serve(self, lane: Lane, asked: Asked) -> None:
        try:
            await self._answer(lane, asked)
        except Exception as error:  # noqa: BLE001 - the last frame: every question gets an answer or a reason
            report(error)
            self._refuse(asked, sentence(Reason.INTERNAL_ERROR))
        finally:
            asked.reply = None
            asked.done = True

    async def _answer(self, lane: Lane, asked: Asked) -> None:
        """Answer a question, again when it changes meanwhile, until its answer stands or it is deleted."""
        courier = self._courier(lane.thread)
        while not asked.gone:
            asked.again = False
            asked.reply = reply = Reply(
                courier,
                lane.thread,
                self._clock,
                key=_nonce(asked),
                buttons=self._buttons,
                reuse=asked.messages,
            )
            asked.attempt += 1
            stage = "One moment…" if lane.memory is not None else ""
            outcome = await reply.show(partial(self._begin, lane, asked), stage=stage)
            asked.messages = outcome.messages
            if not asked.again and not asked.gone:
                if reply.stream is not None:
                    lane.remember(self._remember(reply.stream))
                return
        await courier.remove(asked.messages)

    async def _begin(self, lane: Lane, asked: Asked) -> AnswerStream:
        """Ask, once the turn before is remembered and what was said before the bot was called is known."""
        if lane.memory is not None:
            await first_of(asyncio.shield(lane.memory), self._clock.sleep(self._limits.memory_s))
        if asked.attempt == 1:
            await catch_up(self._adapter, self._context, asked.message)
        thread = lane.thread
        return self._ask(Question(text=asked.text, scope=thread.scope, thread=thread.key))

    async def _remember(self, stream: AnswerStream) -> None:
        try:
            await stream.remember()
        except Exception as error:  # noqa: BLE001 - memory stops advancing; the answer stands
            logger.warning("a turn was not remembered: %s", type(error).__name__)

    def _refuse(self, asked: Asked, why: str) -> None:
        """Say *why* there is no answer, without holding up the thread."""
        asked.done = True
        self._notice(self._say(asked, why))

    async def _say(self, asked: Asked, text: str) -> None:
        try:
            body = Body(text=text, nonce=_nonce(asked))
            posted = await self._courier(asked.message.thread).post(asked.message.thread, body)
            asked.messages += tuple(posted)
        except ChatError as error:
            logger.warning("a refusal could not be delivered: %s", type(error).__name__)

    def _notice(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work, name="notice")
        self._notices.add(task)
        task.add_done_callback(self._notices.discard)

    def _keep(self, asked: Asked) -> Asked:
        """Know *asked* by its message, and forget the oldest of those that are done with."""
        self._asked[_key(asked.message.thread.scope, asked.message.message_id)] = asked
        excess = len(self._asked) - self._limits.kept
        if excess > 0:
            past = [key for key, known in self._asked.items() if known.done or known.gone]
            for key in past[:excess]:
                del self._asked[key]
        return asked

    def _retire(self, lane: Lane) -> None:
        if self._lanes.get(lane.thread) is lane:
            del self._lanes[lane.thread]

    def _courier(self, thread: Thread) -> Courier:
        return Courier(self._adapter, self._limiters.of(thread, self._adapter.capabilities), self._clock)


def _key(scope: Scope, message_id: str) -> str:
    return f"{scope.key}/{message_id}"


def _nonce(asked: Asked) -> str:
    """Return a mark of this attempt that a redelivery after a crash has in common with it."""
    name = f"{asked.message.thread}/{asked.message.message_id}"
    return f"{hashlib.sha256(name.encode()).hexdigest()[:14]}.{asked.attempt}"
