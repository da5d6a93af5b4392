"""What the commands read and change, and who asks for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from pipeline.conversation import Reason, Verdict
    from pipeline.domain import Document, Scope
    from pipeline.entries import Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Somebody who asks for something, and what they may do."""

    author: str
    """What the platform calls them, as in an upload's `Document.uploader`."""
    manages: bool = False
    """Whether the platform lets them manage the channel; False as well when nobody knows."""
    outside: bool = False
    """Whether they are a guest, or belong to another organisation that shares the channel."""

    def may_forget(self, document: Document) -> bool:
        """Tell whether they may take *document* back: their own, or any where they manage the channel."""
        return self.manages or (not self.outside and document.uploader == self.author)


@dataclass(frozen=True, slots=True, kw_only=True)
class Customs:
    """How a platform's people give commands, and whom they call what."""

    prefix: str = ""
    """What stands before the name of a command, for instance ``/footnote`` and a space."""
    in_threads: bool = True
    """Whether commands are given in a thread; False: they stand in the channel, whatever it is about."""
    buttons: bool = False
    """Whether buttons stand below an answer."""
    managers: str = "the people who manage this channel"
    lesson: str = (
        "Ask me about this channel's files; I answer from them and say where it stands. "
        "Upload a file to have it indexed."
    )
    """Markdown that says how to ask and how to add files."""

    def code(self, command: str) -> str:
        """Return *command* as people write it."""
        return f"`{self.prefix}{command}`"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A file that is on its way into the channel."""

    name: str
    running: bool = False
    fault: str | None = None
    """Why its last attempt failed, as a sentence; it is tried again."""
    since: datetime | None = None
    """When what it needs was first found to be away; None: it is not."""
    attempts: int = 0
    """How many failed so far; one while something is away is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryStatus:
    """How things stand in a channel."""

    documents: int
    ready: int
    pending: int
    failed: int
    reader: str
    """What words the answers, ``provider:model`` or ``extractive``."""
    embedder: str
    """What finds by meaning, ``provider:model``."""
    remarks: tuple[str, ...] = ()
    """Sentences about what does not work as it should."""
    waiting: tuple[Waiting, ...] = ()
    """Files in the queue, the next first."""


class Library(Protocol):
    """A channel's documents."""

    async def documents(self, scope: Scope) -> Sequence[Document]:
        """All of them, those still in the queue included."""

    async def forget(self, scope: Scope, document_ids: Sequence[str]) -> None:
        """Take documents back; they are not found any more from the moment this returns."""

    async def forget_all(self, scope: Scope) -> Sequence[Document]:
        """Take back every document, also where the list of them cannot be read, and return them."""

    async def status(self, scope: Scope) -> LibraryStatus:
        """How things stand."""

    async def passages(self, scope: Scope, chunk_ids: Sequence[str]) -> Mapping[str, str]:
        """Return the text of those of these passages that the channel still has."""


class RecordedTurn(Protocol):
    """One question and how it ended, as it was kept."""

    @property
    def turn_id(self) -> int | None: ...
    @property
    def question(self) -> str: ...
    @property
    def reason(self) -> Reason | None: ...
    @property
    def response(self) -> Mapping[str, Any]:
        """``citations``, ``degraded``, ``latency_ms`` and ``trace``, as JSON can hold them."""

    @property
    def created_at(self) -> datetime: ...


class Journal(Protocol):
    """What was said in a channel's threads, the memory of it, and what people thought of it."""

    async def last_turn(self, scope: Scope, thread: str) -> RecordedTurn | None:
        """Return the thread's latest turn, never one of another thread."""

    async def turn_for(self, scope: Scope, question_key: str) -> RecordedTurn | None:
        """Return the channel's latest turn that was asked by *question_key*."""

    async def add_feedback(self, turn_id: int, verdict: Verdict, note: str | None, user: str) -> bool:
        """Note what somebody thinks of a turn, in place of what they thought before; False: it is gone."""

    async def reset(self, scope: Scope, thread: str) -> None:
        """Forget what the thread remembers."""


class Asked(Protocol):
    """Who asked where."""

    async def threads_of(self, scope: Scope, author: str) -> Sequence[str]:
        """Return the threads of the channel in which *author* asked something, the latest first."""

    async def question_of(self, scope: Scope, message: str) -> Entry | None:
        """Return the question that a message of the channel is, or that it answers; None: it is neither."""
