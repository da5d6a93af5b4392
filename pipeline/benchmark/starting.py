"""How long the program takes until it says something, and until it could answer."""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pipeline
from pipeline.benchmark.figures import Figure, compared

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.benchmark.bench import Bench, Effort

SETTINGS: Final = {
    "FOOTNOTE_DATA_DIR": "data",
    "FOOTNOTE_DATABASE_URL": "",
    "FOOTNOTE_VECTOR_URI": "",
    "FOOTNOTE_LLM__PROVIDER": "extractive",
    "FOOTNOTE_EMBEDDING__PROVIDER": "embedded",
}
"""Of an empty service. An empty variable is as good as none, so this machine's own settings do not count."""

NOTHING: Final = "pass"
LIBRARIES: Final = "import lancedb, numpy, pyarrow, sqlalchemy.ext.asyncio"
QUESTION: Final = ("ask", "--channel", "terminal:bench:empty", "--json", "Is anybody there?")


def names(_: Effort) -> tuple[str, ...]:
    """Return the names of the figures."""
    return "start.help", "start.ready"


async def measure(bench: Bench) -> list[Figure]:
    """Start processes, one of ours and a bare one in turns."""
    figures = []
    if bench.wanted("start.help"):
        bench.tell("footnote --help")
        ours, bare = await _compare(bench, ["--help"], NOTHING, bench.effort.helps)
        figures.append(compared("start.help", ours, bare, unit="ms", against="python -c pass"))
    if bench.wanted("start.ready"):
        bench.tell("footnote ask in an empty channel")
        ours, bare = await _compare(bench, QUESTION, LIBRARIES, bench.effort.starts)
        against = "importing LanceDB, PyArrow, NumPy and SQLAlchemy"
        figures.append(compared("start.ready", ours, bare, unit="ms", against=against))
    return figures


async def _compare(
    bench: Bench, arguments: Sequence[str], bare: str, runs: int
) -> tuple[list[float], list[float]]:
    """Return the milliseconds of our program and of the *bare* one; the first run of each is for warmth."""
    ours, others = [], []
    for _ in range(runs + 1):
        ours.append(await _run(bench.rig.folder, _program(bench), *arguments))
        others.append(await _run(bench.rig.folder, bare))
    return ours[1:], others[1:]


def _program(bench: Bench) -> str:
    root = str(Path(pipeline.__file__).parents[1])
    return f"import os, sys; os.environ.update({SETTINGS}); sys.path.insert(0, {root!r}); {bench.program}"


async def _run(folder: Path, code: str, *arguments: str) -> float:
    """Run *code* in a process of its own, in *folder*. Raises `RuntimeError` if it fails."""
    started = time.perf_counter()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        # compiled modules are kept, whatever PYTHON… variables say
        "-E",
        "-X",
        f"pycache_prefix={folder / 'compiled'}",
        "-c",
        code,
        *arguments,
        cwd=folder,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.PIPE,
    )
    _, complaint = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"a measured process failed: {complaint.decode(errors='replace')[-500:]}")
    return (time.perf_counter() - started) * 1000
