"""What a measurement comes to: a value beside that of the bare thing, and the machine it was taken on."""

from __future__ import annotations

import math
import os
import platform
import statistics
import time
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Awaitable, Sequence

LIBRARIES: Final = ("footnote", "lancedb", "pyarrow", "numpy", "onnxruntime", "sqlalchemy")
"""Those that the figures depend on most."""

_TASKS: Final = Path("/proc/self/task")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the performance table."""

    name: str
    value: float
    """The median of the runs, unless *against* says otherwise."""
    unit: str
    against: str | None = None
    """What the value is compared with, and what that came to in the same run."""
    ratio: float | None = None
    """The value by that of the bare thing; above 1 means slower in times, faster in rates."""
    runs: int


def median(values: Sequence[float]) -> float:
    """Return the middle of *values*, of which there is at least one."""
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest of *values* that *share* (in (0, 1]) of them do not exceed ("nearest rank")."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def compared(name: str, ours: Sequence[float], bare: Sequence[float], *, unit: str, against: str) -> Figure:
    """Put the median of *ours* beside that of *bare*, of which one each was measured in turns.

    The ratio is the median of the pairs' ratios: what disturbs the machine for a while disturbs both.
    """
    ratios = [mine / other for mine, other in zip(ours, bare, strict=True) if other]
    return Figure(
        name=name,
        value=median(ours),
        unit=unit,
        against=f"{against}: {brief(median(bare))} {unit}",
        ratio=median(ratios) if ratios else None,
        runs=len(ours),
    )


async def timed(work: Awaitable[object]) -> float:
    """Return how many milliseconds *work* takes."""
    started = time.perf_counter()
    await work
    return (time.perf_counter() - started) * 1000


def brief(value: float) -> str:
    """Write *value* with the digits that mean something."""
    return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def machine() -> dict[str, Any]:
    """Describe this machine as it is now; the load says how far to trust what is measured on it."""
    return {
        "cpus": os.cpu_count(),
        "processor": _processor(),
        "load": round(os.getloadavg()[0], 1),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: found for name in LIBRARIES if (found := _version(name)) is not None},
    }


def resident() -> int | None:
    """Return this process's memory in bytes; None on macOS, which has no /proc."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def family_resident() -> int | None:
    """Return the memory of this process and of those it has started, in bytes; None on macOS."""
    own, page = resident(), os.sysconf("SC_PAGE_SIZE")
    if own is None:
        return None
    children = [pid for task in _TASKS.iterdir() for pid in _words(task / "children")]
    # the second word is what is resident; a process that has ended meanwhile has none
    return own + page * sum(int(words[1]) for pid in children if (words := _words(f"/proc/{pid}/statm")))


def _words(path: Path | str) -> list[str]:
    try:
        return Path(path).read_text(encoding="ascii").split()
    except OSError:
        return []


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())
