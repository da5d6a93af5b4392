"""A growing answer in messages that the platform itself streams, where it opens any."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Protocol

from bot.chat import Body, ChatError, RateLimited
from bot.courier import bodies
from bot.screens import ROOM, Edits, Slot
from bot.splitting import split

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.chat import Button, LiveMessage, MessageRef
    from bot.courier import Courier, Result
    from bot.screens import Screen, Spot

logger = logging.getLogger(__name__)


class StreamBroken(ChatError):
    """The platform's own stream failed; the messages must be edited instead."""


class Call(Protocol):
    """How a call is made: once, or until the platform takes it."""

    def __call__(self, call: Callable[[], Awaitable[Result]], /) -> Awaitable[Result]: ...


class Stream:
    """Messages that the platform itself streams: one for each full part, and one that grows.

    When one breaks, the `fallback` replaces the messages whole: whatever the platform took of the last
    piece, no character is lost or doubled.
    """

    def __init__(self, courier: Courier, spot: Spot, live: LiveMessage) -> None:
        self._courier = courier
        self._feed = courier.streaming
        self._alone = courier.alone
        self._spot = spot
        self._limit = courier.capabilities.max_chars - ROOM
        self._closed: list[Slot] = []
        self._live: LiveMessage | None = live
        self._shown = ""
        self._taken = ""

    @property
    def messages(self) -> tuple[MessageRef, ...]:
        growing = self._live.message if self._live else None
        return (*(slot.ref for slot in self._closed), *([growing] if growing else []))

    def delay(self, text: str) -> float:
        if not text:
            return 0.0
        return max(self._alone.held, self._growing_by.delay)

    @property
    def _growing_by(self) -> Courier:
        """Whoever carries the next piece: the first one makes the message appear."""
        begun = self._live is not None and self._live.message is not None
        return self._feed if begun else self._alone

    async def stage(self, text: str) -> None:
        """Show a status. Raises `StreamBroken` where nobody would see one, so that a message says it."""
        if not await self._courier.show_status(self._spot.thread, text):
            raise StreamBroken

    async def grow(self, text: str) -> None:
        parts = split(text, self._limit)
        for part in parts[len(self._closed) : -1]:
            await self._turn_over(Body(text=part.text))
        if len(parts) > len(self._closed):
            await self._append(parts[-1].growing)
            self._taken = text

    async def finish(self, text: str, buttons: Sequence[Button]) -> None:
        wanted = bodies(Body(text=text, buttons=tuple(buttons)), self._courier.capabilities, self._limit)
        try:
            await self._close(wanted[min(len(self._closed), len(wanted) - 1)], self._alone.insist)
        except ChatError as error:
            logger.info("a streamed message is edited instead: %s", type(error).__name__)
        edits = self.fallback()
        try:
            await edits.finish(text, buttons)
        finally:
            self._closed = [Slot(ref) for ref in edits.messages]

    async def abandon(self) -> None:
        """End the platform's stream, because a message that streams can be neither edited nor deleted."""
        if self._live is not None and self._live.message is not None:
            await self._close(Body(text="…"), self._alone.insist)

    def fallback(self) -> Screen:
        slots, broken, taken = list(self._closed), self._live, ""
        self._live = None
        if broken is not None and broken.message is not None:
            if self._courier.capabilities.edit_interval is None:
                slots, taken = [], self._taken
            else:
                slots.append(Slot(broken.message))
        return Edits(self._courier, self._spot, slots=slots, taken=taken)

    async def _append(self, growing: str) -> None:
        live = self._live
        if live is None:
            raise StreamBroken
        if not growing.startswith(self._shown) or growing == self._shown:
            return
        await self._unbroken(partial(live.append, growing[len(self._shown) :]), self._growing_by.once)
        self._shown = growing

    async def _turn_over(self, body: Body) -> None:
        """Close a full part and open the next, if the platform opens another."""
        await self._close(body, self._alone.once)
        try:
            self._live = await self._courier.adapter.open_stream(self._spot.thread, asker=self._spot.asker)
        except ChatError:
            self._live = None
        self._shown = ""

    async def _close(self, body: Body, call: Call) -> None:
        live = self._live
        if live is None:
            raise StreamBroken
        ref = await self._unbroken(partial(live.close, body), call)
        self._closed.append(Slot(ref, body))
        self._live = None
        await self._spot.stood(self.messages)

    async def _unbroken(self, work: Callable[[], Awaitable[Result]], call: Call) -> Result:
        """Make a call on the stream. Raises `RateLimited`, or `StreamBroken` when nothing can be appended."""
        try:
            return await call(work)
        except RateLimited:
            raise
        except ChatError as error:
            raise StreamBroken from error
        finally:
            await self._spot.stood(self.messages)


async def open_screen(courier: Courier, spot: Spot) -> Screen:
    """Return where to show an answer; messages that stand already are edited, if the platform can edit."""
    editable = courier.capabilities.edit_interval is not None
    if spot.resumed or (spot.standing and editable):
        return Edits(courier, spot)
    try:
        live = await courier.adapter.open_stream(spot.thread, asker=spot.asker)
    except ChatError as error:
        logger.info("the platform opened no stream: %s", type(error).__name__)
        live = None
    return Edits(courier, spot) if live is None else Stream(courier, spot, live)
