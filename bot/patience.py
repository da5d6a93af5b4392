"""Trying again what failed through nobody's fault."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from bot.chat import RateLimited, Unreachable

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ATTEMPTS = 4
FIRST = 1.0
"""Seconds before the second attempt; each further wait is twice as long."""
LONGEST = 90.0
"""Seconds that a platform may ask to wait at once; a budget that is used up is full again after a minute."""
PATIENCE = 300.0
"""Seconds that are waited in all where a platform asks to: many wait for the same budget, not all get it."""

T = TypeVar("T")


async def patiently(work: Callable[[], Awaitable[T]], sleep: Callable[[float], Awaitable[None]]) -> T:
    """Return what *work* comes to, beginning again while a platform asks to wait or cannot be reached.

    After `ATTEMPTS` without an answer, or `PATIENCE`, the last error is raised as it is.
    """
    lost, waited = 0, 0.0
    while True:
        try:
            return await work()
        except RateLimited as limit:
            pause = limit.retry_after
            waited += max(pause, FIRST)
            if pause > LONGEST or waited > PATIENCE:
                raise
        except Unreachable:
            lost += 1
            if lost == ATTEMPTS:
                raise
            pause = FIRST * 2 ** (lost - 1)
        await sleep(pause)
