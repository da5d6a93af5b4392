"""A growing answer becomes messages on one platform, and the last edit always lands."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING, assert_never

from bot.chat import ChatError, Mark, NotAllowed, RateLimited, TooLong, Unreachable
from bot.controls import BAD, GOOD, WHY, under_answer
from bot.courier import ROUNDS
from bot.pacing import first_of
from bot.screens import Edits
from bot.streams import StreamBroken, open_screen
from bot.wording import REFUSED, RESTARTING, final_text, sentence, stage_text
from pipeline.conversation import Delta, GenerationResponse, Progress, Reason

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.chat import Button, MessageRef
    from bot.courier import Courier
    from bot.pacing import Clock
    from bot.screens import Screen, Spot
    from pipeline.ports import AnswerStream

logger = logging.getLogger(__name__)

TROUBLES = 3
"""After so many lost intermediate edits in a row only the last one is made."""


class Halt(Enum):
    """Why an answer ends before its time."""

    STOPPED = "stopped"
    """Somebody asked for it: what was written stays, and says that it was stopped."""
    RESTARTING = "restarting"
    """The program ends: what was written stays for now, and says how it goes on."""
    WITHDRAWN = "withdrawn"
    """The question changed or is gone: nothing is written any more, the messages are left to the caller."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How a reply ended."""

    response: GenerationResponse
    messages: tuple[MessageRef, ...]
    delivered: bool
    """False: the platform took the final text for no effort, or nobody wants it any more."""
    unfinished: bool = False
    """Whether it is to be answered again: a restart cut it short, or the platform could not be reached."""


