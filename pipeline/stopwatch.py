"""How long one request takes, at the points that people feel."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.conversation import Latency

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass(slots=True)
class Stopwatch:
    """Milliseconds since it was made; a point counts when it is first reached."""

    clock: Callable[[], float]
    """Seconds, from anywhere, never going back."""
    _started: float = field(init=False)
    _retrieve: float | None = None
    _first_text: float | None = None

    def __post_init__(self) -> None:
        self._started = self.clock()

    def retrieved(self) -> None:
        """Note that the search has ended."""
        self._retrieve = self._retrieve or self._now()

    def shown(self) -> None:
        """Note that there is text to show."""
        self._first_text = self._first_text or self._now()

    def latency(self) -> Latency:
        """Return all points, the present one as the total."""
        return Latency(retrieve=self._retrieve, first_text=self._first_text, total=self._now())

    def _now(self) -> float:
        return (self.clock() - self._started) * 1000
