"""Trying again what failed through nobody's fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt

from bot.chat import RateLimited, Unreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from tenacity import RetryCallState

ATTEMPTS = 4
FIRST = 1.0
"""Seconds before the second attempt; each further wait is twice as long."""
LONGEST = 90.0
"""Seconds that a platform may ask to wait; a budget that is used up is full again after a minute."""

T = TypeVar("T")


async def patiently(work: Callable[[], Awaitable[T]], sleep: Callable[[float], Awaitable[None]]) -> T:
    """Return what *work* comes to, beginning again while a platform asks to wait or cannot be reached.

    After `ATTEMPTS` the last error is raised as it is.
    """
    retrying = AsyncRetrying(
        sleep=sleep,
        stop=stop_after_attempt(ATTEMPTS),
        wait=_pause,
        retry=retry_if_exception(_passes),
        reraise=True,
    )

    async def attempt() -> T:
        return await work()

    done: T = await retrying(attempt)
    return done


def _passes(error: BaseException) -> bool:
    if isinstance(error, RateLimited):
        return error.retry_after <= LONGEST
    return isinstance(error, Unreachable)


def _pause(state: RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    if isinstance(error, RateLimited):
        return error.retry_after
    return float(FIRST * 2 ** (state.attempt_number - 1))
