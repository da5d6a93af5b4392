from __future__ import annotations

import asyncio
import logging
import random
import subprocess
import sys
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError, PipelineError
from pipeline.ingestion.chunker import chunk
from pipeline.ingestion.loaders import load
from pipeline.ingestion.sandbox import Sandbox
from pipeline.ingestion.wire import ParseLimits
from tests.fakes.documents import archive, docx, pdf, zip_bomb
from tests.fakes.scans import scan

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pipeline.ingestion.loaders.bundles import Member

GUIDE = b"# Guide\n\nText.\n\n## Part\n\nMore.\n"
# a parser like ours in which the loader can be replaced
ROGUE = """
import os, signal, sys, time
from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion import parser
original = parser.load
def load(data, name, **options):
    {body}
    return original(data, name, **options)
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


async def test_what_pages_are_called_costs_no_file() -> None:
    body = "options['page_labels'] and os.kill(os.getpid(), signal.SIGSEGV)"
    async with Sandbox(command=rogue(body)) as sandbox:
        parsed = await sandbox.parse(pdf(["One"], labels="0<</S/r>>"), "paper.pdf")
        assert [(piece.text, piece.place.page_label) for piece in parsed.pieces] == [("One", None)]
        assert await reason_for(sandbox, pdf(["One"]), "paper.pdf") is IngestReason.CORRUPT


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


async def test_an_archive_is_only_named_until_it_is_taken_apart(sandbox: Sandbox) -> None:
    data = archive({"a/notes.md": GUIDE, "x.txt": "", "z.txt": "More."})

    parsed = await sandbox.parse(data, "bundle.zip")
    members: list[Member] = []

    async def take(member: Member) -> None:
        members.append(member)

    await sandbox.unpack(data, "bundle.zip", take)

    assert (parsed.is_archive, parsed.pieces) == (True, ())
    assert [(member.name, member.content) for member in members[::2]] == [
        ("a/notes.md", GUIDE),
        ("z.txt", b"More."),
    ]
    refused = members[1].content
    assert isinstance(refused, IngestError) and refused.reason is IngestReason.EMPTY_FILE
    assert len((await sandbox.parse(GUIDE, "guide.md")).pieces) == 2


async def test_of_a_large_archive_one_file_at_a_time_is_held(sandbox: Sandbox) -> None:
    noise = random.Random(7)
    content = b"".join(noise.randbytes(1_000) + b"x" * 50_000 for _ in range(160))
    data = archive({f"{number}.txt": content + b"%d" % number for number in range(8)})
    sizes: list[int] = []

    async def take(member: Member) -> None:
        sizes.append(len(member.content) if isinstance(member.content, bytes) else 0)

    tracemalloc.start()
    try:
        await sandbox.unpack(data, "bundle.zip", take)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert sizes == [len(content) + 1] * 8
    assert peak < 4 * len(content) + 2 * len(data)


async def test_a_bomb_is_refused_where_it_would_have_been_taken_apart(sandbox: Sandbox) -> None:
    async def take(member: Member) -> None:
        pytest.fail(f"{member.name} was unpacked")

    with pytest.raises(IngestError) as caught:
        await sandbox.unpack(archive({"a.txt": b" " * 12_000_000}), "bundle.zip", take)

    assert caught.value.reason is IngestReason.TOO_LARGE


async def test_text_recognition_is_tried_only_where_it_is_on_and_pages_are_pictures() -> None:
    body = "raise IngestError(IngestReason.NO_TEXT, str(options['recognize']))"
    limits = ParseLimits(recognize=3)
    async with Sandbox(command=rogue(body)) as sandbox:
        for data, allowed, tried in ((pdf([""]), limits, "3"), (pdf([""]), None, "0"), (GUIDE, limits, "0")):
            with pytest.raises(IngestError) as caught:
                await sandbox.parse(data, "a.pdf", limits=allowed)
            assert str(caught.value) == tried


async def test_half_a_document_is_kept_when_its_pictures_cannot_be_read() -> None:
    body = "if options['recognize']: os.abort()"
    async with Sandbox(command=rogue(body), limits=ParseLimits(recognize=3)) as sandbox:
        parsed = await sandbox.parse(pdf(["Typed.", ""]), "a.pdf")

    assert [piece.text for piece in parsed.pieces] == ["Typed."]


def test_text_recognition_is_allowed_more_of_everything_for_each_page() -> None:
    usual = ParseLimits(recognize=3)
    raised = usual.recognizing()

    assert raised.memory_bytes > 2 * usual.memory_bytes
    assert raised.wall_seconds - usual.wall_seconds == raised.cpu_seconds - usual.cpu_seconds == 120


@pytest.mark.timeout(300)
async def test_a_scanned_page_is_recognised_within_its_limits() -> None:
    pytest.importorskip("rapidocr")
    page = "The refund is paid within five days.\nInvoice INV-2026-1001"
    async with Sandbox(limits=ParseLimits(recognize=1)) as sandbox:
        parsed = await sandbox.parse(scan([page], typed=["Typed."]), "scan.pdf")

    assert [(piece.place.page, piece.text) for piece in parsed.pieces] == [(1, "Typed."), (2, page)]


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
