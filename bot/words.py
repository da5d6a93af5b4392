"""Messages that are a command and nothing else, for threads in which a platform has no commands."""

from __future__ import annotations

import hashlib
import logging
from typing import TYPE_CHECKING

from bot.chat import Body, ChatError
from bot.commands import STOP
from bot.courier import Courier
from bot.errands import Errands
from bot.incoming import IncomingMessage, MessageEdited
from bot.ledger import Book
from bot.pacing import first_of
from bot.records import Caller
from bot.reply import report
from bot.wording import sentence
from pipeline.conversation import Reason
from pipeline.entries import Entry
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from bot.chat import ChatAdapter, Thread
    from bot.commands import Commands
    from bot.conversation import Conversation
    from bot.incoming import Incoming
    from bot.ledger import Ledger
    from bot.pacing import Clock, Limiters

logger = logging.getLogger(__name__)

KIND = "word"
GRACE = 5.0
"""Seconds that answers have when the program ends."""
KNOWN = 1000
"""Messages of this kind that are known to have come already."""

_NOTHING = "Nothing is being written in this thread, so there is nothing to stop."


class Words:
    """Obeys such messages, and hands everything else to the conversation."""

    def __init__(
        self,
        adapter: ChatAdapter,
        conversation: Conversation,
        commands: Commands,
        *,
        ledger: Ledger,
        limiters: Limiters,
        clock: Clock,
    ) -> None:
        self._adapter = adapter
        self._conversation = conversation
        self._commands = commands
        self._book = Book(ledger, KIND)
        self._limiters = limiters
        self._clock = clock
        self._obeyed: dict[str, None] = {}
        self._errands = Errands()

    def receive(self, event: Incoming) -> None:
        """Take *event* in and return at once; must be called on a running loop, in the order of arrival.

        A word that does not name the bot is not meant for it, except a stop, which nobody asks as a question.
        """
        match event:
            case IncomingMessage(mentioned=True) | MessageEdited(mentioned=True):
                name = self._commands.named(event.text)
                if name is not None:
                    self._take(name, event)
                    return
            case IncomingMessage() if self._commands.named(event.text) == STOP:
                if not self._conversation.stop(event.thread):
                    self._errands.start(self._conversation.stop_elsewhere(event.thread), name="word")
                return
        self._conversation.receive(event)

    async def settled(self) -> None:
        """Return when every such message so far was answered."""
        await self._errands.settled()

    async def stop(self) -> None:
        """Let answers end for `GRACE` seconds."""
        await first_of(self.settled(), self._clock.sleep(GRACE))
        await self._errands.stop()

    def _take(self, name: str, event: IncomingMessage | MessageEdited) -> None:
        key = f"{event.thread.scope.key}/{event.message_id}/{name}"
        if self._note(key):
            # at once, for the order counts: what is asked after a stop is not stopped
            stopped = name == STOP and self._conversation.stop(event.thread)
            self._errands.start(self._obey(key, name, event, stopped=stopped), name="word")

    async def _obey(
        self, key: str, name: str, event: IncomingMessage | MessageEdited, *, stopped: bool
    ) -> None:
        entry = Entry(
            kind=KIND,
            scope=event.thread.scope,
            id=f"{event.message_id}/{name}",
            thread=event.thread.key,
            author=event.author,
            state="done",
        )
        if not await self._book.open(entry) or stopped:
            return
        if name == STOP and await self._conversation.stop_elsewhere(event.thread):
            return
        text = _NOTHING if name == STOP else await self._result(name, event)
        nonce = f"w{hashlib.sha256(key.encode()).hexdigest()[:14]}"
        await self._say(event.thread, Body(text=text, nonce=nonce))

    async def _result(self, name: str, event: IncomingMessage | MessageEdited) -> str:
        try:
            body = await self._commands.run(name, event.thread, "", Caller(author=event.author))
        except PipelineError as error:
            return str(error)
        except Exception as error:  # noqa: BLE001 - whoever asks is answered
            report(error)
            return sentence(Reason.INTERNAL_ERROR)
        return body.text

    async def _say(self, thread: Thread, body: Body) -> None:
        limiter = self._limiters.of(thread, self._adapter.capabilities)
        try:
            await Courier(self._adapter, limiter, self._clock).post(thread, body)
        except ChatError as error:
            logger.warning("a command's answer could not be delivered: %s", type(error).__name__)

    def _note(self, key: str) -> bool:
        """Know *key* for a while; False: it is known, for one message comes as several events."""
        if key in self._obeyed:
            return False
        self._obeyed[key] = None
        if len(self._obeyed) > KNOWN:
            del self._obeyed[next(iter(self._obeyed))]
        return True
