"""What every measurement is given: stores, channels, a language, and how much to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.benchmark.corpus import VOCABULARY

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.benchmark.channels import Channels
    from pipeline.benchmark.corpus import Language
    from pipeline.benchmark.rig import Rig
    from pipeline.ports import Embedder


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How large and how often; the names of the figures depend on the sizes."""

    sizes: tuple[int, ...] = (1_000, 10_000, 100_000)
    """Chunks of the channels that are searched, rising."""
    channel: int = 10_000
    """Chunks of the channel that everything else is asked of."""
    vocabulary: int = VOCABULARY
    questions: int = 40
    searches: int = 60
    first_searches: int = 5
    crowds: int = 5
    crowd: int = 200
    """Threads that ask at the same moment."""
    idle_s: float = 2.0
    """How long the loop's lag is watched while nobody asks."""
    files: int = 9
    sections: int = 30
    """Chunks of a file of ordinary length."""
    batches: int = 6
    small_files: int = 10
    """In each batch, of one chunk each."""
    many: int = 500
    """Files of one chunk that are dropped into one channel together."""
    readings: int = 5
    pages: int = 60
    """Of each PDF that is timed."""
    long_pages: int = 1_000
    """Of the PDF whose memory is watched."""
    helps: int = 9
    starts: int = 5


FULL: Final = Effort()

QUICK: Final = Effort(
    sizes=(1_000, 10_000),
    questions=20,
    searches=30,
    first_searches=2,
    crowds=1,
    idle_s=1.0,
    files=5,
    sections=20,
    batches=5,
    small_files=4,
    many=40,
    readings=3,
    pages=20,
    long_pages=200,
    helps=5,
    starts=2,
)
"""A minute or so on two processors, for a first look: fewer than five runs say little of the slow figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One run of the benchmark."""

    rig: Rig
    bare: Embedder
    """The rig's embedder once more, which remembers none of the texts that the rig has embedded."""
    channels: Channels
    language: Language
    program: str
    """Python that is Footnote's command line."""
    effort: Effort
    wanted: Callable[[str], bool]
    """Whether a figure of this name was asked for."""
    tell: Callable[[str], None]
    """Says what is being measured."""
