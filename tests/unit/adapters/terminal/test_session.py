from __future__ import annotations

import asyncio
import io
import os
import signal
from itertools import count
from typing import TYPE_CHECKING

import pytest
from rich.console import Console

from adapters.terminal.adapter import TerminalAdapter
from adapters.terminal.session import run_terminal
from bot.commands import Commands
from bot.conversation import Conversation
from bot.pacing import Limiters
from bot.uploads import Uploads
from pipeline.domain import Scope
from pipeline.errors import CatalogUnavailable
from tests.fakes.clock import FakeClock
from tests.fakes.ledger import FakeLedger
from tests.fakes.library import (
    FakeAsked,
    FakeIntake,
    FakeJournal,
    FakeLibrary,
    FakePreferences,
    document,
)
from tests.fakes.pipeline import Script, ScriptedPipeline, answer, citation
from tests.fakes.waiting import until

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bot.chat import Thread

SCOPE = Scope("terminal", "local", "demo")


class Typist:
    """Types lines on a terminal; what is no line is done in between."""

    visible = True

    def __init__(self, *lines: str) -> None:
        self._lines = list(lines)
        self.prompts: list[str] = []
        self.waits = False
        """Whether to type nothing more and leave the program waiting at the end."""
        self.closed = False

    async def read(self, prompt: str) -> str | None:
        self.prompts.append(prompt)
        if self._lines:
            return self._lines.pop(0)
        if self.waits:
            await asyncio.get_running_loop().create_future()
        return None

    def close(self) -> None:
        self.closed = True


class Desk:
    """A terminal with everything behind it."""

    def __init__(self, *scripts: Script, terminal: bool = False) -> None:
        self.output = io.StringIO()
        self.clock = FakeClock()
        console = Console(file=self.output, force_terminal=terminal, width=70, height=20, color_system=None)
        self.adapter = TerminalAdapter(console)
        self.pipeline = ScriptedPipeline(*(scripts or (answer("Five days [1].", citations=[citation("1")]),)))
        self.library = FakeLibrary()
        self.intake = FakeIntake()
        ledger, limiters = FakeLedger(), Limiters()
        self.conversation = Conversation(
            self.adapter, self.pipeline.ask_stream, ledger=ledger, limiters=limiters, clock=self.clock
        )
        self.uploads = Uploads(self.adapter, self.intake, ledger=ledger, limiters=limiters, clock=self.clock)
        self.commands = Commands(self.library, FakeJournal(), FakePreferences(), FakeAsked())

    async def run(self, lines: Sequence[str] | None = None, *, typist: Typist | None = None) -> str:
        numbers = count()
        await run_terminal(
            self.adapter,
            self.conversation,
            self.commands,
            self.uploads,
            scope=SCOPE,
            lines=lines,
            source=typist,
            unique=lambda: f"id{next(numbers)}",
        )
        return self.output.getvalue()


async def test_a_script_prints_questions_and_finished_answers() -> None:
    printed = await Desk(answer("Five days [1].", citations=[citation("1")]), answer("No.")).run(
        ["How long do refunds take?", "", "Always?"]
    )

    assert printed == (
        "main> How long do refunds take?\n\n"
        "Five days [1].\n\n"
        "[1] handbook.pdf, page 3, Refunds > Timing — “Refunds are paid within five days.”\n\n"
        "main> Always?\n\n"
        "No.\n\n"
    )


async def test_in_a_script_each_turn_is_remembered_before_the_next_is_asked() -> None:
    desk = Desk()

    await desk.run(["a", "b"])

    assert desk.pipeline.log.index("remembered a") < desk.pipeline.log.index("asked b")
    assert [question.thread for question in desk.pipeline.questions] == ["main", "main"]


async def test_someone_who_types_is_welcomed_and_sees_the_answer_grow() -> None:
    desk = Desk(answer("Refunds take five days."), terminal=True)
    typist = Typist("How long?")

    printed = await desk.run(typist=typist)

    assert "/upload PATH" in printed
    assert "take five da▌" in printed or "take five days.▌" in printed
    assert "main> How long?" not in printed
    assert typist.prompts == ["main> ", "main> "]
    assert typist.closed


async def test_another_thread_has_a_memory_of_its_own() -> None:
    desk = Desk()

    printed = await desk.run(["/thread", "/thread  blue  sky", "How long?", "/thread"])

    assert "This is the thread “main”. Threads so far: main." in printed
    assert "This is the thread “blue sky”. Threads so far: blue sky, main." in printed
    assert desk.pipeline.questions[0].thread == "blue sky"


