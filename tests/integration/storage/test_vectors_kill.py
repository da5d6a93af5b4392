from __future__ import annotations

import multiprocessing
import time
from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import DocumentStatus
from pipeline.storage.vectors import CatalogStore, VectorStore
from tests.fakes.ingesting import NAMES, ingest_forever
from tests.fakes.stored import document_of, ref_of, stored_of

if TYPE_CHECKING:
    from pathlib import Path

ROUNDS = 6
ALL = [*NAMES, "after"]


def ingest_and_kill(directory: Path, generation: int, seed: int, steps: int, delay: float) -> None:
    """Let a process ingest, and end it with SIGKILL *delay* seconds into its *steps*-th step."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.fakes.ingesting"])
    receiver, sender = context.Pipe(duplex=False)
    arguments = (str(directory), generation, seed, sender)
    process = context.Process(target=ingest_forever, args=arguments, daemon=True)
    process.start()
    sender.close()
    for _ in range(steps):
        receiver.recv()
    time.sleep(delay)  # waits for nothing: it picks the moment within the step
    process.kill()
    process.join()
    receiver.close()
    process.close()


async def editions_of(catalog: CatalogStore, names: list[str] | None = None) -> dict[str, list[str]]:
    editions = defaultdict(list)
    for chunk in (await catalog.read_chunks(names)).chunks:
        editions[chunk.document_id].append(chunk.text)
    return editions


def assert_whole(editions: dict[str, list[str]]) -> None:
    for texts in editions.values():
        assert len(set(texts)) == 1
        assert texts[0].endswith(f" of {len(texts)}")


async def test_a_killed_job_leaves_whole_documents_and_a_sweep_leaves_no_orphans(tmp_path: Path) -> None:
    rng = np.random.default_rng(20)
    for number in range(ROUNDS):
        generation = number // 2  # so that the creation of tables is interrupted, too
        steps = int(rng.integers(1, 5) if number % 2 == 0 else rng.integers(5, 30))
        ingest_and_kill(tmp_path, generation, number, steps, delay=rng.uniform(0, 0.02))
        vectors = await VectorStore.connect(str(tmp_path))
        catalog = await vectors.catalog(ref_of(generation=generation))
        documents = await catalog.documents()
        assert_whole(await editions_of(catalog, ALL))
        ready = {item.document_id: item.chunks for item in documents if item.status is DocumentStatus.READY}
        seen = await editions_of(catalog)
        assert {name: len(texts) for name, texts in seen.items()} == ready
        assert await catalog.incomplete() == []
        await catalog.sweep()
        left = await editions_of(catalog, ALL)
        assert left.keys() <= {document.document_id for document in documents}
        assert await catalog.count_chunks() == sum(map(len, left.values()))
        assert not catalog.healed
        await catalog.write_chunks("after", stored_of("after", "edition 1 of 1"))
        await catalog.put_document(document_of("after", chunks=1))
        await catalog.maintain()
        assert (await editions_of(catalog))["after"] == ["edition 1 of 1"]
        await vectors.close()
