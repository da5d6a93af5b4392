"""The one way to Discord's REST API: within the budget, and with the seam's errors."""

from __future__ import annotations

import asyncio
import logging
import re
from functools import partial
from math import isnan
from typing import TYPE_CHECKING, Any, TypeVar
from weakref import WeakValueDictionary

import discord
from aiohttp import ClientError

from bot.chat import ChatError, MessageGone, NotAllowed, RateLimited, TooLong, Unreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from adapters.discord.budgets import Budgets

logger = logging.getLogger(__name__)

FAILURES = (
    discord.DiscordException, ClientError, OSError, RuntimeError,
    ValueError, TypeError, LookupError, AttributeError,
)  # fmt: skip
"""What a call of discord.py raises; the last four where an answer is not what Discord would send."""
PATIENCE = 5.0
"""Seconds to wait when Discord asks to slow down and does not say for how long."""
LONGEST = 3600.0
LONGEST_CALL = 60.0
"""Seconds that one call may take, discord.py's own waiting and trying again included."""
UNAUTHORIZED = 401
"""The one status that says it all: the token is not accepted."""

UNKNOWN_CHANNEL = 10003
UNKNOWN_MESSAGE = 10008
UNKNOWN_EMOJI = 10014
ARCHIVED = 50083
NO_HISTORY = 160002
THREAD_EXISTS = 160004
"""Codes of Discord's that a part of the adapter knows what to do about."""

_OLD = 30046
_GONE = frozenset({UNKNOWN_CHANNEL, 10004, UNKNOWN_MESSAGE})
_INVALID = 50035
_TOO_LARGE = 40005
_LENGTH = re.compile(r"In content: .*\bor fewer in length", re.IGNORECASE)

_KINDS: Mapping[type[discord.DiscordException], type[ChatError]] = {
    discord.LoginFailure: NotAllowed,
    discord.PrivilegedIntentsRequired: NotAllowed,
    discord.InteractionResponded: NotAllowed,
    discord.MissingApplicationID: NotAllowed,
    discord.InvalidData: Unreachable,
    discord.ConnectionClosed: Unreachable,
    discord.GatewayNotFound: Unreachable,
    discord.ClientException: NotAllowed,
    discord.DiscordException: Unreachable,
}
"""discord.py's errors that carry no answer of Discord's; the more general ones last."""

Result = TypeVar("Result")


class Refused(NotAllowed):
    """Discord answered with an error *code* that only a part of the adapter may know what to do about."""

    def __init__(self, code: int) -> None:
        super().__init__(f"Discord answered: {code}")
        self.code = code


class Gone(MessageGone):
    """What the call was about is not there; Discord's *code* says what that is."""

    def __init__(self, code: int) -> None:
        super().__init__()
        self.code = code
        self.everything = code == UNKNOWN_CHANNEL


class TooSlow(Unreachable):
    """The call took too long, for instance because discord.py waited for one of Discord's limits."""


class TooOld(RateLimited):
    """The message is older than an hour, and too many of these were edited of late."""


class Turns:
    """Lets one call at a time go out for each key.

    discord.py counts calls that are on their way twice, and then waits although there is room.
    """

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[int, asyncio.Lock] = WeakValueDictionary()

    def of(self, key: int) -> asyncio.Lock:
        """Return what to hold meanwhile."""
        return self._locks.setdefault(key, asyncio.Lock())


def _always() -> bool:
    return True


