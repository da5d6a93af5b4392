"""Questions that a process left are looked at before they are answered: people may have changed them."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING

from bot.chat import ChatError, MessageGone, RateLimited
from bot.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from bot.chat import ChatAdapter, Said
    from bot.questions import Asked, Questions

logger = logging.getLogger(__name__)

SHORT = 10.0
"""Seconds that a platform may ask to wait; an answer to old words is better than none for minutes."""


async def reread(
    adapter: ChatAdapter, questions: Questions, asked: Asked, sleep: Callable[[float], Awaitable[None]]
) -> None:
    """Let *asked* be what people have made of it; where the platform does not tell, it stays as it is."""
    try:
        said = await patiently(partial(_look, adapter, asked), sleep)
    except MessageGone:
        asked.drop()
        return
    except ChatError as error:
        logger.info("whether a question has changed is unknown: %s", type(error).__name__)
        return
    if said is not None and asked.message.mentioned and not said.mentioned:
        asked.unnamed = True
        asked.drop()
    elif said is not None and said.text not in {asked.text, asked.noted}:
        asked.text = said.text
        await questions.amend(asked)


async def _look(adapter: ChatAdapter, asked: Asked) -> Said | None:
    try:
        return await adapter.reread(asked.thread, asked.message.message_id)
    except RateLimited as limit:
        if limit.retry_after > SHORT:
            return None
        raise
