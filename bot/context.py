"""What was said in a thread before the bot was called into it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from bot.chat import ChatError
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat import ChatAdapter, Thread, Turn
    from bot.incoming import IncomingMessage

logger = logging.getLogger(__name__)

HISTORY = 30
"""Messages that are read when the bot is called in the middle of a thread."""


class Context(Protocol):
    """Where a thread's earlier messages are kept."""

    async def missing(self, thread: Thread) -> bool:
        """Tell whether nothing is remembered of *thread* yet. Raises `PipelineError`."""
        ...

    async def adopt(self, thread: Thread, turns: Sequence[Turn]) -> None:
        """Remember what was said before, oldest first. Raises `PipelineError`."""
        ...


async def catch_up(adapter: ChatAdapter, context: Context | None, message: IncomingMessage) -> None:
    """Hand over what stands before *message* in its thread, if it is not the first and nothing is known."""
    if context is None or not message.midway:
        return
    try:
        if await context.missing(message.thread):
            turns = await adapter.history(message.thread, limit=HISTORY)
            await context.adopt(message.thread, _before(turns, message))
    except (ChatError, PipelineError) as error:  # the question can still be answered for itself
        logger.info("a thread's beginning stays unknown: %s", type(error).__name__)


def _before(turns: Sequence[Turn], message: IncomingMessage) -> Sequence[Turn]:
    """Return *turns* without the question itself, which the platform lists as the last."""
    if turns and not turns[-1].own and message.text in turns[-1].text:
        return turns[:-1]
    return turns
