"""What happens in one channel is taken in the order in which it came, whatever must be asked before."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING

from bot.errands import Errands

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from typing import TypeAlias

    Work: TypeAlias = Callable[[], Awaitable[None]]
    Step: TypeAlias = Callable[[], Work | None]

logger = logging.getLogger(__name__)

AT_ONCE = 200
"""Channels in which something must be asked first."""


class Rows:
    """One row for each channel in which something waits; where nothing does, things are taken at once."""

    def __init__(self) -> None:
        self._rows: dict[int, deque[Step]] = {}
        self._errands = Errands(at_once=AT_ONCE)

    def join(self, channel: int, step: Step) -> None:
        """Take *step*, now or behind all that waits in its channel; the next waits for what it returns."""
        if channel in self._rows:
            self._rows[channel].append(step)
        elif (work := _begun(step)) is not None:
            self._rows[channel] = deque()
            self._errands.start(self._go_on(channel, work), name="take what happens in a channel")

    async def joined(self, channel: int, work: Work) -> None:
        """Return when *work* was done behind all that waits in its channel."""
        done = asyncio.Event()

        async def do() -> None:
            try:
                await work()
            finally:
                done.set()

        self.join(channel, lambda: do)
        await done.wait()

    async def settled(self) -> None:
        """Return when everything so far was taken."""
        await self._errands.settled()

    async def stop(self) -> None:
        """Break off."""
        await self._errands.stop()
        self._rows.clear()  # one that was broken off before it began is still there

    async def _go_on(self, channel: int, work: Work | None) -> None:
        row = self._rows[channel]
        try:
            while True:
                if work is not None:
                    await guarded(work)
                if not row:
                    return
                work = _begun(row.popleft())
        finally:
            self._rows.pop(channel, None)


def _begun(step: Step) -> Work | None:
    try:
        return step()
    except Exception as error:  # noqa: BLE001 - whatever one event holds, the others are not to blame
        _report(error)
        return None


async def guarded(work: Work) -> None:
    """Do *work*; one that fails holds up no other."""
    try:
        await work()
    except Exception as error:  # noqa: BLE001 - whatever one event holds, the others are not to blame
        _report(error)


def _report(error: Exception) -> None:
    # its text may quote people
    logger.warning("an event could not be taken: %s", type(error).__name__)
    logger.debug("an event could not be taken", exc_info=error)