class Reply:
    """One answer on its way to one spot, under which its buttons name the *question*.

    The loop that reads the answer never waits for the platform: an editor of its own shows the latest text
    whenever the budget lets it, and only the final text is insisted on.
    """

    def __init__(self, courier: Courier, spot: Spot, clock: Clock, *, question: str) -> None:
        self._courier = courier
        self._spot = spot
        self._clock = clock
        self._question = question
        self._screen: Screen | None = None
        self._text = ""
        self._stage = ""
        self._troubles = 0
        self._halt: Halt | None = None
        self._cut = False
        """A restart came before the end."""
        self._lost = False
        """The platform could not be reached with the end."""
        self._changed = asyncio.Event()
        self._ended = asyncio.Event()
        self.halted = asyncio.Event()
        self.stream: AnswerStream | None = None
        """Once it was begun; for `remember` after the last edit."""

    @property
    def messages(self) -> tuple[MessageRef, ...]:
        """What stands in the thread because of this answer, now."""
        return self._spot.standing if self._screen is None else self._screen.messages

    def halt(self, why: Halt) -> None:
        """End the answer; `show` then returns soon. Only a withdrawal overrules an earlier halt."""
        if self._halt is None or why is Halt.WITHDRAWN:
            self._halt = why
        self.halted.set()

    async def show(self, begin: Callable[[], Awaitable[AnswerStream]], *, stage: str = "") -> Outcome:
        """Show the answer that *begin* starts until it ends, and its outcome; *stage* stands there before it.

        Never raises for what pipeline or platform do.
        """
        if stage:
            self.stage(stage)
        reader = asyncio.create_task(self._read(begin), name="read answer")
        editor = asyncio.create_task(self._edit(), name="edit reply")
        try:
            response = await self._outcome(reader)
            self._ended.set()
            self._changed.set()
            await asyncio.wait([editor])
            if (
                error := editor.exception()
            ) is not None:  # a fault of the adapter; the end is shown all the same
                report(error)
            delivered = await self._deliver(response)
        finally:
            reader.cancel()
            editor.cancel()
        unfinished = self._cut or (self._lost and self._halt is not Halt.STOPPED)
        return Outcome(response=response, messages=self.messages, delivered=delivered, unfinished=unfinished)

    def stage(self, text: str) -> None:
        """Say what is being done, as long as there is no answer to show."""
        self._stage = text
        self._changed.set()

    async def _read(self, begin: Callable[[], Awaitable[AnswerStream]]) -> GenerationResponse:
        try:
            self.stream = await begin()
            async for event in self.stream:
                self._take(event)
            response = self.stream.response
        except Exception as error:  # noqa: BLE001 - whatever the pipeline raises, people get a sentence
            return _failed(error)
        return response

    def _take(self, event: Progress | Delta) -> None:
        match event:
            case Delta(text=text):
                self._text += text
            case Progress():
                self._stage = stage_text(event)
            case _:
                assert_never(event)
        self._changed.set()

    async def _outcome(self, reader: asyncio.Task[GenerationResponse]) -> GenerationResponse:
        """Wait for the end of the answer, or make one."""
        await first_of(asyncio.shield(reader), self.halted.wait())
        if reader.done():
            return reader.result()
        reader.cancel()
        await asyncio.wait([reader])
        try:
            if self.stream is not None:
                await self.stream.aclose()
        except Exception as error:  # noqa: BLE001 - an answer that cannot be stopped is not waited for
            report(error)
        return self._halted_response()

    def _halted_response(self) -> GenerationResponse:
        """Return what the answer had come to, in the words of whoever ended it."""
        try:
            response = self.stream.response if self.stream is not None else None
        except RuntimeError:  # it could not be stopped
            response = None
        if response is not None and response.reason is not Reason.CANCELLED:
            return response
        self._cut = self._halt is Halt.RESTARTING
        message = RESTARTING if self._cut else sentence(Reason.CANCELLED)
        stopped = response or GenerationResponse(success=False, reason=Reason.CANCELLED)
        return replace(stopped, message=message)

    async def _edit(self) -> None:
        """Show the latest state whenever there is news and the budget has room, until the answer ended."""
        self._screen = await open_screen(self._courier, self._spot)
        while await self._due(self._screen):
            try:
                await self._show_latest(self._screen)
            except RateLimited:
                self._changed.set()  # the budget knows how long to wait
            except StreamBroken:
                self._screen = self._screen.fallback()
                self._changed.set()
            except ChatError as error:
                self._trouble(error)

    async def _due(self, screen: Screen) -> bool:
        await self._changed.wait()
        while not self._ended.is_set() and (delay := screen.delay(self._text)):
            await first_of(self._clock.sleep(delay), self._ended.wait())
        self._changed.clear()
        return not self._ended.is_set()

    async def _show_latest(self, screen: Screen) -> None:
        if self._troubles >= TROUBLES:
            return
        if self._text:
            await screen.grow(self._text)
        elif self._stage:
            await screen.stage(self._stage)
        self._troubles = 0

    def _trouble(self, error: ChatError) -> None:
        """Count a lost edit. What repeating cannot help is not tried again before the end."""
        self._troubles += 1 if isinstance(error, Unreachable) else TROUBLES
        self._changed.set()
        logger.info("an intermediate edit was lost: %s", type(error).__name__)

    async def _deliver(self, response: GenerationResponse) -> bool:
        """Show the outcome, however long the platform is away; False when that helps nothing."""
        delivered = await self._finish(response)
        for pause in ROUNDS:
            if not self._lost:
                break
            await first_of(self._clock.sleep(pause), self.halted.wait())
            if self._halt in (Halt.WITHDRAWN, Halt.RESTARTING):
                break
            delivered = await self._finish(response)
        return delivered

    async def _finish(self, response: GenerationResponse) -> bool:
        """Show the outcome; False when nobody wants it or the platform did not take it."""
        self._lost = False
        screen = self._screen or Edits(self._courier, self._spot)
        self._screen = screen
        try:
            if self._halt is Halt.WITHDRAWN:
                await screen.abandon()
                return False
            schemes = self._courier.capabilities.link_schemes
            text = final_text(response, self._text, schemes=schemes)
            await screen.finish(text, self._buttons(response))
        except ChatError as error:
            self._lost = isinstance(error, RateLimited | Unreachable)
            logger.warning("a reply could not be delivered: %s", type(error).__name__)
            if isinstance(error, NotAllowed | TooLong):
                await self._say_why(screen)
            return False
        finally:
            await self._courier.end_status()
        return True

    async def _say_why(self, screen: Screen) -> None:
        """Let a reason stand in place of an answer that is refused, or a sign; no draft is left behind."""
        try:
            await screen.finish(REFUSED, ())
        except ChatError as error:
            logger.warning("not even the reason was shown: %s", type(error).__name__)
            await self._courier.remove(screen.messages)
            await self._spot.stood(())
            self._screen = Edits(self._courier, self._spot, slots=())
            await self._mark()

    async def _mark(self) -> None:
        try:
            await self._courier.adapter.mark(self._spot.thread, self._question, Mark.FAILED)
        except ChatError as error:
            logger.info("no sign was put at a question: %s", type(error).__name__)

    def _buttons(self, response: GenerationResponse) -> Sequence[Button]:
        """Return what belongs under the outcome: what was found can be judged, a refusal only explained."""
        if self._cut or response.reason is Reason.INTERNAL_ERROR:
            return ()
        buttons = under_answer(self._question)
        if response.citations:
            return buttons
        fitting = {GOOD, BAD, WHY} if response.success else {WHY}
        return [button for button in buttons if button.action in fitting]


def report(error: BaseException) -> None:
    """Log a fault of ours. Its text may quote people, so it is not shown by default."""
    logger.warning("an answer failed: %s", type(error).__name__)
    logger.debug("an answer failed", exc_info=error)


def _failed(error: Exception) -> GenerationResponse:
    report(error)
    return GenerationResponse(
        success=False, reason=Reason.INTERNAL_ERROR, message=sentence(Reason.INTERNAL_ERROR)
    )
