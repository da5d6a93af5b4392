"""Waiting for what other tasks bring about, without sleeping."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

ROUNDS = 50_000

T = TypeVar("T")


async def until(condition: Callable[[], object]) -> None:
    """Let others run until *condition* holds. Raises `AssertionError` when it never does."""
    for _ in range(ROUNDS):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("what is waited for never happens")


async def eventually(condition: Callable[[], Awaitable[T]], seconds: float = 60.0) -> T:
    """Ask *condition* again and again until it holds: for what threads, files and servers bring about.

    Returns what it came to. Raises `TimeoutError` when it never does.
    """
    async with asyncio.timeout(seconds):
        while True:
            if result := await condition():
                return result
            await asyncio.sleep(0.01)
