"""One use of what the bot offers: a command, a button, a form; and what came of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from tests.fakes.discord.messages import EPHEMERAL

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakes.discord.messages import Message
    from tests.fakes.discord.world import Channel

USED, PRESSED, COMPLETING, SUBMITTED = 2, 3, 4, 5
MESSAGE, DEFERRED, DEFERRED_UPDATE, UPDATE, CHOICES, MODAL = 4, 5, 6, 7, 8, 9


@dataclass(slots=True, kw_only=True, eq=False)
class Interaction:
    """Somebody waits for an answer, three seconds long."""

    id: int
    token: str
    kind: int
    user: int
    channel: Channel
    name: str
    """The command, or the custom id of the button or form."""
    payload: dict[str, Any]
    clock: Callable[[], float]
    at: float
    deadline: float
    message: Message | None = None
    """What the button is on, or what the menu was opened on."""
    begun_by: Interaction | None = None
    """What opened the form."""
    response: int = 0
    """The type of the first answer; 0: there is none yet."""
    latency: float | None = None
    original: Message | None = None
    """The answer, or the message that the button is on when that was changed."""
    answers: list[Message] = field(default_factory=list)
    """The answer and what followed."""
    choices: list[dict[str, Any]] = field(default_factory=list)
    modal: dict[str, Any] | None = None
    _responded: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def failed(self) -> bool:
        """Whether people read that the application did not respond."""
        return not self.response and self.clock() > self.deadline

    @property
    def shown(self) -> str:
        """What people read in the answer."""
        return self.original.shown if self.original is not None else ""

    @property
    def hidden(self) -> bool:
        """Whether only the one who asked sees the answer."""
        return self.original is not None and bool(self.original.flags & EPHEMERAL)

    @property
    def from_message(self) -> bool:
        """Whether there is a message that can be changed in answer."""
        if self.kind == SUBMITTED:
            return self.begun_by is not None and self.begun_by.kind == PRESSED
        return self.kind == PRESSED

    async def answered(self) -> Self:
        """Wait for the first answer."""
        await self._responded.wait()
        return self

    def respond(self, response: int) -> None:
        self.response, self.latency = response, self.clock() - self.at
        self._responded.set()
