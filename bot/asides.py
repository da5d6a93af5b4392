"""What people ask for beside the conversation: done for those who may, and answered to them in any case."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from bot.chat import Body, TooLong
from bot.commands import GUARDED
from bot.controls import FORGET, STOP
from bot.courier import smaller
from bot.incoming import StopRequested
from bot.records import Caller
from bot.splitting import SMALLEST, split
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat import Form, Thread
    from bot.commands import Commands
    from bot.conversation import Conversation
    from bot.incoming import IncomingAction
    from pipeline.domain import Scope

logger = logging.getLogger(__name__)

OPEN = frozenset({"help"})
"""Commands that tell nothing of a channel."""

FAILED = "Something went wrong here; the log has it. Please try again in a minute."
UNKNOWN = "I do not know this button any more."

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """Somebody who asks for something. What they may is found out only where it matters."""

    author: str
    caller: Callable[[], Awaitable[Caller]]
    """Finds out who they are to the channel."""
    refusal: Callable[[], Awaitable[str | None]]
    """Finds out why they are told nothing of the channel; None: they may know."""


async def obey(commands: Commands, name: str, where: Thread | Scope, args: str, asker: Asker) -> Body:
    """Run a command, unless the channel is closed to whoever gives it. Raises `PipelineError`."""
    tells = name in commands.names and name not in OPEN
    if tells and (refusal := await asker.refusal()) is not None:
        return Body(text=refusal)
    guarded = name in GUARDED and bool(args)
    caller = await asker.caller() if guarded else Caller(author=asker.author)
    return await commands.run(name, where, args, caller)


async def press(
    commands: Commands, conversation: Conversation, event: IncomingAction, asker: Asker
) -> Body | Form | None:
    """Do what a button stands for; None: there is nothing to say about it. Raises `PipelineError`."""
    if event.action == STOP:
        conversation.receive(StopRequested(thread=event.thread))
        return None
    if event.action == FORGET:
        return await commands.run(FORGET, event.thread, event.value, await asker.caller())
    return await commands.act(event) or Body(text=UNKNOWN)


async def keep(commands: Commands, event: IncomingAction) -> Body:
    """Keep what was written into a form. Raises `PipelineError`."""
    result = await commands.act(event)
    return result if isinstance(result, Body) else Body(text=UNKNOWN)


async def answered(work: Awaitable[T]) -> T | Body:
    """Return what *work* comes to, or why it failed: whoever asks is answered."""
    try:
        return await work
    except PipelineError as error:
        return Body(text=str(error))
    except Exception as error:
        # the text of an error may quote people
        logger.warning("a request failed: %s", type(error).__name__)
        logger.debug("a request failed", exc_info=True)
        return Body(text=FAILED)


async def in_pieces(text: str, limit: int, send: Callable[[str], Awaitable[None]]) -> None:
    """Send *text* in as many pieces as it takes. Raises `ChatError`."""
    for part in split(text, limit):
        try:
            await send(part.text)
        except TooLong:
            if smaller(limit) < SMALLEST:
                raise
            await in_pieces(part.text, smaller(limit), send)
