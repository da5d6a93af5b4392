"""Damaged files of every format through the real sandbox: there must be a result or a reason.

The test beside it runs a short course. A long one, also over files of a folder:

    python -m tests.integration.ingestion.fuzzing --count 5000 --seed 7 --files FOLDER
"""

from __future__ import annotations

import argparse
import asyncio
import io
import logging
import random
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.sandbox import Parsed, ParseLimits, Sandbox
from tests.integration.ingestion.seeds import seeds

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pipeline.ingestion.loaders.bundles import Member

    Mutation = Callable[[bytearray, random.Random], None]

logger = logging.getLogger(__name__)

MOST_UNPACKED = 5_000_000
"""Packing a bomb again would take longer than all the rest."""
REPORTED = 250
"""Files between two words on how a long course goes."""
LIMITS = ParseLimits(cpu_seconds=20, wall_seconds=60.0)
CRASHED = "damaged so badly"
"""In the message about a file that its process did not survive."""


@dataclass(slots=True, eq=False)
class Course:
    """What a run has seen."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    """What must not happen, each with what repeats it."""


def flip(data: bytearray, dice: random.Random) -> None:
    """Change single bits."""
    for _ in range(dice.choice((1, 3, 20, 100))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)


def overwrite(data: bytearray, dice: random.Random) -> None:
    """Put noise, zeros or an extreme number over a stretch."""
    start, length = dice.randrange(len(data)), dice.choice((1, 2, 4, 8, 200))
    noise = dice.choice((dice.randbytes(length), b"\0" * length, b"\xff" * length, b"9" * length))
    data[start : start + length] = noise


def truncate(data: bytearray, dice: random.Random) -> None:
    """Cut the end off, or the beginning."""
    at = dice.randrange(len(data))
    if dice.random() < 0.8:
        del data[at:]
    else:
        del data[:at]


def repeat(data: bytearray, dice: random.Random) -> None:
    """Insert a stretch many times."""
    start = dice.randrange(len(data))
    piece = bytes(data[start : start + dice.choice((1, 2, 10, 100))])
    data[start:start] = piece * dice.choice((2, 50, 2_000))


def drop(data: bytearray, dice: random.Random) -> None:
    """Leave a stretch out."""
    start = dice.randrange(len(data))
    del data[start : start + dice.choice((1, 10, 500))]


def swap(data: bytearray, dice: random.Random) -> None:
    """Exchange two stretches."""
    length = max(len(data) // 10, 1)
    first, second = dice.randrange(len(data)), dice.randrange(len(data))
    a, b = data[first : first + length], data[second : second + length]
    data[first : first + length] = b
    data[second : second + length] = a


MUTATIONS: tuple[Mutation, ...] = (flip, overwrite, truncate, repeat, drop, swap)


def mutated(files: Mapping[str, bytes], dice: random.Random) -> tuple[str, bytes]:
    """Return a damaged file under a name that may be another kind's."""
    name = dice.choice(sorted(files))
    data = files[name]
    if data.startswith(b"PK\x03\x04") and dice.random() < 0.6 and _unpacked(data) < MOST_UNPACKED:
        data = _inside(data, dice)
    else:
        data = _damaged(data, dice)
    if dice.random() < 0.1:  # the head of one format before the body of another
        other = files[dice.choice(sorted(files))]
        data = other[: dice.choice((4, 64, 512))] + data[dice.choice((0, 4, 64)) :]
    if dice.random() < 0.1:
        name = dice.choice(sorted(files))
    return name, data


def _damaged(data: bytes, dice: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5))):
        if changed:
            dice.choice(MUTATIONS)(changed, dice)
    return bytes(changed)


def _unpacked(data: bytes) -> int:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return sum(info.file_size for info in archive.infolist())


def _inside(data: bytes, dice: random.Random) -> bytes:
    """Damage one member of a zip file and pack it again, so that its check sum is right."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as before,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as after,
    ):
        names = before.namelist()
        chosen = dice.choice(names)
        for name in dict.fromkeys(names):
            content = before.read(name)
            after.writestr(name, _damaged(content, dice) if name == chosen and content else content)
    return out.getvalue()


async def run(
    files: Mapping[str, bytes], *, count: int, seed: int, processes: int = 2, limits: ParseLimits = LIMITS
) -> Course:
    """Read *count* damaged files; the same *seed* damages them in the same way."""
    course = Course()
    watch = _Watch()
    logging.getLogger("pipeline.ingestion.sandbox").addHandler(watch)
    turns = asyncio.Semaphore(processes)
    try:
        async with Sandbox(processes=processes, limits=limits) as sandbox:

            async def take(number: int) -> None:
                async with turns:
                    name, data = mutated(files, random.Random(f"{seed}/{number}"))
                    if number and number % REPORTED == 0:
                        logger.info("%d of %d files: %s", number, count, dict(course.outcomes.most_common(9)))
                    if data:
                        await _read(sandbox, name, data, f"{name}, seed {seed}, number {number}", course)

            await asyncio.gather(*map(take, range(count)))
    finally:
        logging.getLogger("pipeline.ingestion.sandbox").removeHandler(watch)
    course.faults += [f"not foreseen: {said}" for said in watch.said]
    return course


async def _let_go(_: Member) -> None:
    """Look at no file of an archive."""


async def _read(sandbox: Sandbox, name: str, data: bytes, where: str, course: Course) -> None:
    try:
        parsed = await sandbox.parse(data, name)
        if parsed.is_archive:
            await sandbox.unpack(data, name, _let_go)
    except IngestError as error:
        course.outcomes[error.reason] += 1
        if error.reason not in set(IngestReason) or not str(error):
            course.faults.append(f"{where}: no reason")
        if error.reason is IngestReason.TIMED_OUT or CRASHED in str(error):
            course.outcomes[f"{error.reason} {CRASHED if CRASHED in str(error) else ''}: {where}"] += 1
    else:
        course.outcomes["read"] += 1
        course.faults += [f"{where}: {fault}" for fault in _wrong(parsed)]


def _wrong(parsed: Parsed) -> Sequence[str]:
    """Return what is wrong with pieces that could not be cited."""
    faults = []
    for piece in parsed.pieces:
        lines, page = piece.place.lines, piece.place.page
        if not piece.text.strip() or len(piece.text) > LIMITS.chunk.maximum:
            faults.append(f"a piece of {len(piece.text)} characters")
        if lines is not None and not 1 <= lines[0] <= lines[1]:
            faults.append(f"lines {lines}")
        if page is not None and not 1 <= page <= (parsed.pages or 0):
            faults.append(f"page {page} of {parsed.pages}")
    return faults


class _Watch(logging.Handler):
    """Collects what parsers raised that is no reason; being refused memory is one."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if "MemoryError" not in record.getMessage():
            self.said.append(record.getMessage())


def main() -> int:
    """Run a long course and say what it has seen."""
    options = argparse.ArgumentParser()
    options.add_argument("--count", type=int, default=2_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--files", type=Path)
    chosen = options.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    files = dict(seeds())
    if chosen.files:
        files |= {path.name: path.read_bytes() for path in sorted(chosen.files.iterdir()) if path.is_file()}
    files = {name: data for name, data in files.items() if data}
    course = asyncio.run(run(files, count=chosen.count, seed=chosen.seed))
    for outcome, number in course.outcomes.most_common():
        print(f"{number:6} {outcome}")  # noqa: T201 - a program for people
    print("\n".join(course.faults) or "no faults")  # noqa: T201 - as above
    return int(bool(course.faults))


if __name__ == "__main__":
    raise SystemExit(main())
