"""How well a score tells two kinds of cases apart, at every limit that could be set on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Scores = Sequence[float] | NDArray[np.float64]

_RESAMPLES: Final = 300
_SEED: Final = 13
_POINTS: Final = (0.0, 0.01, 0.02, *(round(share / 20, 2) for share in range(1, 21)))
"""Where a curve is read, as shares of the right cases that are turned away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """One limit on a score, below which cases are turned away, and what it does."""

    at: float
    wrongly: float
    """Share of the right cases that are turned away."""
    rightly: float
    """Share of the wrong cases that are."""


def auc(right: Scores, wrong: Scores) -> float:
    """Return the chance that a right case scores above a wrong one, ties counting half (Mann, Whitney)."""
    return _auc(np.asarray(right, float), np.sort(np.asarray(wrong, float)))


def auc_interval(right: Sequence[float], wrong: Sequence[float]) -> tuple[float, float]:
    """Return the 95 % percentile interval of `auc` over resampled cases, with a fixed seed."""
    held, others, draw = np.asarray(right, float), np.asarray(wrong, float), np.random.default_rng(_SEED)
    values = [_auc(_resampled(held, draw), np.sort(_resampled(others, draw))) for _ in range(_RESAMPLES)]
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def limits(right: Sequence[float], wrong: Sequence[float]) -> list[Limit]:
    """Return every limit that makes a difference, the laxest first; it turns away what lies below it."""
    held, others = np.sort(np.asarray(right, float)), np.sort(np.asarray(wrong, float))
    places = np.unique(np.concatenate([held, others, [np.inf]]))
    wrongly = np.searchsorted(held, places, side="left") / max(1, len(held))
    rightly = np.searchsorted(others, places, side="left") / max(1, len(others))
    return [
        Limit(at=float(at), wrongly=float(lost), rightly=float(caught))
        for at, lost, caught in zip(places, wrongly, rightly, strict=True)
    ]


def strictest(found: Sequence[Limit], wrongly: float) -> Limit:
    """Return the limit that turns away most, and at most *wrongly* of the right cases."""
    return max((limit for limit in found if limit.wrongly <= wrongly), key=lambda limit: limit.rightly)


def best_balanced(found: Sequence[Limit]) -> Limit:
    """Return the limit with the best balanced accuracy; the laxest of several."""
    return max(found, key=lambda limit: limit.rightly - limit.wrongly)


def curve(found: Sequence[Limit]) -> list[tuple[float, float]]:
    """Return (share of right cases lost, share of wrong cases caught) at some twenty places."""
    return [(share, round(strictest(found, share).rightly, 4)) for share in _POINTS]


def _auc(right: NDArray[np.float64], wrong: NDArray[np.float64]) -> float:
    below = np.searchsorted(wrong, right, side="left")
    level = np.searchsorted(wrong, right, side="right") - below
    return float((below + level / 2).mean() / len(wrong))


def _resampled(values: NDArray[np.float64], draw: np.random.Generator) -> NDArray[np.float64]:
    found: NDArray[np.float64] = values[draw.integers(0, len(values), len(values))]
    return found
