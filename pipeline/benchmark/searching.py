"""How long a search takes, at three sizes, beside LanceDB's own two calls on the same table."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any, Final

import lancedb

from pipeline.benchmark.figures import Figure, brief, compared, median
from pipeline.benchmark.scripted import KnownVectors
from pipeline.domain import Question
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.search import CANDIDATES
from pipeline.storage.indexes import TEXT_COLUMN, chunk_indexes
from pipeline.storage.queries import by_text, by_vector
from pipeline.storage.upkeep import indexed

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.benchmark.bench import Bench
    from pipeline.domain import Scope

SIZES: Final = (1_000, 10_000, 100_000)
QUICK_SIZES: Final = SIZES[:2]

WARM_UP: Final = 5

NAMES: Final = (*(f"search.{size}" for size in SIZES), *(f"search.growth.{size}" for size in SIZES[1:]))


async def measure(bench: Bench) -> list[Figure]:
    """Search channels of all sizes."""
    figures: list[Figure] = []
    times: dict[int, tuple[list[float], list[float]]] = {}
    for size in QUICK_SIZES if bench.quick else SIZES:
        if not any(bench.wanted(name) for name in _needed_by(size)):
            continue
        ours, bare, indexes = await _measure(bench, size)
        times[size] = ours, bare
        against = f"LanceDB's nearest and full-text search, {CANDIDATES} hits each, at once; {indexes}"
        figures.append(compared(f"search.{size}", ours, bare, unit="ms", against=against))
    return figures + [_growth(times, *pair) for pair in zip(times, list(times)[1:], strict=False)]


def _needed_by(size: int) -> list[str]:
    """Return the figures that need this size: the next one's growth too."""
    following = [other for other in SIZES if other > size][:1]
    return [f"search.{size}", *(f"search.growth.{other}" for other in [size, *following])]


def _growth(times: dict[int, tuple[list[float], list[float]]], small: int, large: int) -> Figure:
    ours, bare = (median(times[large][side]) / median(times[small][side]) for side in (0, 1))
    return Figure(
        name=f"search.growth.{large}",
        value=ours,
        unit="×",
        against=f"LanceDB's own growth from {small:,} to {large:,} chunks: {brief(bare)} ×",
        ratio=ours / bare,
        runs=len(times[large][0]),
    )


async def _measure(bench: Bench, size: int) -> tuple[list[float], list[float], str]:
    """Search ours and bare in turns; return both's milliseconds, and which indexes the table has."""
    scope = await bench.channels.of(size)
    runs = bench.runs(60, 30) + WARM_UP
    questions = [bench.language.question() for _ in range(runs)]
    vectors = bench.language.vectors(runs, bench.rig.embedder.dimension)
    known = KnownVectors(bench.rig.embedder.name, dict(zip(questions, vectors, strict=True)))
    lookup = bench.rig.lookup(known)
    table = await _bare_table(bench, scope)
    ours, bare = [], []
    for run, (text, vector) in enumerate(zip(questions, vectors, strict=True)):
        bench.tell(f"search {run + 1} of {runs} in {size:,} chunks")
        started = time.perf_counter()
        await lookup(Question(text=text, scope=scope), "")
        between = time.perf_counter()
        await _search_bare(table, analyze(text), vector)
        ours.append((between - started) * 1000)
        bare.append((time.perf_counter() - between) * 1000)
    names = " and ".join(sorted(index.index_type for index in await table.list_indices()))
    return ours[WARM_UP:], bare[WARM_UP:], f"indexes: {names}"


async def _bare_table(bench: Bench, scope: Scope) -> Any:
    """Open the channel's table with the library alone and its defaults, and give it a full-text index."""
    ref = await bench.rig.generations.current(scope)
    if ref is None:
        raise RuntimeError("the channel was not built")
    connection = await lancedb.connect_async(str(bench.rig.folder / "vectors"))
    table = await connection.open_table(f"{ref.name}.chunks")
    if TEXT_COLUMN not in await indexed(table):
        _, words = chunk_indexes(ref.dimension, ann_min_rows=0, fts_min_rows=0)
        await table.create_index(TEXT_COLUMN, config=words.config)
    return table


async def _search_bare(table: Any, tokens: Sequence[str], vector: NDArray[np.float32]) -> None:
    nearest, words = by_vector(vector)(table), by_text(tokens)(table)
    await asyncio.gather(nearest.limit(CANDIDATES).to_arrow(), words.limit(CANDIDATES).to_arrow())
