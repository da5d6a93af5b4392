from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError, PipelineError
from pipeline.ingestion.chunker import chunk
from pipeline.ingestion.loaders import load
from pipeline.ingestion.sandbox import Sandbox
from pipeline.ingestion.wire import ParseLimits
from tests.fakes.documents import docx, pdf, zip_bomb

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

GUIDE = b"# Guide\n\nText.\n\n## Part\n\nMore.\n"
# a parser like ours in which the loader can be replaced
ROGUE = """
import os, signal, sys, time
from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion import parser
original = parser.load
def load(data, name, *, max_pages):
    {body}
    return original(data, name, max_pages=max_pages)
parser.load = load
parser.main()
"""


def rogue(body: str) -> tuple[str, ...]:
    return (sys.executable, "-c", ROGUE.format(body=body))


def pid(sandbox: Sandbox) -> int:
    (idle,) = sandbox._idle
    return idle._process.pid


async def reason_for(
    sandbox: Sandbox, data: bytes, name: str, limits: ParseLimits | None = None
) -> IngestReason:
    with pytest.raises(IngestError) as caught:
        await sandbox.parse(data, name, limits=limits)
    return caught.value.reason


@pytest.fixture
async def sandbox() -> AsyncIterator[Sandbox]:
    async with Sandbox() as sandbox:
        yield sandbox


async def test_a_file_is_read_as_it_would_be_here(sandbox: Sandbox) -> None:
    files = {
        "guide.md": GUIDE,
        "paper.pdf": pdf(["One", "Two"]),
        "terms.docx": docx(("Heading1", "T"), ("", "x")),
    }

    for name, data in files.items():
        parsed = await sandbox.parse(data, name)
        loaded = load(data, name)
        assert (parsed.pages, list(parsed.pieces)) == (loaded.pages, chunk(loaded))


async def test_one_process_reads_many_files(sandbox: Sandbox) -> None:
    await sandbox.parse(GUIDE, "guide.md")
    first = pid(sandbox)
    assert await reason_for(sandbox, b"%PDF-1.4 broken", "a.pdf") is IngestReason.CORRUPT
    assert await reason_for(sandbox, zip_bomb(), "a.docx") is IngestReason.TOO_LARGE
    assert (
        await reason_for(sandbox, pdf(["a", "b"]), "a.pdf", ParseLimits(max_pages=1))
        is IngestReason.TOO_MANY_PAGES
    )
    assert await reason_for(sandbox, GUIDE, "a.md", ParseLimits(max_pieces=1)) is IngestReason.TOO_LARGE

    assert pid(sandbox) == first


async def test_the_size_is_checked_before_any_process_is_started() -> None:
    async with Sandbox(command=("/nonexistent",), limits=ParseLimits(max_bytes=10)) as sandbox:
        assert await reason_for(sandbox, b"x" * 11, "a.txt") is IngestReason.TOO_LARGE
        assert await reason_for(sandbox, b"", "a.txt") is IngestReason.EMPTY_FILE


async def test_a_file_that_needs_too_much_memory_is_too_large_and_the_next_one_is_read(
    sandbox: Sandbox,
) -> None:
    limits = ParseLimits(memory_bytes=40_000_000)

    assert await reason_for(sandbox, b"word " * 4_000_000, "a.txt", limits) is IngestReason.TOO_LARGE
    assert len((await sandbox.parse(GUIDE, "guide.md")).pieces) == 2


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("os.kill(os.getpid(), signal.SIGSEGV)", IngestReason.CORRUPT),
        ("os._exit(0)", IngestReason.CORRUPT),
        ("os.abort()", IngestReason.TOO_LARGE),
        ("os.kill(os.getpid(), signal.SIGKILL)", IngestReason.TOO_LARGE),
        ("raise MemoryError", IngestReason.TOO_LARGE),
        ("signal.pause()", IngestReason.TIMED_OUT),
    ],
)
async def test_a_process_that_does_not_survive_a_file_is_replaced(body: str, reason: IngestReason) -> None:
    command = rogue(f"if name == 'bad': {body}")
    async with Sandbox(command=command) as sandbox:
        await sandbox.parse(GUIDE, "guide.md")
        first = pid(sandbox)

        limits = ParseLimits(wall_seconds=0.3 if reason is IngestReason.TIMED_OUT else 60.0)
        assert await reason_for(sandbox, GUIDE, "bad", limits) is reason

        await sandbox.parse(GUIDE, "guide.md")
        assert pid(sandbox) != first


