"""What nobody heard is read beside what comes now: that waits for it a moment, and never longer.

Discord may not give a channel's history for a while. Then it is asked again, later and later, and what it
says in the end is taken then; most of what came meanwhile is in it once more, which is no harm.
"""

from __future__ import annotations

import asyncio
import logging
from contextlib import suppress
from typing import TYPE_CHECKING

from bot.errands import Errands
from bot.pacing import first_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    import discord

    from adapters.discord.catchup import Catchup, Talk
    from adapters.discord.events import Room

    Late = Callable[[Talk, Room, list[discord.Message]], None]

logger = logging.getLogger(__name__)

MOMENT_S = 5.0
"""How long a new message waits for those before it."""
PAUSE_S = 5.0
"""Before a history is asked for again; each further pause is twice as long."""
LONGEST_S = 600.0
AT_ONCE = 200
"""Channels of which the history is read."""


class _Reading:
    """One channel's history on its way."""

    def __init__(self) -> None:
        self.found: list[discord.Message] | None = None
        """None: not yet."""
        self.late = False
        """Whether nobody waits for it any more."""
        self.tried = asyncio.Event()
        """Set when Discord has given it, or has not."""
        self.hurry = asyncio.Event()
        """Set when there is a reason to ask again at once."""


class Unheard:
    """Reads the histories of channels, one reading for each at a time."""

    def __init__(self, catchup: Catchup, late: Late, *, sleep: Callable[[float], Awaitable[None]]) -> None:
        """*late* takes what was read when nobody waited for it any more."""
        self._catchup = catchup
        self._late = late
        self._sleep = sleep
        self._readings: dict[int, _Reading] = {}
        self._errands = Errands(at_once=AT_ONCE)

    async def before(self, room: Room, channel: Talk, message: int | None = None) -> list[discord.Message]:
        """Return what was said in a channel unheard, *before* a message; what takes longer comes late."""
        if self._catchup.is_heard(room.id):
            return []
        if (reading := self._readings.get(room.id)) is not None:
            if message is None:  # a session began
                reading.hurry.set()
            return []
        reading = self._readings[room.id] = _Reading()
        self._errands.start(self._read(reading, room, channel, message), name="read up a channel")
        with suppress(TimeoutError):
            await asyncio.wait_for(reading.tried.wait(), MOMENT_S)
        reading.late = reading.found is None
        return reading.found or []

    async def stop(self) -> None:
        """Break off."""
        await self._errands.stop()
        self._readings.clear()

    async def _read(self, reading: _Reading, room: Room, channel: Talk, before: int | None) -> None:
        pause = PAUSE_S
        try:
            while (found := await self._missed(room, channel, before)) is None:
                reading.tried.set()
                before = None  # a session may begin meanwhile, and then that is not all that was missed
                reading.hurry.clear()
                await first_of(self._sleep(pause), reading.hurry.wait())
                pause = min(pause * 2, LONGEST_S)
            reading.found = found
        finally:
            self._readings.pop(room.id, None)
            reading.tried.set()
        if reading.late:
            self._late(channel, room, found)

    async def _missed(self, room: Room, channel: Talk, before: int | None) -> list[discord.Message] | None:
        try:
            return await self._catchup.missed(room, channel, before)
        except Exception as error:  # noqa: BLE001 - whatever it is, it may be over when it is tried again
            logger.warning("what was said in a channel cannot be read up yet: %s", type(error).__name__)
            return None
