"""How long until the first words: everything that happens between a question and the model's own time."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from pipeline.benchmark.figures import Figure, compared, median, timed
from pipeline.benchmark.scripted import ScriptedReader
from pipeline.conversation import Delta, Question

if TYPE_CHECKING:
    from pipeline.ask import Pipeline
    from pipeline.benchmark.bench import Bench, Effort
    from pipeline.conversation import GenerationResponse

MODEL_S: Final = 0.02
"""What the scripted model takes for its first piece; its real duration is taken off."""

WARM_UP: Final = 3


def names(_: Effort) -> tuple[str, ...]:
    """Return the names of the figures."""
    return "first_text", "first_text.retrieve"


async def measure(bench: Bench) -> list[Figure]:
    """Ask one question after the other, each a new one, and embed another one bare in between."""
    scope = await bench.channels.of(bench.effort.channel)
    reader = ScriptedReader(delay=MODEL_S)
    pipeline = bench.rig.pipeline(reader)
    for _ in range(WARM_UP):
        await bench.bare.embed_query(bench.language.question())
        await ask(pipeline, Question(text=bench.language.question(), scope=scope))
    reader.waited.clear()
    own, retrieval, bare = [], [], []
    for run in range(bench.effort.questions):
        bench.tell(f"question {run + 1} of {bench.effort.questions}")
        shown, response = await ask(pipeline, Question(text=bench.language.question(), scope=scope))
        own.append((shown - reader.waited[-1]) * 1000)
        retrieval.append(response.latency.retrieve or 0.0)
        bare.append(await timed(bench.bare.embed_query(bench.language.question())))
    return [
        compared("first_text", own, bare, unit="ms", against="embedding the question alone"),
        Figure(name="first_text.retrieve", value=median(retrieval), unit="ms", runs=len(retrieval)),
    ]


async def ask(pipeline: Pipeline, question: Question) -> tuple[float, GenerationResponse]:
    """Return the seconds until there was text to show, and the response.

    Raises `RuntimeError` when there was none.
    """
    started, shown = time.perf_counter(), None
    stream = pipeline.ask_stream(question)
    async for event in stream:
        if shown is None and isinstance(event, Delta):
            shown = time.perf_counter() - started
    if shown is None:
        raise RuntimeError(f"the question was not answered: {stream.response.reason}")
    return shown, stream.response
