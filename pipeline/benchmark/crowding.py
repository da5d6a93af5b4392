"""Two hundred threads ask at the same moment: is everybody answered, and does the loop stay free."""

from __future__ import annotations

import asyncio
import gc
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from pipeline.benchmark.answering import ask
from pipeline.benchmark.figures import Figure, brief, compared, median, percentile, resident
from pipeline.benchmark.scripted import ScriptedReader
from pipeline.conversation import Question

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable

    from pipeline.ask import Pipeline
    from pipeline.benchmark.bench import Bench, Effort
    from pipeline.domain import Scope

MODEL_S: Final = 0.05

SAMPLE_S: Final = 0.005
"""How long the sampler sleeps; what it sleeps over that is the loop's lag."""

WARM_UP: Final = 20


def names(_: Effort) -> tuple[str, ...]:
    """Return the names of the figures; the last is missing where the system does not tell."""
    return "threads.answered", "threads.lag", "threads.memory"


async def measure(bench: Bench) -> list[Figure]:
    """Let new threads ask, round after round."""
    scope = await bench.channels.of(bench.effort.channel)
    pipeline = bench.rig.pipeline(ScriptedReader(delay=MODEL_S))
    await _crowd(bench, pipeline, scope, "warm-up", WARM_UP)
    answered, took, busy, idle, grown = [], [], [], [], []
    crowd = bench.effort.crowd
    for number in range(bench.effort.crowds):
        bench.tell(f"{crowd} threads, {number + 1} of {bench.effort.crowds} times")
        async with sampled() as lags:
            await asyncio.sleep(bench.effort.idle_s)
        idle.append(percentile(lags, 0.99))
        before = _settled()
        async with sampled() as lags:
            started = time.perf_counter()
            answered.append(await _crowd(bench, pipeline, scope, f"crowd-{number}", crowd))
            took.append(time.perf_counter() - started)
        busy.append(percentile(lags, 0.99))
        grown.append((_settled() - before) / crowd / 1024)
    against = "99th percentile of the loop's lag; of an idle loop"
    figures = [
        _answered(crowd, answered, took),
        compared("threads.lag", busy, idle, unit="ms", against=against),
    ]
    return figures if resident() is None else [*figures, _memory(grown)]


def _answered(crowd: int, answered: list[int], took: list[float]) -> Figure:
    return Figure(
        name="threads.answered",
        value=min(answered),
        unit="threads",
        against=f"{crowd} that asked at the same moment; the worst round. All were done in "
        f"{brief(median(took))} s",
        ratio=min(answered) / crowd,
        runs=len(answered),
    )


def _memory(grown: list[float]) -> Figure:
    against = f"nothing: what stays of each thread once it is idle; {brief(grown[0])} KiB in the first round"
    return Figure(name="threads.memory", value=median(grown), unit="KiB", against=against, runs=len(grown))


async def _crowd(bench: Bench, pipeline: Pipeline, scope: Scope, name: str, threads: int) -> int:
    """Let so many threads ask at once; return how many were answered and remembered."""
    questions = [
        Question(text=bench.language.question(), scope=scope, thread=f"{name}-{number}")
        for number in range(threads)
    ]
    return sum(await asyncio.gather(*(_converse(pipeline, question) for question in questions)))


async def _converse(pipeline: Pipeline, question: Question) -> bool:
    _, response = await ask(pipeline, question)
    memory = await pipeline.remember(question, response)
    return response.success and memory is not None and memory.accepted


@asynccontextmanager
async def sampled(
    *,
    clock: Callable[[], float] = time.perf_counter,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> AsyncIterator[list[float]]:
    """Collect the loop's lag in milliseconds for the length of the block."""
    lags: list[float] = []

    async def sample() -> None:
        while True:
            started = clock()
            await sleep(SAMPLE_S)
            lags.append((clock() - started - SAMPLE_S) * 1000)

    task = asyncio.create_task(sample(), name="lag sampler")
    try:
        yield lags
    finally:
        task.cancel()
        await asyncio.wait([task])


def _settled() -> int:
    """Return this process's memory after what is garbage is gone."""
    gc.collect()
    return resident() or 0