class Calls:
    """Calls Discord's REST API; discord.py waits for the limits that are not in the budgets.

    A call that takes too long is given up, but only broken off where discord.py bears it: while Discord lets
    nobody call anything, one of its calls waits for all others, and without it none would ever go on.
    """

    def __init__(
        self,
        budgets: Budgets,
        monotonic: Callable[[], float],
        *,
        breakable: Callable[[], bool] = _always,
    ) -> None:
        """*breakable* tells whether discord.py bears it now that a call is broken off."""
        self._budgets = budgets
        self._monotonic = monotonic
        self._breakable = breakable
        self._turns = Turns()
        self._left: set[asyncio.Future[Any]] = set()
        """Calls that nobody waits for any more, and that end by themselves."""

    async def call(
        self,
        work: Callable[[], Awaitable[Result]],
        *,
        channel: int | None = None,
        old: bool = False,
        intermediate: bool = False,
        seconds: float = LONGEST_CALL,
    ) -> Result:
        """Return what *work*, one call of discord.py, comes to within so many *seconds*.

        A *channel* says that it sends or edits there, *old* that the message is older than an hour. An
        *intermediate* call is one that may as well be left out: it is refused where discord.py would wait.
        Raises `ChatError`; an error code of Discord's without a meaning for everybody is `Refused`.
        """
        if channel is None:
            self._budgets.take(None, self._monotonic(), intermediate=intermediate)
            return await self._made(work, None, seconds)
        if intermediate:
            self._budgets.ask(channel, self._monotonic(), old=old)
        turn = self._turns.of(channel)
        await turn.acquire()
        try:
            self._budgets.take(channel, self._monotonic(), old=old, intermediate=intermediate)
        except ChatError:
            turn.release()
            raise
        # a call that was given up and still goes on keeps its turn: what it shows must not come last
        return await self._made(work, channel, seconds, over=turn.release)

    async def _made(
        self,
        work: Callable[[], Awaitable[Result]],
        channel: int | None,
        seconds: float,
        *,
        over: Callable[[], None] | None = None,
    ) -> Result:
        going = asyncio.ensure_future(_begun(work))
        if over is not None:
            going.add_done_callback(partial(_then, over))
        try:
            await asyncio.wait([going], timeout=seconds)
        finally:
            if not going.done():
                self._leave(going)
        if going not in self._left:
            try:
                return going.result()
            except FAILURES as failure:
                raise self._understood(failure, channel) from failure
        raise TooSlow

    def _leave(self, call: asyncio.Future[Any]) -> None:
        """Let a call end by itself, at once if it may be broken off."""
        self._left.add(call)
        call.add_done_callback(self._forget)
        if self._breakable():
            call.cancel()

    def _forget(self, call: asyncio.Future[Any]) -> None:
        self._left.discard(call)
        if not call.cancelled() and (error := call.exception()) is not None:
            logger.debug("a call that nobody waited for failed: %s", type(error).__name__)

    def _understood(self, failure: Exception, channel: int | None) -> ChatError:
        error = translate(failure)
        if channel is not None and isinstance(error, RateLimited):
            old = isinstance(error, TooOld)
            self._budgets.limited(channel, self._monotonic(), error.retry_after, old=old)
        reason = error.code if isinstance(error, Refused) else type(error).__name__
        logger.debug("a call failed: %s", reason)
        return error


async def _begun(work: Callable[[], Awaitable[Result]]) -> Result:
    return await work()


def _then(over: Callable[[], None], _: asyncio.Future[Any]) -> None:
    over()


def translate(failure: Exception) -> ChatError:
    """Return what an exception of discord.py, or below it, means to the bot."""
    if isinstance(failure, discord.RateLimited):
        return RateLimited(failure.retry_after)
    if isinstance(failure, discord.HTTPException):
        return _answered(failure)
    for kind, meaning in _KINDS.items():
        if isinstance(failure, kind):
            return meaning()
    return Unreachable()


def _answered(failure: discord.HTTPException) -> ChatError:
    if failure.code == _OLD:
        return TooOld(_retry_after(failure))
    if failure.status == 429:
        return RateLimited(_retry_after(failure))
    if failure.status >= 500 or failure.status == 408:
        return Unreachable()
    if failure.code in _GONE:
        return Gone(failure.code)
    if failure.code == _TOO_LARGE or (failure.code == _INVALID and _LENGTH.search(failure.text)):
        return TooLong()
    if not failure.code and failure.status != UNAUTHORIZED:
        return Unreachable()  # whoever stands in front of Discord said so, or Discord did without a reason
    return Refused(failure.code or failure.status)


def _retry_after(failure: discord.HTTPException) -> float:
    try:
        seconds = float(failure.response.headers["Retry-After"])
    except (AttributeError, KeyError, TypeError, ValueError):
        return PATIENCE
    return PATIENCE if isnan(seconds) else min(max(0.0, seconds), LONGEST)