async def test_files_and_folders_are_uploaded_and_their_result_is_said(tmp_path: Path) -> None:
    (tmp_path / "a b.md").write_text("text")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "c.md").write_text("more")
    (tmp_path / ".hidden").write_text("no")
    desk = Desk()

    printed = await desk.run([f"/upload '{tmp_path}/a b.md' {tmp_path}"])

    assert [file.name for file in desk.intake.accepted] == ["a b.md", "a b.md", "deep/c.md"]
    assert desk.intake.accepted[0].source == (tmp_path / "a b.md").as_uri()
    assert desk.intake.accepted[0].size == 4
    assert "c.md is ready: 12 pages, 60 passages." in printed


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("/upload nowhere.pdf", "There is no such file"),
        ("/upload", "Say which file or folder to index: `/upload PATH`"),
        ("/upload ~nobody-has-this-name/x", "There is no such file"),
        ("/upload 'x", "A quotation mark in that path is not closed."),
    ],
)
async def test_a_path_that_is_none_is_said_in_words(line: str, words: str) -> None:
    assert words in await Desk().run([line])


async def test_commands_are_those_of_every_platform() -> None:
    desk = Desk()
    desk.library.put(SCOPE, document("d1"))

    printed = await desk.run(["/docs", "/why", "/status", "/reset", "/help", "/forget d1", "/dance"])

    for words in ("handbook.pdf — 12 pages", "Nothing was answered", "extractive", "begins anew"):
        assert words in printed
    for words in ("`/thread [NAME]`", "Forgotten: handbook.pdf.", "There is no command “dance”."):
        assert words in printed


async def test_a_command_that_fails_is_said_in_words() -> None:
    desk = Desk()

    async def broken(scope: Scope) -> Sequence[object]:
        raise CatalogUnavailable

    desk.library.documents = broken  # type: ignore[method-assign, assignment]  # the store breaks

    assert "footnote reindex" in await desk.run(["/docs"])


@pytest.mark.parametrize("word", ["/quit", "/exit"])
async def test_quitting_ends_before_the_lines_do(word: str) -> None:
    desk = Desk()

    await desk.run([word, "never asked"])

    assert desk.pipeline.questions == []


async def test_an_interrupt_stops_the_running_answer_and_the_conversation_goes_on() -> None:
    slow = answer("word " * 50)
    desk = Desk(slow, answer("Next."), terminal=True)
    slow.pause = lambda: _interrupt_once(desk)
    typist = Typist("Tell me everything", "And next?")

    printed = await desk.run(typist=typist)

    assert "Stopped." in printed
    assert "Next." in printed


async def test_two_interrupts_end_a_conversation_that_waits_for_a_line() -> None:
    desk = Desk(terminal=True)
    typist = Typist()
    typist.waits = True

    running = asyncio.create_task(desk.run(typist=typist))
    await until(lambda: typist.prompts)
    os.kill(os.getpid(), signal.SIGINT)
    await until(lambda: "Press Ctrl-C again" in desk.output.getvalue())
    os.kill(os.getpid(), signal.SIGINT)
    await running

    assert typist.closed


async def test_two_interrupts_end_a_conversation_whose_answer_will_not_stop() -> None:
    stuck = answer("Never.")
    stuck.gate = asyncio.Event()
    desk = Desk(stuck, terminal=True)
    typist = Typist("a", "never read")

    running = asyncio.create_task(desk.run(typist=typist))
    await until(lambda: desk.pipeline.questions)
    asked: list[Thread] = []

    def nothing_to_stop(thread: Thread, *, everything: bool = True) -> bool:
        asked.append(thread)
        return False

    desk.conversation.stop = nothing_to_stop  # type: ignore[method-assign]
    os.kill(os.getpid(), signal.SIGINT)
    await until(lambda: asked)
    os.kill(os.getpid(), signal.SIGINT)
    await running

    assert typist.prompts == ["main> "]
    stuck.gate.set()
    await desk.conversation.settled()


async def _interrupt_once(desk: Desk) -> None:
    await desk.clock.sleep(1.0)
    if "word" in desk.output.getvalue() and "And next?" not in [q.text for q in desk.pipeline.questions]:
        os.kill(os.getpid(), signal.SIGINT)
