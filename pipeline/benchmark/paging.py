"""How fast PDFs become searchable, beside their parser and their embedding alone, and in how much memory."""

from __future__ import annotations

import asyncio
import gc
import time
from contextlib import asynccontextmanager, closing
from ctypes import cast, create_string_buffer
from typing import TYPE_CHECKING, Any, Final

import pypdfium2
from pypdfium2 import raw

from pipeline.benchmark.figures import Figure, brief, compared, family_resident, median
from pipeline.domain import Scope
from pipeline.ingestion.intake import Upload
from pipeline.ingestion.preparation import searchable
from pipeline.ingestion.sandbox import Sandbox

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Sequence

    from pipeline.benchmark.bench import Bench, Effort
    from pipeline.benchmark.corpus import Language
    from pipeline.storage.worker import Worker

A4: Final = (595, 842)
MARGIN: Final = 60
LEADING: Final = 15
FONT_SIZE: Final = 10.0
LINE_WORDS: Final = 12
LINES: Final = 40
"""About 2,800 characters, a page of a report."""

WATCH_S: Final = 0.02
"""How often memory is looked at; a parser holds its peak for longer."""

_MEGABYTE: Final = 1_000_000


def names(_: Effort) -> tuple[str, ...]:
    """Return the names of the figures; the last is missing where the system does not tell."""
    return "ingest.pages", "ingest.pages.parse", "ingest.memory"


async def measure(bench: Bench) -> list[Figure]:
    """Index PDFs, read them and embed their texts alone, in turns; then index a very long one."""
    figures: list[Figure] = []
    async with Sandbox() as sandbox:
        worker = bench.rig.worker(sandbox)
        await _index(bench, worker, "first", await _write(bench, "first", 1))
        await bench.bare.embed_documents(["first"])
        if bench.wanted("ingest.pages") or bench.wanted("ingest.pages.parse"):
            figures += await _rates(bench, worker, sandbox)
        if bench.wanted("ingest.memory") and family_resident() is not None:
            figures.append(await _memory(bench, worker))
    return figures


async def _rates(bench: Bench, worker: Worker, sandbox: Sandbox) -> list[Figure]:
    pages, rounds = bench.effort.pages, bench.effort.readings
    ours, embedding, parsing, bare = [], [], [], []
    for number in range(rounds):
        bench.tell(f"ingest.pages: round {number + 1} of {rounds}")
        upload = await _write(bench, f"pages-{number}", pages)
        seconds, texts = await _index(bench, worker, "pages", upload)
        ours.append(pages / seconds)
        embedding.append(pages / await _seconds(bench.bare.embed_documents(texts)))
        data = await asyncio.to_thread((bench.rig.folder / upload.display_name).read_bytes)
        parsing.append(pages / await _seconds(sandbox.parse(data, upload.display_name)))
        bare.append(pages / await _seconds(asyncio.to_thread(_read, data)))
    what = f"{rounds} PDFs of {pages} pages"
    return [
        compared(
            "ingest.pages",
            ours,
            embedding,
            unit="pages/s",
            against=f"embedding the same texts alone ({what}; parser alone: {brief(median(bare))} pages/s)",
        ),
        compared(
            "ingest.pages.parse",
            parsing,
            bare,
            unit="pages/s",
            against="pdfium alone, in this process; ours reads in a process of its own, and cuts",
        ),
    ]


async def _memory(bench: Bench, worker: Worker) -> Figure:
    """Watch this process and those that it has started while a very long PDF is indexed."""
    pages = bench.effort.long_pages
    bench.tell(f"ingest.memory: a PDF of {pages:,} pages")
    upload = await _write(bench, "long", pages)
    gc.collect()
    idle = _held()
    async with _watched() as peaks:
        seconds, texts = await _index(bench, worker, "long", upload)
    against = (
        f"nothing: the most that all processes held over idle ({idle / _MEGABYTE:.0f} MB) "
        f"while a PDF of {pages:,} pages, {len(texts):,} chunks, was indexed in {brief(seconds)} s"
    )
    grown = (max(peaks, default=idle) - idle) / _MEGABYTE
    return Figure(name="ingest.memory", value=grown, unit="MB", against=against, runs=1)


@asynccontextmanager
async def _watched() -> AsyncIterator[list[int]]:
    """Collect the memory of this process and its children for the length of the block."""
    held: list[int] = []

    async def watch() -> None:
        while True:
            held.append(await asyncio.to_thread(_held))
            await asyncio.sleep(WATCH_S)

    task = asyncio.create_task(watch(), name="memory watcher")
    try:
        yield held
    finally:
        task.cancel()
        await asyncio.wait([task])


def _held() -> int:
    return family_resident() or 0


async def _seconds(work: Awaitable[object]) -> float:
    started = time.perf_counter()
    await work
    return time.perf_counter() - started


async def _index(bench: Bench, worker: Worker, channel: str, upload: Upload) -> tuple[float, list[str]]:
    """Take a file in and wait until it can be found; return the seconds of that, and what was embedded."""
    scope = Scope("terminal", "bench", f"paging-{channel}")
    started = time.perf_counter()
    accepted = await bench.rig.intake().accept(scope, upload)
    await worker.drain(scope)
    seconds = time.perf_counter() - started
    chunks = await bench.rig.catalog.chunks(scope, accepted.document_id or "")
    if not chunks:
        raise RuntimeError("a PDF was not indexed")
    return seconds, [searchable(chunk) for chunk in chunks]


async def _write(bench: Bench, name: str, pages: int) -> Upload:
    path = bench.rig.folder / f"{name}.pdf"
    await asyncio.to_thread(_typeset, str(path), bench.language, pages)
    return Upload(source=path.as_uri(), display_name=path.name)


def _typeset(path: str, language: Language, pages: int) -> None:
    """Write a PDF of so many full pages."""
    with closing(pypdfium2.PdfDocument.new()) as document:
        for _ in range(pages):
            with closing(document.new_page(*A4)) as page:
                _fill(document, page, language.lines(LINES, LINE_WORDS))
                page.gen_content()
        document.save(path)


def _fill(document: Any, page: Any, lines: Sequence[str]) -> None:
    for number, line in enumerate(lines):
        item = raw.FPDFPageObj_NewTextObj(document, b"Helvetica", FONT_SIZE)
        letters = create_string_buffer((line + "\0").encode("utf-16-le"))
        raw.FPDFText_SetText(item, cast(letters, raw.FPDF_WIDESTRING))
        raw.FPDFPageObj_Transform(item, 1, 0, 0, 1, MARGIN, A4[1] - MARGIN - number * LEADING)
        raw.FPDFPage_InsertObject(page, item)


def _read(data: bytes) -> int:
    """Read every page's text with pdfium, and nothing else; return the number of characters."""
    read = 0
    with closing(pypdfium2.PdfDocument(data)) as document:
        for index in range(len(document)):
            with closing(document[index]) as page, closing(page.get_textpage()) as content:
                read += len(content.get_text_range())
    return read
