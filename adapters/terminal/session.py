"""The conversation at a terminal: lines in, messages, files and commands out."""

from __future__ import annotations

import asyncio
import shlex
import signal
import uuid
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from adapters.files import find_files
from adapters.terminal.keyboard import Keyboard, Script
from bot.chat import Body, ChatError, Thread, Turn
from bot.incoming import IncomingFile, IncomingMessage
from bot.pacing import first_of
from bot.records import Caller
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator, Sequence

    from adapters.terminal.adapter import TerminalAdapter
    from adapters.terminal.keyboard import Lines
    from bot.commands import Commands
    from bot.conversation import Conversation
    from bot.uploads import Uploads
    from pipeline.domain import Scope

THREAD = "main"
AUTHOR = "you"
CALLER = Caller(author=AUTHOR, manages=True)
"""Whoever sits at the terminal can read and delete all files of the program anyway."""
WELCOME = (
    "Ask about this channel's files. `/upload PATH` adds one, `/help` lists the commands, "
    "Ctrl-C stops an answer, `/quit` ends."
)
_HELP = (
    "\n\nAt the terminal each command begins with a slash, and there are three more:\n\n"
    "- `/upload PATH`: index a file or a folder\n"
    "- `/thread [NAME]`: go to another thread, with a memory of its own\n"
    "- `/quit`: end"
)


def _unique() -> str:
    return uuid.uuid4().hex


async def run_terminal(
    adapter: TerminalAdapter,
    conversation: Conversation,
    commands: Commands,
    uploads: Uploads,
    *,
    scope: Scope,
    lines: Sequence[str] | None = None,
    thread: str = THREAD,
    source: Lines | None = None,
    unique: Callable[[], str] = _unique,
) -> None:
    """Talk until there are no more lines, ``/quit``, or two interrupts in a row.

    *lines* are fed as if they were typed, each awaited to its end; None: they come from *source*, by default
    standard input. The caller drains conversation and uploads afterwards. Must run in the main thread for
    Ctrl-C to stop an answer.
    """
    source = source or (Keyboard() if lines is None else Script(lines))
    session = Session(adapter, conversation, commands, uploads, scope=scope, thread=thread, unique=unique)
    try:
        with _interrupts(session.interrupt):
            await session.run(source)
    finally:
        source.close()
        with suppress(ChatError):
            adapter.clear()


class Session:
    """One person at one terminal, in one channel."""

    def __init__(
        self,
        adapter: TerminalAdapter,
        conversation: Conversation,
        commands: Commands,
        uploads: Uploads,
        *,
        scope: Scope,
        thread: str = THREAD,
        unique: Callable[[], str] = _unique,
    ) -> None:
        self._adapter = adapter
        self._conversation = conversation
        self._commands = commands
        self._uploads = uploads
        self._scope = scope
        self._thread = Thread(scope, thread)
        self._threads = {thread}
        self._unique = unique
        self._watched = True
        self._interrupted = False
        self._ended = asyncio.Event()
        self._own: dict[str, Callable[[str], Awaitable[None]]] = {
            "upload": self._upload,
            "thread": self._switch,
            "quit": self._quit,
            "exit": self._quit,
        }

    async def run(self, source: Lines) -> None:
        """Handle line after line until the end."""
        self._watched = source.visible
        if self._watched:
            await self._say(WELCOME)
        while not self._ended.is_set() and (line := await self._next(source)) is not None:
            self._interrupted = False
            if line.strip():
                await self._unless_ended(self._handle(line.strip()))

    def interrupt(self) -> None:
        """Stop the running answer; a second time before the next line, end."""
        if self._interrupted:
            self._ended.set()
            return
        self._interrupted = True
        if not self._conversation.stop(self._thread):
            with suppress(ChatError):
                self._adapter.echo("\nPress Ctrl-C again to end, or go on typing.")

    async def _next(self, source: Lines) -> str | None:
        reading = asyncio.ensure_future(source.read(f"{self._thread.key}> "))
        await self._unless_ended(reading)
        return reading.result() if reading.done() and not reading.cancelled() else None

    async def _unless_ended(self, work: Awaitable[object]) -> None:
        task = asyncio.ensure_future(work)
        await first_of(task, self._ended.wait())
        if task.done() and not task.cancelled():
            task.result()

    async def _handle(self, line: str) -> None:
        if not self._watched:
            self._adapter.echo(f"{self._thread.key}> {line}")
        if line.startswith("/"):
            name, _, args = line[1:].partition(" ")
            await self._command(name.lower(), args.strip())
        else:
            await self._ask(line)

    async def _ask(self, text: str) -> None:
        message = IncomingMessage(
            event_id=self._unique(),
            message_id=self._unique(),
            thread=self._thread,
            author=AUTHOR,
            text=text,
        )
        self._adapter.record(self._thread, Turn(author=AUTHOR, text=text, own=False))
        self._conversation.receive(message)
        if self._watched:  # the turn is remembered while the next question is typed
            await self._conversation.answered(self._thread)
        else:
            await self._conversation.settled(self._thread)

    async def _command(self, name: str, args: str) -> None:
        own = self._own.get(name)
        if own is not None:
            await own(args)
            return
        await self._conversation.settled(self._thread)  # what is asked about must be remembered first
        try:
            body = await self._commands.run(name, self._thread, args, CALLER)
        except PipelineError as error:
            body = Body(text=str(error))
        await self._say(body.text + (_HELP if name == "help" else ""))

    async def _upload(self, args: str) -> None:
        if not args:
            await self._say(
                "Say which file or folder to index: `/upload PATH`, with quotation marks around spaces."
            )
            return
        try:
            files = await asyncio.to_thread(_files, shlex.split(args))
        except ValueError:
            await self._say("A quotation mark in that path is not closed.")
            return
        if not files:
            await self._say(
                "There is no such file, or nothing to index in that folder; write `/upload PATH`, "
                "with quotation marks around spaces."
            )
        for path, name, size in files:
            self._uploads.receive(
                IncomingFile(
                    event_id=self._unique(),
                    file_id=self._unique(),
                    thread=self._thread,
                    author=AUTHOR,
                    name=name,
                    source=path.as_uri(),
                    size=size,
                )
            )
        await self._uploads.settled()

    async def _switch(self, args: str) -> None:
        name = " ".join(args.split())[:60]
        if not name:
            others = ", ".join(sorted(self._threads))
            await self._say(f"This is the thread “{self._thread.key}”. Threads so far: {others}.")
            return
        self._thread = Thread(self._scope, name)
        self._threads.add(name)
        await self._say(f"This is the thread “{name}” now; it has a memory of its own.")

    async def _quit(self, args: str) -> None:
        self._ended.set()

    async def _say(self, text: str) -> None:
        await self._adapter.post(self._thread, Body(text=text))


def _files(words: Sequence[str]) -> list[tuple[Path, str, int]]:
    """Return the files that *words* name and those in folders, with their display names and sizes."""
    found = find_files([_at_home(Path(word)) for word in words])
    return [(path.absolute(), name, path.stat().st_size) for path, name in found if path.is_file()]


def _at_home(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError:  # a home that nobody has
        return path


@contextmanager
def _interrupts(handler: Callable[[], None]) -> Iterator[None]:
    """Hand Ctrl-C to *handler* for the length of the block, where the platform and the thread allow it."""
    loop = asyncio.get_running_loop()
    try:
        loop.add_signal_handler(signal.SIGINT, handler)
    except (NotImplementedError, RuntimeError, ValueError):  # no such signals here, or not the main thread
        yield
        return
    try:
        yield
    finally:
        loop.remove_signal_handler(signal.SIGINT)
