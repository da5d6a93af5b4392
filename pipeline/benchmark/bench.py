"""What every measurement is given: stores, channels, a language, and how much to do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from pipeline.benchmark.channels import Channels
    from pipeline.benchmark.corpus import Language
    from pipeline.benchmark.rig import Rig


@dataclass(frozen=True, slots=True, kw_only=True)
class Bench:
    """One run of the benchmark."""

    rig: Rig
    channels: Channels
    language: Language
    program: str
    """Python that is Footnote's command line."""
    quick: bool
    wanted: Callable[[str], bool]
    """Whether a figure of this name was asked for."""
    tell: Callable[[str], None]
    """Says what is being measured."""

    def runs(self, full: int, quick: int) -> int:
        """Return how often to repeat; a median needs five."""
        return quick if self.quick else full
