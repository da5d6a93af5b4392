"""The course of a benchmark: which measurements, in which order, in a folder that is thrown away."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from pipeline.benchmark import answering, crowding, ingesting, paging, searching, starting
from pipeline.benchmark.bench import Bench
from pipeline.benchmark.channels import Channels
from pipeline.benchmark.corpus import Language
from pipeline.benchmark.figures import machine
from pipeline.benchmark.rig import open_rig

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from pipeline.benchmark.bench import Effort
    from pipeline.benchmark.figures import Figure
    from pipeline.ports import Embedder

Measurement: TypeAlias = (
    "tuple[Callable[[Effort], Sequence[str]], Callable[[Bench], Awaitable[list[Figure]]]]"
)

MEASUREMENTS: Final[tuple[Measurement, ...]] = (
    (starting.names, starting.measure),
    (answering.names, answering.measure),
    (searching.names, searching.measure),
    (crowding.names, crowding.measure),
    (ingesting.names, ingesting.measure),
    (paging.names, paging.measure),
)


async def measure(
    *,
    program: str,
    embedder: Callable[[], Embedder],
    only: str | None,
    effort: Effort,
    progress: Callable[[int, int, str], None],
) -> dict[str, Any]:
    """Return the document of ``bench --json``.

    *program* is Python that is Footnote's command line, *embedder* makes one, *only* is a part of the names
    of the figures that are wanted.
    """

    def wanted(name: str) -> bool:
        return only is None or only in name

    due = [take for names, take in MEASUREMENTS if any(map(wanted, names(effort)))]
    steps = Steps(len(due), progress)
    description = machine()
    figures: list[Figure] = []
    with tempfile.TemporaryDirectory(prefix="footnote-bench-") as folder:
        async with open_rig(Path(folder), embedder()) as rig:
            language = Language(vocabulary=effort.vocabulary)
            bench = Bench(
                rig=rig,
                bare=embedder(),
                channels=Channels(rig, language, steps.tell),
                language=language,
                program=program,
                effort=effort,
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
