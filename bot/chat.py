"""What the bot asks of a chat platform, and nothing more.

ChatError                 the platform did not do its part
├── RateLimited           it asks to wait; carries for how long
├── MessageGone           the message (or its thread) was deleted by somebody else
├── NotAllowed            a permission, a setting or the platform itself forbids it; trying again is useless
├── Unreachable           nobody knows whether it arrived: the network or the platform's server failed
└── TooLong               the rendered text is longer than the platform takes

An adapter translates every exception of its SDK into one of these, with ``raise … from exc``.

What happens on the platform crosses it the other way, as the values of `bot.incoming`.

Text that crosses the seam is Markdown as models write it (CommonMark and tables), without any platform's
mention syntax. Putting it into the platform's dialect is the adapter's duty, and so is making it harmless:
whatever would ping somebody, resolve to a live mention or escape the terminal is neutralised by the adapter,
in `ChatAdapter.post` and `edit` as well as across the pieces of a `LiveMessage`. What the platform cannot
show is replaced by a chosen fallback and logged, never lost.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final, Protocol

from pipeline.domain import Scope

if TYPE_CHECKING:
    from collections.abc import Sequence

WEB: Final = frozenset({"http", "https"})
"""The schemes of addresses that people can open wherever they are."""


class ChatError(Exception):
    """The chat platform failed."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class RateLimited(ChatError):
    """The platform asks to slow down."""

    def __init__(self, retry_after: float) -> None:
        super().__init__()
        self.retry_after = retry_after
        """Seconds to wait before the next call."""


class MessageGone(ChatError):
    """The message does not exist any more."""

    everything = False
    """Whether all else that stood in its thread is gone with it."""


class NotAllowed(ChatError):
    """The platform does not permit this."""


class Unreachable(ChatError):
    """The platform could not be reached, or did not confirm what it was asked to do."""


class TooLong(ChatError):
    """The text is longer than the platform takes."""


class Threading(Enum):
    """How a platform keeps a conversation together."""

    NATIVE = "native"
    REPLIES = "replies"
    FLAT = "flat"


class Share(Enum):
    """Whose budget an edit uses up: what shares it must be paced together."""

    WORKSPACE = "workspace"
    THREAD = "thread"


@dataclass(frozen=True, slots=True, kw_only=True)
class Capabilities:
    """The limits of a platform. Zero and None mean *not at all*."""

    max_chars: int
    """Characters (code points) of Markdown in one message, with room left for what rendering adds."""
    edit_interval: float | None
    """Seconds between two edits that the budget carries for ever; None: what was posted stays as it is."""
    threading: Threading
    stream_interval: float | None = None
    """Seconds between two pieces of what the platform itself streams; None: as between edits."""
    burst: int = 1
    """Calls that may follow each other at once after a pause."""
    max_buttons: int = 0
    max_upload_bytes: int = 0
    link_schemes: frozenset[str] = WEB
    """What the addresses begin with that people can open there; no other is shown to them."""
    edit_share: Share = Share.WORKSPACE


@dataclass(frozen=True, slots=True)
class Thread:
    """One conversation; ``str()`` and `parse` are inverse, so it can be kept as text."""

    scope: Scope
    key: str
    """What the platform calls the thread; never empty."""

    def __post_init__(self) -> None:
        if not self.key:
            raise ValueError("a thread needs a key")

    @classmethod
    def parse(cls, text: str) -> Thread:
        """Read what ``str()`` wrote. Raises `InvalidScope` or `ValueError`."""
        scope, _, key = text.partition("/")
        return cls(Scope.parse(scope), key)

    def __str__(self) -> str:
        return f"{self.scope}/{self.key}"


