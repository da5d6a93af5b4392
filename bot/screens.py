"""Where a growing answer is shown: in messages that are edited, or in ones that the platform streams."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from bot.chat import Body, ChatError, MessageGone, RateLimited, TooLong, Unreachable
from bot.courier import bodies, smaller
from bot.splitting import SMALLEST, split

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from bot.chat import Button, LiveMessage, MessageRef, Thread
    from bot.courier import Courier, Result

logger = logging.getLogger(__name__)

CURSOR = "▌"
_ROOM = len(CURSOR) + 1
REPOSTS = 2
"""How often an answer comes back after somebody deleted part of it."""


class StreamBroken(ChatError):
    """The platform's own stream failed; the messages must be edited instead."""


class Screen(Protocol):
    """One place for one answer. `stage` and `grow` may be lost, `finish` may not."""

    @property
    def messages(self) -> tuple[MessageRef, ...]:
        """What stands in the thread because of this answer."""

    async def stage(self, text: str) -> None:
        """Say what is being done while there is no text. Raises `ChatError`."""

    async def grow(self, text: str) -> None:
        """Show all the text there is so far. Raises `ChatError`."""

    async def finish(self, text: str, buttons: Sequence[Button]) -> None:
        """Show the whole reply and nothing else. Raises the `ChatError` that repeating cannot help."""

    async def abandon(self) -> None:
        """Leave what is shown to whoever edits or deletes it next. Raises `ChatError`."""

    def fallback(self) -> Screen:
        """Return a screen that takes the messages over after `StreamBroken`."""


class _Call(Protocol):
    """How a call is made: once, or until the platform takes it."""

    def __call__(self, call: Callable[[], Awaitable[Result]], /) -> Awaitable[Result]: ...


@dataclass(frozen=True, slots=True)
class Slot:
    """A message of the answer and what it is known to show (None: nobody knows)."""

    ref: MessageRef
    body: Body | None = None


class Edits:
    """Messages that are posted and edited; where nothing can be edited, they are posted once, at the end."""

    def __init__(
        self, courier: Courier, thread: Thread, *, key: str, slots: Sequence[Slot] = (), taken: str = ""
    ) -> None:
        self._courier = courier
        self._thread = thread
        self._key = key
        self._slots = list(slots)
        self._taken = taken
        """The text that stands elsewhere already, where it can be neither edited nor deleted."""
        self._limit = courier.capabilities.max_chars - _ROOM
        self._editable = courier.capabilities.edit_interval is not None
        self._posts = 0
        self._gone = 0
        self._unsure = False

    @property
    def messages(self) -> tuple[MessageRef, ...]:
        return tuple(slot.ref for slot in self._slots)

    async def stage(self, text: str) -> None:
        if self._editable:
            await self._lay([Body(text=f"_{text}_")], self._courier.once)
        else:
            await self._courier.show_status(self._thread, text)

    async def grow(self, text: str) -> None:
        if not self._editable:
            return
        try:
            await self._lay(self._growing(text), self._courier.once)
        except TooLong:
            self._shrink()

    async def finish(self, text: str, buttons: Sequence[Button]) -> None:
        whole = Body(text=text.removeprefix(self._taken), buttons=tuple(buttons))
        while True:
            wanted = bodies(whole, self._courier.capabilities, self._limit)
            try:
                await self._lay(wanted, self._courier.insist)
                break
            except TooLong:
                self._shrink()
        surplus, self._slots = self._slots[len(wanted) :], self._slots[: len(wanted)]
        await self._courier.remove(slot.ref for slot in surplus)

    async def abandon(self) -> None:
        """Do nothing: a message between two edits is at rest."""

    def fallback(self) -> Screen:
        return self

    def _growing(self, text: str) -> list[Body]:
        shown = [part.text for part in split(text, self._limit)]
        if shown:  # behind a fence the cursor needs a line of its own
            shown[-1] += f"\n{CURSOR}" if shown[-1].endswith("```") else f" {CURSOR}"
        return [Body(text=part) for part in shown]

    def _shrink(self) -> None:
        """Make the parts smaller, because one was longer once it was rendered. Raises `TooLong`."""
        self._limit = smaller(self._limit)
        if self._limit < SMALLEST:
            raise TooLong

    async def _lay(self, wanted: Sequence[Body], call: _Call) -> None:
        """Make the first messages show *wanted*, in order; one that is right already costs nothing."""
        index = 0
        while index < len(wanted):
            try:
                await self._place(index, wanted[index], call)
            except MessageGone:
                await self._forget_from(index)
            else:
                index += 1

    async def _place(self, index: int, body: Body, call: _Call) -> None:
        if index == len(self._slots):
            self._slots.append(await self._post(body, call))
        slot = self._slots[index]
        if slot.body == body or not self._editable:
            return
        self._slots[index] = Slot(slot.ref)  # until the platform confirms, nobody knows what it shows
        await call(partial(self._courier.adapter.edit, slot.ref, body))
        self._slots[index] = Slot(slot.ref, body)

    async def _post(self, body: Body, call: _Call) -> Slot:
        """Post *body*, with the same nonce until it arrives, so that no second message can appear."""
        marked = replace(body, nonce=f"{self._key}-{self._posts}")
        unsure, self._unsure = self._unsure, True
        try:
            ref = await call(partial(self._courier.adapter.post, self._thread, marked))
        except ChatError as error:
            self._unsure = unsure or isinstance(error, Unreachable)
            raise
        self._posts += 1
        self._unsure = False
        # an attempt that was given up may have arrived after all, and have shown an older text
        return Slot(ref, None if unsure else body)

    async def _forget_from(self, index: int) -> None:
        """Give up a deleted message and those behind it, so that the order stays. Raises `MessageGone`."""
        self._gone += 1
        if self._gone > REPOSTS or index >= len(self._slots):
            raise MessageGone
        behind, self._slots = self._slots[index + 1 :], self._slots[:index]
        await self._courier.remove(slot.ref for slot in behind)


