"""How fast files become searchable, beside the embedding of their texts, which nothing can do without."""

from __future__ import annotations

import asyncio
import time
import zlib
from typing import TYPE_CHECKING

from pipeline.benchmark.figures import Figure, brief, compared
from pipeline.domain import Scope
from pipeline.ingestion.intake import Upload
from pipeline.ingestion.preparation import searchable
from pipeline.ingestion.sandbox import Sandbox

if TYPE_CHECKING:
    from pipeline.benchmark.bench import Bench, Effort
    from pipeline.storage.worker import Worker


def names(_: Effort) -> tuple[str, ...]:
    """Return the names of the figures."""
    return "ingest.files", "ingest.small_files", "ingest.many"


async def measure(bench: Bench) -> list[Figure]:
    """Index files, then embed their texts alone, in turns."""
    figures, effort = [], bench.effort
    async with Sandbox() as sandbox:
        worker = bench.rig.worker(sandbox)
        # the first file starts the process that reads files, and loads the models
        await _index(bench, worker, Scope("terminal", "bench", "first"), [1])
        await bench.bare.embed_documents(["first"])
        if bench.wanted("ingest.files"):
            rounds = [[effort.sections]] * effort.files
            figures.append(await _compare(bench, worker, "ingest.files", rounds))
        if bench.wanted("ingest.small_files"):
            rounds = [[1] * effort.small_files] * effort.batches
            figures.append(await _compare(bench, worker, "ingest.small_files", rounds))
        if bench.wanted("ingest.many"):
            figures.append(await _drop_many(bench, worker))
    return figures


async def _compare(bench: Bench, worker: Worker, name: str, rounds: list[list[int]]) -> Figure:
    """Index a round of files of so many chunks each, embed their texts, and so on."""
    scope = Scope("terminal", "bench", name.replace(".", "-").replace("_", "-"))
    ours, bare = [], []
    for number, sizes in enumerate(rounds):
        bench.tell(f"{name}: round {number + 1} of {len(rounds)}")
        seconds, document_ids = await _index(bench, worker, scope, sizes)
        texts = await _texts(bench, scope, document_ids)
        started = time.perf_counter()
        await bench.bare.embed_documents(texts)
        ours.append(len(texts) / seconds)
        bare.append(len(texts) / (time.perf_counter() - started))
    files = f"{sum(map(len, rounds))} files of {rounds[0][0]} chunk(s)"
    return compared(name, ours, bare, unit="chunks/s", against=f"embedding the same texts alone ({files})")


async def _drop_many(bench: Bench, worker: Worker) -> Figure:
    """Index many files of one channel, in two halves: the second should take no longer than the first."""
    half, scope = bench.effort.many // 2, Scope("terminal", "bench", "many")
    bench.tell(f"ingest.many: {2 * half} files in one channel")
    rates = [half / (await _index(bench, worker, scope, [1] * half))[0] for _ in range(2)]
    against = f"the first half of {2 * half} files of one chunk in one channel: {brief(rates[0])} files/s"
    return Figure(
        name="ingest.many",
        value=rates[1],
        unit="files/s",
        against=against,
        ratio=rates[1] / rates[0],
        runs=1,
    )


async def _index(bench: Bench, worker: Worker, scope: Scope, sizes: list[int]) -> tuple[float, list[str]]:
    """Take files in and wait until they can be found; return the seconds of that, and the documents."""
    intake = bench.rig.intake()
    uploads = [await asyncio.to_thread(_write, bench, size) for size in sizes]
    started = time.perf_counter()
    accepted = [await intake.accept(scope, upload) for upload in uploads]
    await worker.drain(scope)
    seconds = time.perf_counter() - started
    return seconds, [each.document_id for each in accepted if each.document_id is not None]


def _write(bench: Bench, sections: int) -> Upload:
    text = bench.language.markdown(sections)
    path = bench.rig.folder / f"{zlib.crc32(text.encode()):08x}.md"
    path.write_text(text, encoding="utf-8")
    return Upload(source=path.as_uri(), display_name=path.name)


async def _texts(bench: Bench, scope: Scope, document_ids: list[str]) -> list[str]:
    """Return what was embedded of these documents. Raises `RuntimeError` if one was not indexed."""
    found = [await bench.rig.catalog.chunks(scope, document_id) for document_id in document_ids]
    if not all(found):
        raise RuntimeError("a file was not indexed")
    return [searchable(chunk) for chunks in found for chunk in chunks]
