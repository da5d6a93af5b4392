from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from adapters.terminal.adapter import TerminalAdapter
from bot.chat import Body, NotAllowed, Thread, Turn
from pipeline.domain import Scope
from tests.contracts.chat import ChatContract

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.chat import ChatError, MessageRef
    from bot.incoming import Incoming
    from tests.contracts.chat import Platform, Saying

THREAD = Thread(Scope("terminal", "local", "demo"), "main")
HOSTILE = (
    "\x1b[2J",
    "\x1b]0;title\x07",
    "\x9b31m",
    "a\rb\x08\x08",
    "\u202egnp.exe",
    "\x1b]8;;http://e.x\x1b\\x\x1b]8;;\x1b\\",
)
_OWN = re.compile(r"\x1b\[(?:\?25[lh]|1A|2K)|\r")
"""What rich itself writes without colours: hide and show the cursor, go up, erase a line."""


class TerminalPlatform:
    """An adapter that writes into memory, as to a pipe or as to a terminal."""

    hostile = HOSTILE

    def __init__(self, *, terminal: bool) -> None:
        self.output = io.StringIO()
        console = Console(file=self.output, force_terminal=terminal, width=60, height=10, color_system=None)
        self.adapter = TerminalAdapter(console)
        self.thread = THREAD

    def harm(self) -> Sequence[str]:
        printed = _OWN.sub("", self.output.getvalue())
        return re.findall(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", printed)

    async def visible(self) -> Sequence[str]:
        return [turn.text for turn in await self.adapter.history(self.thread, limit=100)]

    async def vanish(self, message: MessageRef) -> None:
        raise AssertionError("nothing vanishes from a terminal")

    async def breaks(self, error: ChatError) -> bool:
        if isinstance(error, NotAllowed):
            self.output.close()
        return isinstance(error, NotAllowed)

    async def hear(self, saying: Saying) -> Sequence[Incoming] | None:
        return None


class TestTerminal(ChatContract):
    @pytest.fixture
    def platform(self) -> Platform:
        return TerminalPlatform(terminal=True)


class TestPipe(ChatContract):
    @pytest.fixture
    def platform(self) -> Platform:
        return TerminalPlatform(terminal=False)


async def test_a_pipe_gets_plain_lines_and_no_control_codes() -> None:
    pipe = TerminalPlatform(terminal=False)

    await pipe.adapter.set_status(THREAD, "Searching…")
    await pipe.adapter.post(
        THREAD,
        Body(
            text="**Five** days [1].\n\n[1] a\\_b.md, page 3 ([open](<file:///srv/a_b.md>))  \n"
            "[2] c.md\n\n_A note._"
        ),
    )

    assert pipe.output.getvalue() == (
        "Five days [1].\n\n[1] a_b.md, page 3 (file:///srv/a_b.md)\n[2] c.md\n\nA note.\n\n"
    )


async def test_a_pipe_declines_to_stream() -> None:
    assert await TerminalPlatform(terminal=False).adapter.open_stream(THREAD) is None


async def test_lines_in_a_pipe_are_as_long_as_they_are() -> None:
    pipe = TerminalPlatform(terminal=False)

    await pipe.adapter.post(THREAD, Body(text="word " * 60))

    assert pipe.output.getvalue().count("\n") == 2


async def test_on_a_terminal_the_answer_grows_and_is_printed_once_in_the_end() -> None:
    screen = TerminalPlatform(terminal=True)
    live = await screen.adapter.open_stream(THREAD)
    assert live is not None

    await live.append("Refunds take ")
    assert "Refunds take ▌" in screen.output.getvalue()
    await live.append("five days.")
    await live.close(Body(text="Refunds take five days [1]."))

    assert _rendered(screen.output.getvalue()).strip() == "Refunds take five days [1]."


async def test_a_status_is_erased_by_what_follows() -> None:
    screen = TerminalPlatform(terminal=True)

    await screen.adapter.set_status(THREAD, "Searching **3** documents…")
    assert "Searching 3 documents…" in screen.output.getvalue()
    await screen.adapter.post(THREAD, Body(text="Found."))

    assert _rendered(screen.output.getvalue()).strip() == "Found."


async def test_of_a_text_longer_than_the_screen_the_end_is_shown() -> None:
    screen = TerminalPlatform(terminal=True)
    live = await screen.adapter.open_stream(THREAD)
    assert live is not None

    await live.append("\n".join(f"line {n}" for n in range(100)))

    assert "line 99" in screen.output.getvalue()
    assert "line 50\n" not in screen.output.getvalue()


async def test_addresses_of_sources_are_spelled_out() -> None:
    screen = TerminalPlatform(terminal=True)

    await screen.adapter.post(THREAD, Body(text="[1] a.md ([open](<file:///srv/a.md>))"))

    assert "(file:///srv/a.md)" in screen.output.getvalue()


async def test_what_the_encoding_cannot_express_is_replaced() -> None:
    raw = io.BytesIO()
    console = Console(file=io.TextIOWrapper(raw, encoding="ascii", write_through=True), force_terminal=False)

    await TerminalAdapter(console).post(THREAD, Body(text="“Zürich” – 東京"))

    assert raw.getvalue() == b"?Z?rich? ? ??\n\n"


async def test_both_sides_of_a_conversation_are_its_history() -> None:
    pipe = TerminalPlatform(terminal=False)

    pipe.adapter.record(THREAD, Turn(author="you", text="How long?", own=False))
    await pipe.adapter.post(THREAD, Body(text="Five days."))

    turns = await pipe.adapter.history(THREAD, limit=10)
    assert [(turn.text, turn.own) for turn in turns] == [("How long?", False), ("Five days.", True)]
    assert await pipe.adapter.history(Thread(THREAD.scope, "other"), limit=10) == []


async def test_a_closed_output_is_told() -> None:
    pipe = TerminalPlatform(terminal=False)
    pipe.output.close()

    with pytest.raises(NotAllowed):
        await pipe.adapter.post(THREAD, Body(text="Five days."))


def _rendered(output: str) -> str:
    """What stands on the screen after cursor movements up and erased lines."""
    lines, row = [""], 0
    for token in re.split(r"(\x1b\[[0-9;?]*[A-Za-z]|\r|\n)", output):
        if token == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif token.endswith("A") and token.startswith("\x1b["):
            row -= int(token[2:-1] or 1)
        elif token == "\x1b[2K":
            lines[row] = ""
        elif not token.startswith(("\x1b", "\r")):
            lines[row] += token
    return "\n".join(line.rstrip() for line in lines)
