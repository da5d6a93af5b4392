"""Answers to what somebody uses: told to Discord in time, and shown to them alone, however long they are."""

from __future__ import annotations

import asyncio
import logging
from functools import partial
from typing import TYPE_CHECKING, Any

import discord

from adapters.discord.calls import FAILURES, Refused, translate
from adapters.discord.markdown import LONGEST, MAX_CHARS, rendered
from bot.asides import in_pieces
from bot.chat import ChatError, TooLong, Unreachable
from bot.patience import patiently

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from adapters.discord.calls import Calls
    from adapters.discord.spots import Interaction

logger = logging.getLogger(__name__)

IN_TIME = 3.0
"""Seconds for which Discord waits to be told that an answer comes; later it needs not be told again."""
PATIENCE = 10.0
"""Seconds for which it is awaited what Discord says to that; it may take its time although it was told."""
AGAIN_S = 0.9
"""Seconds after which a call may be one that discord.py has repeated by itself."""

_ANSWERED = 40060
"""What Discord answers when it was told already."""


async def acknowledged(
    work: Callable[[], Awaitable[Any]], look: Callable[[], Awaitable[object]] | None = None
) -> bool:
    """Answer Discord with *work*, which goes before all else; False: too late, or another process did.

    It counts towards no limit, so no budget is asked. If nobody knows whether it arrived, it is sent again;
    then *look* is asked, which raises `ChatError` if it did not. None: whether it arrived is no matter, only
    what another process has taken is not for us.
    """
    error = await _told(work)
    if isinstance(error, Unreachable) and look is not None:
        try:
            await look()
        except ChatError as missing:
            error = missing
        else:
            error = None
    if error is None:
        return True
    reason = error.code if isinstance(error, Refused) else type(error).__name__
    logger.info("something was used and Discord did not take the answer: %s", reason)
    return look is None and reason != _ANSWERED


async def unseen() -> None:
    """Look for nothing: what was answered leaves nothing to be seen, so a doubt is decided in its favour."""


async def _told(work: Callable[[], Awaitable[Any]]) -> ChatError | None:
    """Tell Discord; what it refuses with, or `Unreachable` if nobody knows."""
    error: ChatError | None = Unreachable()
    clock = asyncio.get_running_loop().time
    begun = clock()
    try:
        async with asyncio.timeout(PATIENCE):
            for again in (False, True):
                error = await _error_of(work)
                repeated = again or clock() - begun >= AGAIN_S
                if repeated and isinstance(error, Refused) and error.code == _ANSWERED:
                    return None
                if not isinstance(error, Unreachable) or clock() - begun > IN_TIME:
                    break
    except TimeoutError:
        return Unreachable()
    return error


async def _error_of(work: Callable[[], Awaitable[Any]]) -> ChatError | None:
    try:
        await work()
    except FAILURES as failure:
        return translate(failure)
    return None


class Whisper:
    """What one person is shown in answer to an interaction that was deferred for them alone."""

    def __init__(
        self,
        interaction: Interaction,
        calls: Calls,
        sleep: Callable[[float], Awaitable[None]],
        *,
        begun: bool = False,
    ) -> None:
        """*begun*: the interaction was answered already, so that all of this comes below."""
        self._interaction = interaction
        self._calls = calls
        self._sleep = sleep
        self._begun = begun

    async def say(self, text: str) -> bool:
        """Show *text*, below what was shown already; False: Discord does not take it."""
        try:
            await in_pieces(text, MAX_CHARS, self._show)
        except ChatError as error:
            logger.warning("a whisper could not be delivered: %s", type(error).__name__)
            return False
        return True

    async def end(self) -> None:
        """Let nothing wait any more: if there was nothing to say, it is taken back."""
        if self._begun:
            return
        try:
            await self._calls.call(self._interaction.delete_original_response)
        except ChatError as error:
            logger.info("an empty whisper was not taken back: %s", type(error).__name__)

    async def _show(self, text: str) -> None:
        content = rendered(text)
        if len(content) > LONGEST:
            raise TooLong
        way = self._follow if self._begun else self._fill
        await patiently(partial(self._calls.call, partial(way, content)), self._sleep)
        self._begun = True

    async def _fill(self, content: str) -> None:
        nobody = discord.AllowedMentions.none()
        await self._interaction.edit_original_response(content=content, allowed_mentions=nobody)

    async def _follow(self, content: str) -> None:
        nobody = discord.AllowedMentions.none()
        await self._interaction.followup.send(
            content, ephemeral=True, allowed_mentions=nobody, suppress_embeds=True, wait=True
        )
