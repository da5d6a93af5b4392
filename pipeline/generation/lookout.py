"""Keep what was found; while nothing was, look again about once a minute, beside the questions."""

from __future__ import annotations

import asyncio
import logging
import time
from typing import TYPE_CHECKING, Final, Generic, TypeVar

from pipeline.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

logger = logging.getLogger(__name__)

EVERY_S: Final = 60.0

Sought = TypeVar("Sought")


class Lookout(Generic[Sought]):
    """What *look* finds, once it finds something. Nobody who asks for it waits for a look."""

    def __init__(
        self,
        look: Callable[[], Awaitable[Sought | None]],
        *,
        found: Sought | None = None,
        clock: Callable[[], float] = time.monotonic,
        every_s: float = EVERY_S,
    ) -> None:
        """*found* is what a first look, just taken, came to; *clock* gives seconds."""
        self._look = look
        self._found = found
        self._clock = clock
        self._every_s = every_s
        self._due = clock() + every_s
        self._looking: asyncio.Task[None] | None = None

    def now(self) -> Sought | None:
        """Return what has been found; a look that is due begins in the background. Needs a running loop."""
        idle = self._looking is None or self._looking.done()
        if self._found is None and idle and self._clock() >= self._due:
            self._due = self._clock() + self._every_s
            self._looking = asyncio.create_task(self._look_again(), name="look for a model")
        return self._found

    async def _look_again(self) -> None:
        try:
            self._found = await self._look()
        except ModelError as error:
            logger.warning("a model cannot be used: %s", type(error).__name__)
        if self._found is not None:
            logger.info("a model was found", extra={"action": "model_found"})
