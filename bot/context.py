"""What people said in a thread without the bot, and what it remembered of what they took back."""

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

HISTORY = 100
"""Messages that are read when the bot is called in the middle of a thread."""
BEGINNING = 400
"""Characters that are kept of a long thread's beginning, which names its subject."""


class Context(Protocol):
    """Where a thread's earlier messages are kept."""

    async def missing(self, thread: Thread) -> bool:
        """Tell whether nothing is remembered of *thread* yet. Raises `PipelineError`."""
        ...

    async def adopt(self, thread: Thread, turns: Sequence[Turn]) -> None:
        """Remember what was said as well, oldest first. Raises `PipelineError`."""
        ...

    async def retract(self, thread: Thread, question_key: str) -> None:
        """Remember a question and its answer no more. Raises `PipelineError`."""
        ...


async def catch_up(adapter: ChatAdapter, context: Context | None, message: IncomingMessage) -> None:
    """Hand over what was said in the thread before *message* calls the bot, and what it has not seen of it.

    Some platforms let a thread be read seldom, so nothing is read for a message that does not name the bot.
    """
    if context is None or not (message.midway and message.mentioned):
        return
    try:
        known = not await context.missing(message.thread)
        said = _before(await adapter.history(message.thread, limit=HISTORY), message)
        if known:
            said = _unseen(said)
        if said:
            await context.adopt(message.thread, said)
    except (ChatError, PipelineError) as error:  # the question can still be answered for itself
        logger.info("what was said in a thread stays unknown: %s", type(error).__name__)


async def take_out(context: Context | None, message: IncomingMessage) -> None:
    """Let a question that was changed or taken back be remembered no more."""
    if context is None:
        return
    try:
        await context.retract(message.thread, message.message_id)
    except PipelineError as error:
        logger.warning("a question that was taken back is still remembered: %s", type(error).__name__)


def condensed(said: Sequence[str], limit: int) -> str:
    """Return what was *said* in at most *limit* characters: of a long talk the beginning and the end."""
    parts = [" ".join(part.split()) for part in said]
    whole = " ".join(filter(None, parts))
    if len(whole) <= limit:
        return whole
    first = next(filter(None, parts))
    beginning = whole[: min(BEGINNING, len(first))]
    if len(beginning) < len(first):
        beginning = beginning.rpartition(" ")[0] or beginning
    end = whole[len(whole) - (limit - len(beginning) - 3) :]
    return f"{beginning} … {end.partition(' ')[2] or end}"


def _before(turns: Sequence[Turn], message: IncomingMessage) -> Sequence[Turn]:
    """Return what stands before the question itself, behind which others may have written meanwhile."""
    for index in reversed(range(len(turns))):
        if not turns[index].own and message.text in turns[index].text:
            return turns[:index]
    return turns


def _unseen(turns: Sequence[Turn]) -> Sequence[Turn]:
    """Return what people wrote since the bot did: until then it is in its memory."""
    latest = max((index for index, turn in enumerate(turns) if turn.own), default=-1)
    return turns[latest + 1 :]
