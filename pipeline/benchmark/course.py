"""The course of a benchmark: which measurements, in which order, in a folder that is thrown away."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pipeline.benchmark import answering, crowding, ingesting, searching, starting
from pipeline.benchmark.bench import Bench
from pipeline.benchmark.channels import Channels
from pipeline.benchmark.corpus import Language
from pipeline.benchmark.figures import machine
from pipeline.benchmark.rig import open_rig
from pipeline.generation.embedders import EmbeddedEmbedder

if TYPE_CHECKING:
    from pipeline.benchmark.figures import Figure

Measure: TypeAlias = "Callable[[Bench], Awaitable[list[Figure]]]"

MEASUREMENTS: Final[Sequence[tuple[Sequence[str], Measure]]] = (
    (starting.NAMES, starting.measure),
    (answering.NAMES, answering.measure),
    (searching.NAMES, searching.measure),
    (crowding.NAMES, crowding.measure),
    (ingesting.NAMES, ingesting.measure),
)


async def measure(
    *,
    program: str,
    threads: int,
    only: str | None,
    quick: bool,
    progress: Callable[[int, int, str], None],
) -> dict[str, Any]:
    """Return the document of ``bench --json``.

    *program* is Python that is Footnote's command line, *threads* are for the embedded model, *only* is a
    part of the names of the figures that are wanted, *quick* leaves the largest channel out.
    """

    def wanted(name: str) -> bool:
        return only is None or only in name

    due = [take for names, take in MEASUREMENTS if any(map(wanted, names))]
    steps = Steps(len(due), progress)
    description = machine()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        async with open_rig(Path(folder), EmbeddedEmbedder(threads=threads)) as rig:
            language = Language()
            bench = Bench(
                rig=rig,
                channels=Channels(rig, language, steps.tell),
                language=language,
                program=program,
                quick=quick,
                wanted=wanted,
                tell=steps.tell,
            )
            for take in due:
                figures += await take(bench)
                steps.done += 1
    found = [asdict(figure) for figure in figures if wanted(figure.name)]
    return {"machine": description, "figures": found}


class Steps:
    """Which of the measurements is under way."""

    def __init__(self, total: int, progress: Callable[[int, int, str], None]) -> None:
        self.done = 0
        self._total = total
        self._progress = progress

    def tell(self, detail: str) -> None:
        """Say what is being done."""
        self._progress(self.done, self._total, detail)
