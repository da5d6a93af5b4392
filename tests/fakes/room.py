"""A conversation with everything around it, on a fake platform."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from bot.chat import Thread
from bot.conversation import Conversation
from bot.incoming import IncomingMessage, MessageDeleted, MessageEdited
from bot.pacing import Limiters
from pipeline.domain import Scope
from pipeline.errors import PipelineError, StorageError
from tests.fakes.chat import FakeChat
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.pipeline import ScriptedPipeline, answer
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.arriving import Arriving
    from bot.chat import Turn
    from bot.conversation import Limits
    from bot.preferences import PreferenceStore
    from tests.fakes.pipeline import Script

SCOPE = Scope("fake", "w", "c")
ONE = Thread(SCOPE, "one")
TWO = Thread(SCOPE, "two")


class Room:
    """A conversation with everything around it."""

    def __init__(
        self,
        *scripts: Script | Exception,
        chat: FakeChat | None = None,
        ledger: FakeLedger | None = None,
        preferences: PreferenceStore | None = None,
        context: FakeContext | None = None,
        arriving: Arriving | None = None,
        limits: Limits | None = None,
    ) -> None:
        self.clock = FakeClock()
        self.chat = chat or FakeChat()
        self.pipeline = ScriptedPipeline(*(scripts or (answer("Five days."),)))
        self.ledger = ledger or FakeLedger()
        self.conversation = Conversation(
            self.chat,
            self.pipeline.ask_stream,
            ledger=self.ledger,
            limiters=Limiters(),
            clock=self.clock,
            preferences=preferences,
            context=context,
            arriving=arriving,
            limits=limits,
        )

    def say(
        self,
        text: str,
        *,
        at: str = "",
        thread: Thread = ONE,
        event: str = "",
        author: str = "u1",
        mentioned: bool = True,
        midway: bool = False,
    ) -> str:
        message_id = at or text
        self.conversation.receive(
            IncomingMessage(
                event_id=event or f"e-{message_id}",
                message_id=message_id,
                thread=thread,
                author=author,
                text=text,
                mentioned=mentioned,
                midway=midway,
            )
        )
        return message_id

    def edit(self, message_id: str, text: str, *, event: str = "edit-1", mentioned: bool = True) -> None:
        self.conversation.receive(
            MessageEdited(
                event_id=event,
                message_id=message_id,
                thread=ONE,
                author="u1",
                text=text,
                mentioned=mentioned,
            )
        )

    def delete(self, message_id: str) -> None:
        self.conversation.receive(MessageDeleted(event_id="del-1", message_id=message_id, scope=SCOPE))

    async def until(self, text: str) -> None:
        """Wait until people see *text*."""
        await until(lambda: any(text in shown for shown in self.chat.texts()))

    async def settled(self) -> None:
        await self.conversation.settled()

    async def crash(self) -> None:
        """End as a process that is killed: nothing more is said or kept."""
        self.ledger.die()
        self.ledger.error = StorageError()
        for task in self.conversation._tasks():
            task.cancel()
        await self.conversation.settled()

    async def successor(self, *scripts: Script | Exception) -> Room:
        """Start another process on the same platform and ledger, which resumes."""
        room = Room(*scripts, chat=self.chat, ledger=self.ledger.other(f"after {id(self)}"))
        await room.conversation.resume()
        return room

    @property
    def asked(self) -> list[str]:
        return [question.text for question in self.pipeline.questions]


class FakeContext:
    def __init__(self, *, missing: bool = True) -> None:
        self._missing = missing
        self.adopted: list[tuple[Thread, Sequence[Turn]]] = []
        self.retracted: list[tuple[Thread, str]] = []
        self.error: PipelineError | None = None
        """Raised by everything, if set."""

    async def missing(self, thread: Thread) -> bool:
        self._begin()
        return self._missing

    async def adopt(self, thread: Thread, turns: Sequence[Turn]) -> None:
        self._begin()
        self.adopted.append((thread, turns))

    async def retract(self, thread: Thread, question_key: str) -> None:
        self._begin()
        self.retracted.append((thread, question_key))

    def _begin(self) -> None:
        if self.error is not None:
            raise self.error


def gated(text: str) -> Script:
    script = answer(text)
    script.gate = asyncio.Event()
    return script


def open_gate(script: Script) -> None:
    assert script.gate is not None
    script.gate.set()
