"""What a run keeps of every single question, so that another run can be compared with it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pipeline.evaluation.scores import figures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.evaluation.scores import Values


@dataclass(frozen=True, slots=True, kw_only=True)
class Notes:
    """The values that the figures of a report are the means of."""

    series: dict[str, dict[str, dict[str, float]]] = field(default_factory=dict)
    """Part of the report (``arms.hybrid``) → measure → question → value."""
    scored: dict[str, dict[str, tuple[float, bool]]] = field(default_factory=dict)
    """Part of the report → case → its score, and whether a high one is right; for curves."""

    def take(self, part: str, values: Mapping[str, Values]) -> dict[str, object]:
        """Keep *values* under the name of a *part* of the report; return the figures."""
        self.series.setdefault(part, {}).update({name: dict(by) for name, by in values.items()})
        return figures(values)
