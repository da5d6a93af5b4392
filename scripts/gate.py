"""Time the verification gate on an answer of six sentences over six passages of the sample handbook.

Run ``python scripts/gate.py``. It writes the median of a few rounds with vectors that nobody has computed
before, and again with vectors that are known; beside each, what the event loop waited at most.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

from pipeline.conversation import CitedSource
from pipeline.domain import Chunk, Place
from pipeline.generation.embedders import EmbeddedEmbedder
from pipeline.ingestion.tokens import analyze
from pipeline.verification.entailment import SignScorer
from pipeline.verification.gate import Gate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.generation.embedders import Encoder

HANDBOOK: Final = Path(__file__).resolve().parent.parent / "examples" / "handbook"
LENGTH: Final = 1200
"""Characters of a passage."""
ROUNDS: Final = 5

ANSWER: Final = """\
Staff who work part time receive leave in proportion to their weekly hours [1].
Requests are handed to the team lead at least two weeks ahead [2].
Unused days are carried over until the end of March of the next year [3].
Travel costs are paid back after a form is filed in the portal [4].
Somebody who falls ill informs the lead before nine in the morning [5].
New laptops are ordered through the service desk and arrive in a week [6]."""


def passages() -> list[CitedSource]:
    """Return the first six passages of the handbook."""
    text = "\n\n".join(path.read_text(encoding="utf-8") for path in sorted(HANDBOOK.glob("*.md")))
    return [
        CitedSource(
            label=str(number + 1),
            chunk=Chunk(
                chunk_id=f"d-{number}",
                document_id="d",
                display_name="handbook.md",
                source="",
                chunk_index=number,
                text=text[number * LENGTH : (number + 1) * LENGTH],
                place=Place(),
            ),
        )
        for number in range(6)
    ]


async def longest_wait(done: asyncio.Event) -> float:
    """Return the most seconds by which a sleep of 5 ms came too late until *done*."""
    longest = 0.0
    while not done.is_set():
        began = time.perf_counter()
        await asyncio.sleep(0.005)
        longest = max(longest, time.perf_counter() - began - 0.005)
    return longest


async def timed(gate: Gate, sources: Sequence[CitedSource]) -> tuple[float, float]:
    """Return the seconds of one check, and what the loop waited at most meanwhile."""
    done = asyncio.Event()
    watching = asyncio.create_task(longest_wait(done))
    began = time.perf_counter()
    await gate.check(ANSWER, sources)
    took = time.perf_counter() - began
    done.set()
    return took, await watching


async def main() -> None:
    """Measure and write."""
    from pipeline.generation.minilm import MiniLM

    encoder: Encoder = MiniLM()
    sources = passages()
    fresh, known = [], []
    for _ in range(ROUNDS):
        embedder = EmbeddedEmbedder(load=lambda: encoder)
        gate = Gate(SignScorer(embedder, analyze), analyze)
        fresh.append(await timed(gate, sources))
        known.append(await timed(gate, sources))
    for name, found in (("fresh vectors", fresh), ("known vectors", known)):
        took = statistics.median(seconds for seconds, _ in found) * 1000
        waited = statistics.median(seconds for _, seconds in found) * 1000
        sys.stdout.write(f"{name}: {took:.0f} ms, the loop waited at most {waited:.0f} ms\n")


if __name__ == "__main__":
    asyncio.run(main())
