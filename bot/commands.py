"""What people can ask the bot to do besides answering, once for every platform."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from bot.chat import Body
from bot.citations import file_name, literal
from bot.controls import FORGET
from bot.explanation import explain
from bot.wording import counted, counts, ingest_sentence
from pipeline.domain import DocumentStatus

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence
    from datetime import datetime

    from bot.chat import Thread
    from bot.incoming import IncomingAction
    from pipeline.domain import Document, Reason, Scope

LISTED = 40
"""Documents in one list; the rest is counted."""


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


class Library(Protocol):
    """A channel's documents."""

    async def documents(self, scope: Scope) -> Sequence[Document]:
        """All of them, those still in the queue included."""

    async def forget(self, scope: Scope, document_ids: Sequence[str]) -> None:
        """Take documents back; they are not found any more from the moment this returns."""

    async def status(self, scope: Scope) -> LibraryStatus:
        """How things stand."""


class RecordedTurn(Protocol):
    """One question and how it ended, as it was kept."""

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
    """What was said in a thread, and the memory of it."""

    async def last_turn(self, scope: Scope, thread: str) -> RecordedTurn | None:
        """Return the thread's latest turn, never one of another thread."""

    async def reset(self, scope: Scope, thread: str) -> None:
        """Forget what the thread remembers."""


class Commands:
    """The commands by name. Each takes a thread and what follows the name, and returns what to show.

    A body may be longer than a message; `Courier.post` splits it.
    """

    def __init__(self, library: Library, journal: Journal) -> None:
        self._library = library
        self._journal = journal
        self._commands: dict[str, Callable[[Thread, str], Awaitable[Body]]] = {
            "docs": self.docs,
            "forget": self.forget,
            "why": self.why,
            "status": self.status,
            "reset": self.reset,
            "help": self.help,
        }

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all commands."""
        return tuple(self._commands)

    async def run(self, name: str, thread: Thread, args: str = "") -> Body:
        """Run the command called *name*; an unknown one is answered with a list. Raises `PipelineError`."""
        command = self._commands.get(name.lower())
        if command is None:
            known = await self.help(thread, "")
            return Body(text=f"There is no command “{literal(name, 40)}”.\n\n{known.text}")
        return await command(thread, args.strip())

    async def act(self, event: IncomingAction) -> Body | None:
        """Do what a pressed button stands for; None: it is not one of ours."""
        return await self.forget(event.thread, event.value) if event.action == FORGET else None

    async def docs(self, thread: Thread, args: str) -> Body:
        """List the channel's documents."""
        documents = await self._library.documents(thread.scope)
        if not documents:
            return Body(text="This channel has no documents yet. Upload a file, and it will be indexed.")
        lines = [f"- {_document(document)}" for document in documents[-LISTED:]]
        if len(documents) > LISTED:
            lines.insert(0, f"- … and {len(documents) - LISTED} older ones")
        return Body(text=f"**{counted(len(documents), 'document')}**\n\n" + "\n".join(lines))

    async def forget(self, thread: Thread, args: str) -> Body:
        """Take documents back, by id or by name; several documents of one name are told apart by id."""
        documents = await self._library.documents(thread.scope)
        if not args:
            return Body(text="Say which document: `forget ID`, `forget NAME`, or `forget all`.")
        found = list(documents) if args.lower() == "all" else _matching(documents, args)
        if not found:
            return Body(text=f"This channel has no document “{literal(args, 80)}”. `docs` lists what it has.")
        if len(found) > 1 and args.lower() != "all":
            lines = "\n".join(f"- {_document(document)}" for document in found)
            return Body(text=f"Several documents have that name; say which by its id:\n\n{lines}")
        await self._library.forget(thread.scope, [document.document_id for document in found])
        names = ", ".join(file_name(document.display_name) for document in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        return Body(text=f"Forgotten: {names}{more}.")

    async def why(self, thread: Thread, args: str) -> Body:
        """Explain the thread's last answer: what was found, how, how long it took, what was missing."""
        turn = await self._journal.last_turn(thread.scope, thread.key)
        if turn is None:
            return Body(text="Nothing was answered in this thread yet.")
        documents = await self._library.documents(thread.scope)
        names = {document.document_id: document.display_name for document in documents}
        return Body(text=explain(turn.response, turn.reason, names))

    async def status(self, thread: Thread, args: str) -> Body:
        """Say how things stand in the channel."""
        status = await self._library.status(thread.scope)
        lines = [
            f"- Documents: {status.documents} ({status.ready} ready, {status.pending} waiting, "
            f"{status.failed} failed)",
            f"- Answers are worded by: {literal(status.reader, 80)}",
            f"- Meaning is found by: {literal(status.embedder, 80)}",
            *(f"- {remark}" for remark in status.remarks),
        ]
        return Body(text="**Status of this channel**\n\n" + "\n".join(lines))

    async def reset(self, thread: Thread, args: str) -> Body:
        """Begin the thread anew."""
        await self._journal.reset(thread.scope, thread.key)
        return Body(text="This thread begins anew: I do not remember what was said before.")

    async def help(self, thread: Thread, args: str) -> Body:
        """Say what there is."""
        return Body(
            text=(
                "Ask me about this channel's files; I answer from them and say where it stands. "
                "Upload a file to have it indexed.\n\n"
                "- `docs`: what this channel has\n"
                "- `forget ID`: take a document back (`forget all` for every one)\n"
                "- `why`: how the last answer of this thread came about\n"
                "- `status`: models and documents\n"
                "- `reset`: forget what was said in this thread\n"
                "- `help`: this list"
            )
        )


def _matching(documents: Sequence[Document], wanted: str) -> list[Document]:
    by_id = [document for document in documents if document.document_id == wanted]
    return by_id or [document for document in documents if document.display_name.lower() == wanted.lower()]


def _document(document: Document) -> str:
    name = f"**{file_name(document.display_name)}**"
    match document.status:
        case DocumentStatus.READY:
            state = "; ".join(filter(None, [counts(document), document.message]))
        case DocumentStatus.FAILED:
            state = f"not indexed: {literal(ingest_sentence(document.reason, document.message), 200)}"
        case _:
            state = document.status.value
    return f"{name} — {state} · `{document.document_id}`"