async def test_computing_for_too_long_is_ended_by_the_kernel() -> None:
    async with Sandbox(command=rogue("while True: pass")) as sandbox:
        assert await reason_for(sandbox, GUIDE, "a.md", ParseLimits(cpu_seconds=1)) is IngestReason.TIMED_OUT


async def test_what_a_parser_raises_is_logged_by_its_type_alone(caplog: pytest.LogCaptureFixture) -> None:
    async with Sandbox(command=rogue("raise KeyError('their words')")) as sandbox:
        with caplog.at_level(logging.DEBUG):
            assert await reason_for(sandbox, GUIDE, "a.md") is IngestReason.CORRUPT

    assert "KeyError" in caplog.text
    assert "their words" not in caplog.text


async def test_what_a_library_prints_does_not_reach_us() -> None:
    async with Sandbox(command=rogue("print('noise', flush=True); os.write(1, b'noise')")) as sandbox:
        assert len((await sandbox.parse(GUIDE, "guide.md")).pieces) == 2


async def test_a_reply_that_makes_no_sense_counts_as_a_crash() -> None:
    nonsense = (
        "import sys; sys.stdout.buffer.write(bytes(7) + b'\\2{}' + bytes(7) + b'\\2[]'); sys.stdout.flush()"
    )
    async with Sandbox(command=(sys.executable, "-c", f"{nonsense}; sys.stdin.read()")) as sandbox:
        assert await reason_for(sandbox, GUIDE, "guide.md") is IngestReason.CORRUPT


async def test_cancelling_ends_the_process_and_frees_its_place() -> None:
    async with Sandbox(command=rogue("if name == 'bad': signal.pause()")) as sandbox:
        await sandbox.parse(GUIDE, "guide.md")
        (parser,) = sandbox._idle
        task = asyncio.create_task(sandbox.parse(GUIDE, "bad"))
        await asyncio.sleep(0)
        assert sandbox._idle == []

        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

        assert not parser.alive
        assert len((await sandbox.parse(GUIDE, "guide.md")).pieces) == 2


async def test_a_process_that_has_served_its_time_is_replaced() -> None:
    command = (
        sys.executable,
        "-c",
        "from pipeline.ingestion import parser; parser.MAX_FILES = 2; parser.main()",
    )
    async with Sandbox(command=command) as sandbox:
        await sandbox.parse(GUIDE, "a.md")
        await sandbox.parse(GUIDE, "b.md")

        assert sandbox._idle == []


async def test_a_process_that_died_while_idle_is_not_used() -> None:
    async with Sandbox() as sandbox:
        await sandbox.parse(GUIDE, "a.md")
        (parser,) = sandbox._idle
        parser._process.kill()
        await parser._process.wait()

        assert len((await sandbox.parse(GUIDE, "b.md")).pieces) == 2


async def test_files_are_read_side_by_side_in_as_many_processes_as_allowed() -> None:
    async with Sandbox(processes=2) as sandbox:
        results = await asyncio.gather(*(sandbox.parse(GUIDE, f"{index}.md") for index in range(6)))

        assert [len(result.pieces) for result in results] == [2] * 6
        assert len(sandbox._idle) == 2


async def test_a_process_that_cannot_be_started_is_no_fault_of_the_file() -> None:
    async with Sandbox(command=(sys.executable, "-c", "pass")) as sandbox:
        with pytest.raises(PipelineError, match="could not be started") as caught:
            await sandbox.parse(GUIDE, "a.md")

    assert not isinstance(caught.value, IngestError)


async def test_the_process_knows_none_of_our_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLACK_BOT_TOKEN", "xoxb-not-for-parsers")
    body = "raise IngestError(IngestReason.NO_TEXT, ' '.join(os.environ))"
    async with Sandbox(command=rogue(body)) as sandbox:
        with pytest.raises(IngestError) as caught:
            await sandbox.parse(GUIDE, "a.md")

    assert "PYTHONPATH" in str(caught.value)
    assert "TOKEN" not in str(caught.value)


def test_the_process_loads_no_store_and_no_model() -> None:
    code = "import pipeline.ingestion.parser, sys; print(*sys.modules)"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    loaded = {name.split(".")[0] for name in done.stdout.split()}
    heavy = {
        "lancedb",
        "pyarrow",
        "langchain_core",
        "onnxruntime",
        "sqlalchemy",
        "aiohttp",
        "numpy",
        "asyncio",
    }
    assert not loaded & (heavy | {"pypdfium2", "mammoth", "markdown_it", "selectolax", "tree_sitter"})
