"""Waiting for what other tasks bring about, without sleeping."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROUNDS = 50_000


async def until(condition: Callable[[], object]) -> None:
    """Let others run until *condition* holds. Raises `AssertionError` when it never does."""
    for _ in range(ROUNDS):
        if condition():
            return
        await asyncio.sleep(0)
    raise AssertionError("what is waited for never happens")