class Stream:
    """Messages that the platform itself streams: one for each full part, and one that grows.

    When one breaks, the `fallback` replaces the messages whole: whatever the platform took of the last
    piece, no character is lost or doubled.
    """

    def __init__(self, courier: Courier, thread: Thread, live: LiveMessage, *, key: str) -> None:
        self._courier = courier
        self._thread = thread
        self._key = key
        self._limit = courier.capabilities.max_chars - _ROOM
        self._closed: list[Slot] = []
        self._live: LiveMessage | None = live
        self._shown = ""
        self._taken = ""

    @property
    def messages(self) -> tuple[MessageRef, ...]:
        growing = self._live.message if self._live else None
        return (*(slot.ref for slot in self._closed), *([growing] if growing else []))

    async def stage(self, text: str) -> None:
        await self._courier.show_status(self._thread, text)

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
            await self._close(wanted[min(len(self._closed), len(wanted) - 1)], self._courier.insist)
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
            await self._close(Body(text="…"), self._courier.insist)

    def fallback(self) -> Screen:
        slots, broken, taken = list(self._closed), self._live, ""
        self._live = None
        if broken is not None and broken.message is not None:
            if self._courier.capabilities.edit_interval is None:
                slots, taken = [], self._taken
            else:
                slots.append(Slot(broken.message))
        return Edits(self._courier, self._thread, key=self._key, slots=slots, taken=taken)

    async def _append(self, growing: str) -> None:
        live = self._live
        if live is None:
            raise StreamBroken
        if not growing.startswith(self._shown) or growing == self._shown:
            return
        await self._unbroken(partial(live.append, growing[len(self._shown) :]), self._courier.once)
        self._shown = growing

    async def _turn_over(self, body: Body) -> None:
        """Close a full part and open the next, if the platform opens another."""
        await self._close(body, self._courier.once)
        try:
            self._live = await self._courier.adapter.open_stream(self._thread)
        except ChatError:
            self._live = None
        self._shown = ""

    async def _close(self, body: Body, call: _Call) -> None:
        live = self._live
        if live is None:
            raise StreamBroken
        ref = await self._unbroken(partial(live.close, body), call)
        self._closed.append(Slot(ref, body))
        self._live = None

    async def _unbroken(self, work: Callable[[], Awaitable[Result]], call: _Call) -> Result:
        """Make a call on the stream. Raises `RateLimited`, or `StreamBroken` when nothing can be appended."""
        try:
            return await call(work)
        except RateLimited:
            raise
        except ChatError as error:
            raise StreamBroken from error


async def open_screen(courier: Courier, thread: Thread, *, key: str, reuse: Sequence[MessageRef]) -> Screen:
    """Return where to show an answer; messages to *reuse* are edited, if the platform can edit."""
    editable = courier.capabilities.edit_interval is not None
    if reuse and editable:
        return Edits(courier, thread, key=key, slots=[Slot(ref) for ref in reuse])
    try:
        live = await courier.adapter.open_stream(thread)
    except ChatError as error:
        logger.info("the platform opened no stream: %s", type(error).__name__)
        live = None
    if live is None:
        return Edits(courier, thread, key=key)
    return Stream(courier, thread, live, key=key)
