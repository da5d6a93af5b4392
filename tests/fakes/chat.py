"""A chat platform in memory that keeps its rules, and breaks down on command."""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bot.chat import (
    Body,
    Capabilities,
    ChatError,
    Mark,
    MessageGone,
    MessageRef,
    NotAllowed,
    RateLimited,
    Said,
    Share,
    Thread,
    Threading,
    TooLong,
    Turn,
    Unreachable,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EDITED = Capabilities(max_chars=2000, edit_interval=1.0, threading=Threading.NATIVE, max_buttons=5)
STREAMED = Capabilities(
    max_chars=12_000, edit_interval=1.0, threading=Threading.NATIVE, edit_share=Share.WORKSPACE
)
FLAT = Capabilities(max_chars=2000, edit_interval=None, threading=Threading.FLAT)


@dataclass(slots=True)
class Shown:
    """A message as people see it."""

    ref: MessageRef
    body: Body
    streaming: bool = False
    bodies: list[Body] = field(default_factory=list)
    """Everything it ever showed."""

    @property
    def versions(self) -> list[str]:
        """Every text it ever showed."""
        return [body.text for body in self.bodies]


@dataclass(slots=True)
class Fault:
    """An error to raise, before or after the call had its effect."""

    error: ChatError
    landed: bool = False


class FakeChat:
    """A `ChatAdapter` that records what it is asked to do.

    ``fail("edit", …)`` breaks the next calls of one kind; a *budget* of so many calls per window makes it
    rate-limit by itself, as the platforms do.
    """

    def __init__(
        self,
        capabilities: Capabilities = EDITED,
        *,
        streams: bool = False,
        clock: Callable[[], float] | None = None,
        budget: tuple[int, float] | None = None,
        overhead: int = 0,
        name: str = "fake",
    ) -> None:
        self._name = name
        self._capabilities = capabilities
        self._streams = streams
        self._clock = clock or (lambda: 0.0)
        self._budget = budget
        self._calls_at: deque[float] = deque()
        self._faults: defaultdict[str, deque[Fault]] = defaultdict(deque)
        self._nonces: dict[tuple[Thread, str], MessageRef] = {}
        self._overhead = overhead
        self._censored: str | None = None
        self.messages: dict[MessageRef, Shown] = {}
        self.posted: list[Body] = []
        """What was asked to be posted, in order, whatever came of it."""
        self.calls: list[tuple[str, float]] = []
        """Each call by name, with when it was made; refused ones too."""
        self.statuses: list[str | None] = []
        self.askers: list[str | None] = []
        self.marks: list[tuple[str, Mark]] = []
        self.said: list[Turn] = []
        """What people wrote; `history` shows it before the bot's messages."""
        self.edited: dict[str, Said] = {}
        """What people have made of their messages while nobody listened."""
        self.taken_back: set[str] = set()
        self.opened = 0

    @property
    def name(self) -> str:
        return self._name

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    def fail(self, call: str, *errors: ChatError, landed: bool = False) -> None:
        """Let the next calls named *call* raise *errors*, one each; *landed*: after they had their effect."""
        self._faults[call].extend(Fault(error, landed) for error in errors)

    def censor(self, word: str) -> None:
        """Refuse from now on whatever is to show *word*; "" is in everything."""
        self._censored = word

    def go_away(self, times: int, *calls: str) -> None:
        """Be unreachable for the next *times* calls of each kind."""
        for call in calls:
            self.fail(call, *(Unreachable() for _ in range(times)))

    def vanish(self, ref: MessageRef) -> None:
        """Let somebody else delete a message."""
        del self.messages[ref]

    def texts(self, thread: Thread | None = None) -> list[str]:
        """Return what people see now, oldest first."""
        return [shown.body.text for shown in self.messages.values() if thread in (None, shown.ref.thread)]

    def count(self, call: str) -> int:
        """Return how often a call was made."""
        return sum(name == call for name, _ in self.calls)

    async def post(self, thread: Thread, body: Body) -> MessageRef:
        self.posted.append(body)
        fault = self._begin("post")
        self._check(body)
        ref = self._nonces.get((thread, body.nonce)) if body.nonce else None
        if ref is None:
            ref = self.show(thread, body)
        if body.nonce:
            self._nonces[thread, body.nonce] = ref
        self._end(fault)
        return ref

    async def edit(self, message: MessageRef, body: Body) -> None:
        fault = self._begin("edit")
        if self._capabilities.edit_interval is None:
            raise NotAllowed
        shown = self._find(message)
        if shown.streaming:
            raise NotAllowed
        self._check(body)
        self.change(shown, body)
        self._end(fault)

    async def delete(self, message: MessageRef) -> None:
        fault = self._begin("delete")
        if self._capabilities.edit_interval is None:
            raise NotAllowed
        if self._find(message).streaming:
            raise NotAllowed
        del self.messages[message]
        self._end(fault)

    async def set_status(self, thread: Thread, text: str | None) -> None:
        fault = self._begin("set_status")
        self.statuses.append(text)
        self._end(fault)

    async def mark(self, thread: Thread, message_id: str, mark: Mark) -> None:
        fault = self._begin("mark", limited=False)
        self.marks.append((message_id, mark))
        self._end(fault)

    async def history(self, thread: Thread, *, limit: int) -> Sequence[Turn]:
        self._end(self._begin("history"))
        own = [Turn(author="bot", text=text, own=True) for text in self.texts(thread)]
        return [*self.said, *own][-limit:]

    async def reread(self, thread: Thread, message_id: str) -> Said | None:
        self._end(self._begin("reread", limited=False))
        if message_id in self.taken_back:
            raise MessageGone
        return self.edited.get(message_id)

    async def open_stream(self, thread: Thread, *, asker: str | None = None) -> FakeLive | None:
        self.askers.append(asker)
        self._end(self._begin("open_stream", limited=False))
        if not self._streams:
            return None
        self.opened += 1
        return FakeLive(self, thread)

    def show(self, thread: Thread, body: Body, *, streaming: bool = False) -> MessageRef:
        ref = MessageRef(thread, f"m{len(self.messages) + len(self.calls)}")
        self.messages[ref] = Shown(ref, body, streaming, [body])
        return ref

    def change(self, shown: Shown, body: Body) -> None:
        shown.body = body
        shown.bodies.append(body)

    def _find(self, message: MessageRef) -> Shown:
        if message not in self.messages:
            raise MessageGone
        return self.messages[message]

    def _check(self, body: Body) -> None:
        if not body.text.strip():
            raise NotAllowed
        if len(body.text) + self._overhead > self._capabilities.max_chars:
            raise TooLong
        if len(body.buttons) > self._capabilities.max_buttons:
            raise NotAllowed
        if self._censored is not None and self._censored in body.text:
            raise NotAllowed

    def _begin(self, call: str, *, limited: bool = True) -> Fault | None:
        now = self._clock()
        self.calls.append((call, now))
        if limited:
            self._spend(now)
        fault = self._faults[call].popleft() if self._faults[call] else None
        if fault is not None and not fault.landed:
            raise fault.error
        return fault

    def _end(self, fault: Fault | None) -> None:
        if fault is not None:
            raise fault.error

    def _spend(self, now: float) -> None:
        """Take one call out of the budget, as a sliding window. Raises `RateLimited`."""
        if self._budget is None:
            return
        most, window = self._budget
        while self._calls_at and self._calls_at[0] <= now - window:
            self._calls_at.popleft()
        if len(self._calls_at) >= most:
            raise RateLimited(self._calls_at[0] + window - now)
        self._calls_at.append(now)


class FakeLive:
    """A message that `FakeChat` streams: it can be neither edited nor deleted before it is closed."""

    def __init__(self, chat: FakeChat, thread: Thread) -> None:
        self._chat = chat
        self._thread = thread
        self._ref: MessageRef | None = None
        self._broken = False
        self.pieces: list[str] = []

    @property
    def message(self) -> MessageRef | None:
        return self._ref

    async def append(self, markdown: str) -> None:
        fault = self._begin("append")
        text = "".join([*self.pieces, markdown])
        if len(text) > self._chat.capabilities.max_chars:
            self._break()
            raise TooLong
        self.pieces.append(markdown)
        if self._ref is None:
            self._ref = self._chat.show(self._thread, Body(text=text), streaming=True)
        else:
            self._chat.change(self._chat.messages[self._ref], Body(text=text))
        self._finish(fault)

    async def close(self, body: Body) -> MessageRef:
        fault = self._begin("close", final=True)
        try:
            self._chat._check(body)
        except ChatError as error:
            self._settle(error)
            raise
        if self._ref is None:
            self._ref = self._chat.show(self._thread, body)
        shown = self._chat._find(self._ref)
        shown.streaming = False
        self._chat.change(shown, body)
        self._finish(fault)
        return self._ref

    def _begin(self, call: str, *, final: bool = False) -> Fault | None:
        if self._broken and not final:
            raise NotAllowed
        try:
            return self._chat._begin(call)
        except ChatError as error:
            self._settle(error)
            raise

    def _finish(self, fault: Fault | None) -> None:
        if fault is not None:
            self._settle(fault.error)
            raise fault.error

    def _settle(self, error: ChatError) -> None:
        if not isinstance(error, RateLimited):
            self._break()

    def _break(self) -> None:
        self._broken = True
        if self._ref is not None and self._ref in self._chat.messages:
            self._chat.messages[self._ref].streaming = False
