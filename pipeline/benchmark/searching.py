"""How long a search takes, at three sizes, beside LanceDB's own two calls on the same table."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import lancedb

from pipeline.benchmark.figures import Figure, brief, compared, median, timed
from pipeline.benchmark.scripted import KnownVectors
from pipeline.conversation import Question
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.index import Indexes
from pipeline.retrieval.search import CANDIDATES
from pipeline.storage.indexes import TEXT_COLUMN, chunk_indexes
from pipeline.storage.queries import by_text, by_vector
from pipeline.storage.upkeep import indexed

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from pipeline.benchmark.bench import Bench, Effort
    from pipeline.domain import Scope

WARM_UP: Final = 5


def names(effort: Effort) -> tuple[str, ...]:
    """Return the names of the figures."""
    searches = (f"search.{size}" for size in effort.sizes)
    growths = (f"search.growth.{size}" for size in effort.sizes[1:])
    return (*searches, *growths, "search.first")


async def measure(bench: Bench) -> list[Figure]:
    """Search channels of all sizes."""
    figures: list[Figure] = []
    times: dict[int, tuple[list[float], list[float]]] = {}
    for size in bench.effort.sizes:
        if not any(map(bench.wanted, _needing(size, bench.effort.sizes))):
            continue
        ours, bare, indexes = await _measure(bench, size)
        times[size] = ours, bare
        against = f"LanceDB's nearest and full-text search, {CANDIDATES} hits each, at once; {indexes}"
        figures.append(compared(f"search.{size}", ours, bare, unit="ms", against=against))
    figures += [_growth(times, *pair) for pair in pairwise(times)]
    if bench.wanted("search.first"):
        figures.append(await _first(bench))
    return figures


def _needing(size: int, sizes: Sequence[int]) -> list[str]:
    """Return the figures that need a channel of this size: its own, its growth and the next one's."""
    following = [other for other in sizes if other > size][:1]
    return [f"search.{size}", *(f"search.growth.{other}" for other in (size, *following))]


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
    runs = bench.effort.searches + WARM_UP
    questions = [bench.language.question() for _ in range(runs)]
    known = _know(bench, questions)
    lookup = bench.rig.lookup(known)
    ours, bare = [], []
    async with _bare_table(bench, scope) as table:
        for run, text in enumerate(questions, 1):
            bench.tell(f"search {run} of {runs} in {size:,} chunks")
            ours.append(await timed(lookup(Question(text=text, scope=scope), "")))
            bare.append(await timed(_search_bare(table, analyze(text), await known.embed_query(text))))
        names = " and ".join(sorted(index.index_type for index in await table.list_indices()))
    return ours[WARM_UP:], bare[WARM_UP:], f"indexes: {names}"


async def _first(bench: Bench) -> Figure:
    """Search with nothing in memory, as after a start, and read the table bare, in turns."""
    scope = await bench.channels.of(bench.effort.channel)
    ours, bare = [], []
    async with _bare_table(bench, scope) as table:
        for run in range(bench.effort.first_searches):
            bench.tell(f"first search {run + 1} of {bench.effort.first_searches}")
            text = bench.language.question()
            lookup = bench.rig.lookup(_know(bench, [text]), Indexes(analyze=analyze))
            ours.append(await timed(lookup(Question(text=text, scope=scope), "")))
            bare.append(await timed(table.to_arrow()))
    against = f"reading the table of {bench.effort.channel:,} chunks with LanceDB alone"
    return compared("search.first", ours, bare, unit="ms", against=against)


def _know(bench: Bench, questions: Sequence[str]) -> KnownVectors:
    vectors = bench.language.vectors(len(questions), bench.rig.embedder.dimension)
    return KnownVectors(bench.rig.embedder.name, dict(zip(questions, vectors, strict=True)))


@asynccontextmanager
async def _bare_table(bench: Bench, scope: Scope) -> AsyncIterator[Any]:
    """Open the channel's table with the library alone and its defaults, and give it a full-text index."""
    ref = await bench.rig.generations.current(scope)
    if ref is None:
        raise RuntimeError("the channel was not built")
    connection: Any = await lancedb.connect_async(str(bench.rig.folder / "vectors"))
    try:
        table = await connection.open_table(f"{ref.name}.chunks")
        if TEXT_COLUMN not in await indexed(table):
            _, words = chunk_indexes(ref.dimension, ann_min_rows=0, fts_min_rows=0)
            await table.create_index(TEXT_COLUMN, config=words.config)
        yield table
    finally:
        connection.close()


async def _search_bare(table: Any, tokens: Sequence[str], vector: NDArray[np.float32]) -> None:
    nearest, words = by_vector(vector)(table), by_text(tokens)(table)
    await asyncio.gather(nearest.limit(CANDIDATES).to_arrow(), words.limit(CANDIDATES).to_arrow())
