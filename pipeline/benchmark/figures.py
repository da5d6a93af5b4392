"""What a measurement comes to: a figure beside the bare thing, and the machine it was taken on."""

from __future__ import annotations

import math
import os
import platform
import statistics
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

LIBRARIES: Final = ("footnote", "lancedb", "pyarrow", "numpy", "onnxruntime", "sqlalchemy")
"""Those that the figures depend on most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One line of the performance table."""

    name: str
    """What was measured, ``search.10000`` for instance; `--only` looks for a part of it."""
    value: float
    """The median of the runs, unless the name says otherwise."""
    unit: str
    against: str | None
    """What the value is compared with, and how long that took in the same run; None: with nothing."""
    ratio: float | None
    """Value by the bare thing's value; None where there is nothing to compare with."""
    runs: int


def median(values: Sequence[float]) -> float:
    """Return the middle of *values*, of which there is at least one."""
    return statistics.median(values)


def percentile(values: Sequence[float], share: float) -> float:
    """Return the smallest of *values* that *share* (in (0, 1]) of them do not exceed ("nearest rank")."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]


def spread(values: Sequence[float]) -> str:
    """Say in what range the middle half of *values* lies."""
    return f"{_short(percentile(values, 0.25))}–{_short(percentile(values, 0.75))}"


def compared(
    name: str, ours: Sequence[float], theirs: Sequence[float], *, unit: str, against: str
) -> Figure:
    """Put the median of *ours* beside that of *theirs*, taken in turns; *against* names the bare thing."""
    value, bare = median(ours), median(theirs)
    return Figure(
        name=name,
        value=value,
        unit=unit,
        against=f"{against}: {_short(bare)} {unit}",
        ratio=value / bare if bare else None,
        runs=len(ours),
    )


def machine() -> dict[str, Any]:
    """Describe what the figures were taken on."""
    return {
        "cpus": os.cpu_count(),
        "processor": _processor(),
        "memory_bytes": _memory(),
        "load_average": _load(),
        "platform": platform.platform(),
        "python": platform.python_version(),
        "versions": {name: found for name in LIBRARIES if (found := _version(name)) is not None},
    }


def report(figures: Sequence[Figure], before: dict[str, Any]) -> dict[str, Any]:
    """Return the document of ``bench --json``; *before* is the machine as it was at the start."""
    return {"machine": before, "figures": [asdict(figure) for figure in figures]}


def resident() -> int | None:
    """Return this process's memory in bytes; None on systems that do not tell it without a library."""
    try:
        pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    except OSError:
        return None
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def _short(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    models = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(models, platform.machine())


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError):
        return None


def _load() -> float | None:
    """Return how many processes wanted a processor in the last minute: what the noise comes from."""
    try:
        return round(os.getloadavg()[0], 1)
    except OSError:
        return None
