"""A question becomes its answer, however often it changes meanwhile, or else the reason why there is none."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING

from bot.chat import ChatError
from bot.context import catch_up, take_out
from bot.controls import while_writing
from bot.courier import courier_for
from bot.pacing import first_of
from bot.preferences import known_preferences
from bot.reply import Reply, report
from bot.screens import Edits, Spot
from bot.wording import RESTARTING, counted, sentence
from pipeline.conversation import Question, Reason

if TYPE_CHECKING:
    from collections.abc import Callable

    from bot.arriving import Arriving
    from bot.chat import ChatAdapter, Thread
    from bot.context import Context
    from bot.courier import Courier
    from bot.lanes import Lane
    from bot.pacing import Clock, Limiters
    from bot.preferences import PreferenceStore
    from bot.questions import Asked, Questions
    from pipeline.ports import AnswerStream

logger = logging.getLogger(__name__)


class Answering:
    """What is done with one question at a time; it never raises for what pipeline or platform do."""

    def __init__(
        self,
        adapter: ChatAdapter,
        ask: Callable[[Question], AnswerStream],
        questions: Questions,
        *,
        limiters: Limiters,
        clock: Clock,
        context: Context | None,
        preferences: PreferenceStore | None,
        arriving: Arriving,
        memory_s: float,
        files_s: float,
    ) -> None:
        """Let a question wait for at most *memory_s* until the turn before it is remembered.

        And for at most *files_s* for files on their way that it may be about.
        """
        self._adapter = adapter
        self._ask = ask
        self._questions = questions
        self._limiters = limiters
        self._clock = clock
        self._context = context
        self._preferences = preferences
        self._arriving = arriving
        self._memory_s = memory_s
        self._files_s = files_s
        self.closing = False
        """Whether the program ends, so that no further answer is begun."""

    async def serve(self, lane: Lane, asked: Asked) -> None:
        """See a question to its end."""
        try:
            await self._answer(lane, asked)
        except Exception as error:  # noqa: BLE001 - the last frame: every question gets an answer or a reason
            report(error)
            await self.refuse(asked, sentence(Reason.INTERNAL_ERROR))
        finally:
            asked.reply = None
            asked.done = True

    async def refuse(self, asked: Asked, why: str) -> None:
        """Say *why* there is no answer."""
        await self._say(asked, why)
        if not asked.gone:
            await self._questions.close(asked)
        if asked.gone:
            await self.take_back(asked)
        asked.done = True

    async def put_off(self, asked: Asked) -> None:
        """Say that the answer comes after the restart; in the ledger the question stays open for that."""
        await self._say(asked, RESTARTING)
        if asked.gone:
            await self.take_back(asked)
        else:
            await self._questions.leave(asked)
        asked.done = True

    async def take_back(self, asked: Asked, lane: Lane | None = None) -> None:
        """Forget a question that was taken back, and remove what stands because of it."""
        await self._questions.bury(asked)
        if asked.resumed and not asked.messages:
            await self._find(asked)
        await self._courier(asked).remove(asked.messages)
        if lane is not None:
            await self._remembered(lane)
        await take_out(self._context, asked.message)

    async def _answer(self, lane: Lane, asked: Asked) -> None:
        """Answer a question, again when it changes meanwhile, until its answer stands or it is deleted."""
        while not asked.gone:
            asked.again = False
            asked.reply = reply = self._reply(asked)
            stage = "One moment…" if lane.memory is not None else ""
            outcome = await reply.show(partial(self._begin, lane, asked, reply), stage=stage)
            if outcome.unfinished and not asked.overtaken:
                await self._questions.leave(asked)
                return
            if not asked.overtaken and await self._questions.close(asked):
                if reply.stream is not None:
                    lane.remember(partial(self._remember, reply.stream))
                return
            if self.closing and not asked.gone:
                await self.put_off(asked)
                return
            await self._questions.begin_again(asked)
        await self.take_back(asked, lane)

    async def _begin(self, lane: Lane, asked: Asked, reply: Reply) -> AnswerStream:
        """Ask, once the turn before is remembered and what was said before the bot was called is known."""
        await self._remembered(lane)
        await self._await_files(lane.thread, reply)
        if asked.attempt == 1:
            await catch_up(self._adapter, self._context, asked.message)
        else:  # what it read like before is not what was said
            await take_out(self._context, asked.message)
        thread, key = lane.thread, asked.message.message_id
        mode = (await known_preferences(self._preferences, thread.scope)).answers
        return self._ask(Question(text=asked.text, scope=thread.scope, thread=thread.key, key=key, mode=mode))

    async def _remembered(self, lane: Lane) -> None:
        """Return when the turns so far are remembered, as far as that can be waited for."""
        if lane.memory is not None:
            await first_of(asyncio.shield(lane.memory), self._clock.sleep(self._memory_s))

    async def _await_files(self, thread: Thread, reply: Reply) -> None:
        """Give files that the question may be about a moment to arrive."""
        places = await self._arriving.wanted(thread)
        if places:
            reply.stage(f"Waiting for {counted(len(places), 'file')}…")
            ended = self._arriving.ended(thread.scope, places)
            await first_of(ended, self._clock.sleep(self._files_s))

    async def _remember(self, stream: AnswerStream) -> None:
        try:
            await stream.remember()
        except Exception as error:  # noqa: BLE001 - memory stops advancing; the answer stands
            logger.warning("a turn was not remembered: %s", type(error).__name__)

    async def _find(self, asked: Asked) -> None:
        """Find what a process posted that died before it could note it: posting it again leads to it."""
        try:
            await Edits(self._courier(asked), self._spot(asked)).finish(RESTARTING, ())
        except ChatError as error:
            logger.info("what stands of a question is unknown: %s", type(error).__name__)

    async def _say(self, asked: Asked, text: str) -> None:
        try:
            if not asked.gone:
                await Edits(self._courier(asked), self._spot(asked)).finish(text, ())
        except ChatError as error:
            logger.warning("a refusal could not be delivered: %s", type(error).__name__)

    def _reply(self, asked: Asked) -> Reply:
        return Reply(self._courier(asked), self._spot(asked), self._clock, question=asked.message.message_id)

    def _spot(self, asked: Asked) -> Spot:
        return Spot(
            asker=asked.message.author,
            thread=asked.thread,
            key=asked.nonce,
            standing=asked.messages,
            resumed=asked.resumed > 0,
            stood=partial(self._questions.stand, asked),
            writing=while_writing(asked.message.message_id),
        )

    def _courier(self, asked: Asked) -> Courier:
        return courier_for(self._adapter, asked.thread, self._limiters, self._clock)
