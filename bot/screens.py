"""Where a growing answer is shown, and the screen that serves on every platform: messages that are edited."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Protocol

from bot.chat import Body, ChatError, MessageGone, NotAllowed, TooLong, Unreachable
from bot.courier import bodies, smaller
from bot.splitting import SMALLEST, split

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterable, Sequence

    from bot.chat import Button, MessageRef, Thread
    from bot.courier import Courier, Result

CURSOR = "▌"
ROOM = len(CURSOR) + 1
REPOSTS = 2
"""How often an answer comes back after part of it was deleted, or could not be edited any more."""


class Screen(Protocol):
    """One place for one answer. `stage` and `grow` may be lost, `finish` may not."""

    @property
    def messages(self) -> tuple[MessageRef, ...]:
        """What stands in the thread because of this answer."""

    def delay(self, text: str) -> float:
        """Return the seconds until the budget lets *text*, or a stage where there is none, be shown."""

    async def stage(self, text: str) -> None:
        """Say what is being done while there is no text. Raises `ChatError`."""

    async def grow(self, text: str) -> None:
        """Show all the text there is so far. Raises `ChatError`."""

    async def finish(self, text: str, buttons: Sequence[Button]) -> None:
        """Show the whole reply and nothing else. Raises the `ChatError` that repeating cannot help."""

    async def abandon(self) -> None:
        """Leave what is shown to whoever edits or deletes it next. Raises `ChatError`."""

    def fallback(self) -> Screen:
        """Return a screen that takes the messages over after a stream broke."""


@dataclass(frozen=True, slots=True)
class Slot:
    """A message of the answer and what it is known to show (None: nobody knows)."""

    ref: MessageRef
    body: Body | None = None


async def _nobody(messages: tuple[MessageRef, ...]) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """Where an answer goes, and what is known of it from before."""

    thread: Thread
    key: str
    """The beginning of its messages' nonces."""
    asker: str | None = None
    """Whom it is for; None: nobody knows."""
    standing: tuple[MessageRef, ...] = ()
    """Messages of an earlier attempt, to be used again where the platform can edit."""
    resumed: bool = False
    """Whether a process that died was at it, which may have posted what nobody knows of."""
    stood: Callable[[tuple[MessageRef, ...]], Awaitable[None]] = _nobody
    """Told which messages stand there, whenever that changes."""
    writing: tuple[Button, ...] = ()
    """What the last message carries while it is being written, where the platform can edit."""


