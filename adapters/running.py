"""Several things that run until one of them ends, or somebody wants them to."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Coroutine


async def until(stop: asyncio.Event, *works: Coroutine[Any, Any, None]) -> None:
    """Run *works* until one of them ends, or *stop* is set; raises what one of them raises."""
    tasks = [asyncio.ensure_future(work) for work in (*works, stop.wait())]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
