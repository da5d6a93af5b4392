"""A terminal or a pipe, seen as a chat platform.

On a terminal an answer grows in a region that is erased when it is finished, and the finished text is printed
once. In a pipe there are plain lines without control codes, and only finished messages. What was printed can
be neither edited nor taken back.
"""

from __future__ import annotations

from collections import deque
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

from rich.live import Live
from rich.markdown import Markdown
from rich.text import Text

from adapters.terminal.text import encodable, linked, plain, safe
from bot.chat import WEB, Capabilities, MessageRef, NotAllowed, Thread, Threading, Turn
from bot.screens import CURSOR

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console, RenderableType

    from bot.chat import Body, Mark

MAX_CHARS = 1_000_000
"""A terminal has no limit; this one only keeps arithmetic finite."""
MAX_UPLOAD_BYTES = 200_000_000
LINK_SCHEMES = WEB | {"file"}
"""Whoever sits there can open the files of this machine."""
HISTORY = 100


class TerminalAdapter:
    """Writes to one rich console; satisfies `ChatAdapter`."""

    def __init__(self, console: Console, *, max_upload_bytes: int = MAX_UPLOAD_BYTES) -> None:
        self._console = console
        self._capabilities = Capabilities(
            max_chars=MAX_CHARS,
            edit_interval=None,
            threading=Threading.FLAT,
            max_upload_bytes=max_upload_bytes,
            link_schemes=LINK_SCHEMES,
        )
        self._region: Live | None = None
        self._ids = count(1)
        self._said: dict[Thread, deque[Turn]] = {}

    @property
    def name(self) -> str:
        return "terminal"

    @property
    def capabilities(self) -> Capabilities:
        return self._capabilities

    @property
    def is_terminal(self) -> bool:
        """Whether somebody watches; False for a pipe or a file."""
        return self._console.is_terminal

    async def post(self, thread: Thread, body: Body) -> MessageRef:
        text = self._printable(body.text)
        self.clear()
        self._print(Markdown(linked(text)) if self.is_terminal else plain(text))
        self.record(thread, Turn(author="footnote", text=body.text, own=True))
        return MessageRef(thread, str(next(self._ids)))

    async def edit(self, message: MessageRef, body: Body) -> None:
        raise NotAllowed

    async def delete(self, message: MessageRef) -> None:
        raise NotAllowed

    async def set_status(self, thread: Thread, text: str | None) -> None:
        if text is None:
            self.clear()
        elif self.is_terminal:
            self.show(Text(plain(self._printable(text)), style="dim"))

    async def mark(self, thread: Thread, message_id: str, mark: Mark) -> None:
        """Do nothing: there is no message to put a sign at."""

    async def history(self, thread: Thread, *, limit: int) -> Sequence[Turn]:
        return list(self._said.get(thread, ()))[-limit:]

    async def reread(self, thread: Thread, message_id: str) -> None:
        """Return that nothing has changed: what was typed stays as it is."""

    async def open_stream(self, thread: Thread, *, asker: str | None = None) -> TerminalMessage | None:
        return TerminalMessage(self, thread) if self.is_terminal else None

    def record(self, thread: Thread, turn: Turn) -> None:
        """Keep what was said, by either side, for `history`."""
        self._said.setdefault(thread, deque(maxlen=HISTORY)).append(turn)

    def echo(self, line: str) -> None:
        """Print a line that nobody saw being typed. Raises `NotAllowed` when the output is closed."""
        text = self._printable(line)
        self._print(Text(text, style="bold") if self.is_terminal else text)

    def grow(self, text: str) -> None:
        """Show the end of a growing text, as much of it as the screen holds."""
        width, height = self._console.width, max(1, self._console.height - 2)
        shown = Text(self._printable(text[-width * height :] + CURSOR))
        self.show(Text("\n").join(shown.wrap(self._console, width)[-height:]))

    def show(self, renderable: RenderableType) -> None:
        """Replace what the erasable region shows. Raises `NotAllowed` when the output is closed."""
        with _open_output():
            if self._region is None:
                self._region = Live(console=self._console, transient=True, auto_refresh=False)
                self._region.start()
            self._region.update(renderable, refresh=True)

    def clear(self) -> None:
        """Erase the region. Raises `NotAllowed` when the output is closed."""
        region, self._region = self._region, None
        if region is not None:
            with _open_output():
                region.stop()

    def _printable(self, text: str) -> str:
        return encodable(safe(text), self._console.encoding)

    def _print(self, renderable: RenderableType) -> None:
        with _open_output():
            if isinstance(renderable, str):  # as it is: rich would break lines at a width that a pipe has not
                self._console.file.write(f"{renderable}\n\n")
                self._console.file.flush()
            else:
                self._console.print(renderable)
                self._console.print()


@contextmanager
def _open_output() -> Iterator[None]:
    """Translate what happens when whoever read the output is gone."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise NotAllowed("the terminal is closed") from error


class TerminalMessage:
    """An answer that grows on the screen; satisfies `LiveMessage`."""

    def __init__(self, adapter: TerminalAdapter, thread: Thread) -> None:
        self._adapter = adapter
        self._thread = thread
        self._text = ""

    @property
    def message(self) -> MessageRef | None:
        """Nothing stays of it before it is closed."""
        return None

    async def append(self, markdown: str) -> None:
        self._text += markdown
        self._adapter.grow(self._text)

    async def close(self, body: Body) -> MessageRef:
        return await self._adapter.post(self._thread, body)