@dataclass(frozen=True, slots=True)
class MessageRef:
    """A message that the bot posted."""

    thread: Thread
    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Button:
    """Something to press. A press comes back as an `IncomingAction` with *action* and *value*."""

    label: str
    action: str
    value: str = ""
    fallback: str | None = None
    """Markdown that stands for it where no button fits; None: it may be left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """What one message shows."""

    text: str
    """Markdown; citations and notes stand in it already."""
    buttons: tuple[Button, ...] = ()
    preview: str | None = None
    """Plain text for notifications, where the platform asks for it; None: the beginning of the text."""
    nonce: str | None = None
    """At most 25 characters. Posting it again must not show a second message where the platform can tell."""
    repeated: bool = False
    """Whether it may have been posted before, with this nonce, by a process that died before it knew."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """A question to the person who pressed a button, with room for a text.

    The text comes back as an `IncomingAction` with *action*, *value* and the text.
    """

    title: str
    """At most 24 characters."""
    label: str
    submit: str
    action: str
    value: str = ""


class Mark(Enum):
    """A sign at somebody's message that says how its file stands."""

    WORKING = "working"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """How a message of somebody's reads, as an `IncomingMessage` has it."""

    text: str
    mentioned: bool
    """Whether it names the bot, or was written to it directly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message of a thread's history."""

    author: str
    text: str
    own: bool
    """Whether the bot wrote it."""


class LiveMessage(Protocol):
    """A message that the platform itself streams; one caller at a time."""

    @property
    def message(self) -> MessageRef | None:
        """What to edit or delete when the stream breaks; None while nothing was shown."""

    async def append(self, markdown: str) -> None:
        """Show more text. After `RateLimited` nothing of it was shown.

        Any other error breaks the stream, whatever was shown of it; `message` can be edited from then on.
        """

    async def close(self, body: Body) -> MessageRef:
        """End the stream; the message then shows *body* and nothing else, replaced if it must be.

        After `RateLimited` or `Unreachable` it may be called again, or `message` be edited instead.
        """


class ChatAdapter(Protocol):
    """One chat platform.

    The adapter alone decides "is this me?" and "is this for me?", acknowledges at once and hands what is left
    to `Conversation.receive`, `Uploads.receive` and `Removals.receive`, in the order in which it came.
    """

    @property
    def name(self) -> str:
        """For logs and scopes, for instance ``slack``; never compared outside the adapter."""

    @property
    def capabilities(self) -> Capabilities:
        """The platform's limits."""

    async def post(self, thread: Thread, body: Body) -> MessageRef:
        """Show a new message. Raises `ChatError`; after `Unreachable` it may have been shown."""

    async def edit(self, message: MessageRef, body: Body) -> None:
        """Replace all of a message; doing so twice is doing so once. Returns when the platform confirmed it.

        Raises `ChatError`: `MessageGone` for a deleted message, `NotAllowed` where nothing can be edited.
        """

    async def delete(self, message: MessageRef) -> None:
        """Take a message back. Raises `ChatError`, `MessageGone` when somebody else did."""

    async def set_status(self, thread: Thread, text: str | None) -> None:
        """Say what the bot is doing, in a place that leaves no message behind; None: nothing any more.

        A platform without such a place does nothing; one that streams, and can show no status, raises
        `NotAllowed`, so that a message says it. Raises `ChatError`.
        """

    async def mark(self, thread: Thread, message_id: str, mark: Mark) -> None:
        """Put a sign at somebody's message in place of an earlier one.

        A platform without such signs does nothing. Raises `ChatError`.
        """

    async def history(self, thread: Thread, *, limit: int) -> Sequence[Turn]:
        """Return the last *limit* messages of a thread, oldest first. Raises `ChatError`."""

    async def reread(self, thread: Thread, message_id: str) -> Said | None:
        """Return how a message of people's in *thread* reads that they have edited; None: they have not.

        None as well where nobody can know. Raises `ChatError`, `MessageGone` when they took it back.
        """

    async def open_stream(self, thread: Thread, *, asker: str | None = None) -> LiveMessage | None:
        """Return a message that will grow, or None: post and edit instead. Nothing is shown by opening it.

        *asker* is whoever it is for; None: nobody knows.

        Raises `ChatError`, which is as good as None.
        """
