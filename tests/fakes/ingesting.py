"""An indexing job that never ends, to be killed at any moment."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import numpy as np

from pipeline.domain import DocumentStatus
from pipeline.storage.vectors import CatalogStore, VectorStore
from tests.fakes.stored import document_of, ref_of, stored_of

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

NAMES = [f"d{number:02}" for number in range(8)]


def ingest_forever(directory: str, generation: int, seed: int, steps: Connection) -> None:
    """Write, rewrite, delete and tidy up documents by chance; announce each step before it begins."""
    asyncio.run(_ingest(directory, generation, np.random.default_rng(seed), steps))


async def _ingest(directory: str, generation: int, rng: np.random.Generator, steps: Connection) -> None:
    vectors = await VectorStore.connect(directory, fts_min_rows=20)
    catalog = await vectors.catalog(ref_of(generation=generation))
    await catalog.sweep()
    while True:
        name = str(rng.choice(NAMES))
        if rng.random() < 0.25:
            steps.send("delete")
            await catalog.delete_documents([name])
        else:
            await _write(catalog, name, rng, steps)
        if rng.random() < 0.15:
            steps.send("maintain")
            await catalog.maintain()


async def _write(catalog: CatalogStore, name: str, rng: np.random.Generator, steps: Connection) -> None:
    count, edition = int(rng.integers(1, 12)), int(rng.integers(10**6))
    steps.send("indexing")
    await catalog.put_document(document_of(name, status=DocumentStatus.INDEXING))
    steps.send("chunks")
    # each text says to which whole it belongs
    await catalog.write_chunks(name, stored_of(name, *[f"edition {edition} of {count}"] * count))
    steps.send("ready")
    await catalog.put_document(document_of(name, chunks=count))