class Edits:
    """Messages that are posted and edited; where nothing can be edited, they are posted once, at the end."""

    def __init__(
        self, courier: Courier, spot: Spot, *, slots: Iterable[Slot] | None = None, taken: str = ""
    ) -> None:
        self._courier = courier
        self._alone = courier.alone
        self._spot = spot
        self._editable = courier.capabilities.edit_interval is not None
        known = spot.standing if self._editable else ()
        self._slots = list(map(Slot, known) if slots is None else slots)
        self._taken = taken
        """The text that stands elsewhere already, where it can be neither edited nor deleted."""
        self._limit = courier.capabilities.max_chars - ROOM
        self._writing = spot.writing[: courier.capabilities.max_buttons]
        self._gone = 0
        self._stuck: list[Slot] = []
        """What the platform let nobody edit at the end, to be removed once all of it stands anew."""
        self._unsure = spot.resumed

    @property
    def messages(self) -> tuple[MessageRef, ...]:
        return tuple(dict.fromkeys(slot.ref for slot in (*self._stuck, *self._slots)))

    def delay(self, text: str) -> float:
        if not self._editable:
            return 0.0
        return max(self._alone.held, self._courier.delay) if self._slots else self._alone.delay

    async def stage(self, text: str) -> None:
        if self._editable:
            await self._lay([Body(text=f"_{text}_", buttons=self._writing)])
        else:
            await self._courier.show_status(self._spot.thread, text)

    async def grow(self, text: str) -> None:
        if not self._editable:
            return
        try:
            await self._lay(self._growing(text))
        except TooLong:
            self._shrink()

    async def finish(self, text: str, buttons: Sequence[Button]) -> None:
        whole = Body(text=text.removeprefix(self._taken), buttons=tuple(buttons))
        while True:
            wanted = bodies(whole, self._courier.capabilities, self._limit)
            try:
                await self._lay(wanted, last=True)
                break
            except TooLong:
                self._shrink()
        standing = {slot.ref for slot in self._slots}
        self._slots += (slot for slot in self._stuck if slot.ref not in standing)
        self._stuck = []
        await self._cut(len(wanted))

    async def abandon(self) -> None:
        """Do nothing: a message between two edits is at rest."""

    def fallback(self) -> Screen:
        return self

    def _growing(self, text: str) -> list[Body]:
        shown = [part.text for part in split(text, self._limit)]
        if shown:  # behind a fence the cursor needs a line of its own
            shown[-1] += f"\n{CURSOR}" if shown[-1].endswith(("```", "~~~")) else f" {CURSOR}"
        parts = [Body(text=part) for part in shown]
        return [*parts[:-1], *(replace(last, buttons=self._writing) for last in parts[-1:])]

    def _shrink(self) -> None:
        """Make the parts smaller, because one was longer once it was rendered. Raises `TooLong`."""
        limit = smaller(self._limit)
        if limit < SMALLEST:
            raise TooLong
        self._limit = limit

    async def _lay(self, wanted: Sequence[Body], *, last: bool = False) -> None:
        """Make the first messages show *wanted*, in order; one that is right already costs nothing.

        The *last* word is insisted on; a message that cannot be edited any more is then posted anew, and
        raises `NotAllowed` before.
        """
        index = 0
        while index < len(wanted):
            try:
                await self._place(index, wanted[index], last)
            except MessageGone as gone:
                index = 0 if gone.everything else index
                await self._forget_from(index)
            except NotAllowed:
                if not last or index >= len(self._slots) or self._gone >= REPOSTS:
                    raise
                self._leave_from(index)
            else:
                index += 1

    async def _place(self, index: int, body: Body, last: bool) -> None:
        if index == len(self._slots):
            self._slots.append(await self._post(index, body, last))
            await self._spot.stood(self.messages)
        slot = self._slots[index]
        if slot.body == body or not self._editable:
            return
        self._slots[index] = Slot(slot.ref)  # until the platform confirms, nobody knows what it shows
        await self._call(self._courier, partial(self._courier.adapter.edit, slot.ref, body), last)
        self._slots[index] = Slot(slot.ref, body)

    async def _post(self, index: int, body: Body, last: bool) -> Slot:
        """Post *body*, with the same nonce until it arrives, so that no second message can appear."""
        again = f".{self._gone}" if self._gone else ""
        marked = replace(body, nonce=f"{self._spot.key}-{index}{again}", repeated=self._unsure)
        unsure, self._unsure = self._unsure, True
        try:
            post = partial(self._courier.adapter.post, self._spot.thread, marked)
            ref = await self._call(self._alone, post, last)
        except ChatError as error:
            self._unsure = unsure or isinstance(error, Unreachable)
            raise
        self._unsure = False
        # an attempt that was given up may have arrived after all, and have shown an older text
        return Slot(ref, None if unsure else body)

    async def _call(self, courier: Courier, work: Callable[[], Awaitable[Result]], last: bool) -> Result:
        return await (courier.insist(work) if last else courier.once(work))

    async def _forget_from(self, index: int) -> None:
        """Give up a deleted message and those behind it, so that the order stays. Raises `MessageGone`."""
        self._gone += 1
        if self._gone > REPOSTS or index >= len(self._slots):
            raise MessageGone
        del self._slots[index]
        await self._cut(index)

    def _leave_from(self, index: int) -> None:
        """Give up a message that cannot be edited, and those behind it; until the end they stand."""
        self._gone += 1
        self._stuck += self._slots[index:]
        del self._slots[index:]

    async def _cut(self, index: int) -> None:
        """Remove the messages from *index* on."""
        surplus, self._slots = self._slots[index:], self._slots[:index]
        await self._courier.remove(slot.ref for slot in surplus)
        await self._spot.stood(self.messages)
