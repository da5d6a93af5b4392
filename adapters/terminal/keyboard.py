"""Lines that somebody types, read without holding up the event loop."""

from __future__ import annotations

import asyncio
import io
import sys
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Lines(Protocol):
    """Where a conversation's lines come from."""

    @property
    def visible(self) -> bool:
        """Whether a line stands on the screen by being typed."""

    async def read(self, prompt: str) -> str | None:
        """Return the next line without its end; None: there will be no more."""

    def close(self) -> None:
        """Leave the terminal as it was found."""


class Keyboard:
    """Standard input: with a prompt and editing on a terminal, line by line from a pipe.

    Each line is read by a daemon thread: one that still waits for a line must not keep the program from
    ending, and `asyncio.to_thread` would.
    """

    def __init__(self) -> None:
        self._typed = sys.stdin.isatty() and sys.stdout.isatty()
        if isinstance(sys.stdin, io.TextIOWrapper):
            sys.stdin.reconfigure(errors="replace")  # a stray byte must not end the conversation
        self._found = _terminal_state() if self._typed else None
        if self._typed:
            with suppress(ImportError):
                import readline  # noqa: F401 - importing it is what gives input() its editing

    @property
    def visible(self) -> bool:
        return self._typed

    async def read(self, prompt: str) -> str | None:
        source = (lambda: _typed_line(prompt)) if self._typed else _piped_line
        return await _in_daemon(source)

    def close(self) -> None:
        if self._found is not None:
            _restore(self._found)


class Script:
    """Lines that were written before."""

    visible = False

    def __init__(self, lines: Iterable[str]) -> None:
        self._lines = iter(lines)

    async def read(self, prompt: str) -> str | None:
        return next(self._lines, None)

    def close(self) -> None:
        """Do nothing: no terminal was touched."""


def _typed_line(prompt: str) -> str | None:
    try:
        return input(prompt)
    except EOFError:
        return None


def _piped_line() -> str | None:
    line = sys.stdin.readline()
    return line.rstrip("\r\n") if line else None


async def _in_daemon(work: Callable[[], str | None]) -> str | None:
    loop = asyncio.get_running_loop()
    future: asyncio.Future[str | None] = loop.create_future()

    def settle(line: str | None) -> None:
        if not future.done():
            future.set_result(line)

    def run() -> None:
        try:
            line = work()
        except (OSError, ValueError):  # the input is closed: there will be no more
            line = None
        with suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle, line)

    threading.Thread(target=run, name="keyboard", daemon=True).start()
    return await future


def _terminal_state() -> list[Any] | None:
    try:
        import termios  # only where there are such terminals
    except ImportError:
        return None
    return termios.tcgetattr(sys.stdin.fileno())


def _restore(state: list[Any]) -> None:
    """Undo what a reader that was left behind did to the terminal's modes."""
    import termios

    with suppress(termios.error):
        termios.tcsetattr(sys.stdin.fileno(), termios.TCSANOW, state)
