"""Whether a checker tells supported claims from others: ``pairs.jsonl``, by source of the pairs.

A limit is chosen on one half of a source's pairs and scored on the other, because a limit that is scored
where it was chosen looks better than it is. Pairs that are supported in part count as neither.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pipeline.errors import DatasetError
from pipeline.evaluation import curves
from pipeline.evaluation.dataset import lines
from pipeline.evaluation.rows import PairRow
from pipeline.evaluation.scores import summarise

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pipeline.evaluation.bench import Progress
    from pipeline.evaluation.checkers import Checker
    from pipeline.evaluation.notes import Notes

_SEED: Final = 13
_RESAMPLES: Final = 500

LABELS: Final = {"supported": True, "unsupported": False}

ALL: Final = "all"
"""The name of all sources together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A claim and what is cited for it."""

    id: str
    claim: str
    references: tuple[str, ...]
    supported: bool
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A pair's score, and the half that it belongs to."""

    pair: Pair
    score: float
    choosing: bool
    """Limits are chosen on it; otherwise they are scored on it."""


def read_pairs(folder: Path) -> list[Pair]:
    """Read ``pairs.jsonl``: claim, references, label, src; an id is made up where none is given.

    Sources that have one kind of label only are joined with others that begin with the same word, since
    nothing can be told apart in them. Raises `DatasetError`.
    """
    rows = [row for row in lines(folder, "pairs", PairRow) if row.label in LABELS]
    pairs = [_pair(number, row) for number, row in enumerate(rows)]
    labels: dict[str, set[bool]] = {}
    for pair in pairs:
        labels.setdefault(pair.source, set()).add(pair.supported)
    if len(set().union(*labels.values())) < 2:
        raise DatasetError(f"{folder.name} needs supported and unsupported pairs.")
    return [_joined(pair) if len(labels[pair.source]) < 2 else pair for pair in pairs]


async def measure(
    pairs: Sequence[Pair], checkers: Mapping[str, Checker], *, notes: Notes, progress: Progress
) -> dict[str, Any]:
    """Return, for each checker and source, its AUC and its balanced accuracy at a limit chosen elsewhere."""
    choosing = halved(pairs)
    report: dict[str, Any] = {}
    for name, check in checkers.items():
        found = []
        for done, pair in enumerate(pairs):
            progress(done, len(pairs), f"citation, {name}")
            score = await check(pair.claim, pair.references)
            found.append(Scored(pair=pair, score=score, choosing=pair.id in choosing))
        report[name] = _by_source(found)
        notes.scored[f"citation.{name}"] = {one.pair.id: (one.score, one.pair.supported) for one in found}
    return {"pairs": len(pairs), "checkers": report}


def halved(pairs: Sequence[Pair]) -> frozenset[str]:
    """Return the ids that limits are chosen on: half of each source and label, by a fixed seed."""
    groups: dict[tuple[str, bool], list[str]] = {}
    for pair in pairs:
        groups.setdefault((pair.source, pair.supported), []).append(pair.id)
    draw = np.random.default_rng(_SEED)
    chosen: set[str] = set()
    for ids in groups.values():
        chosen.update(ids[place] for place in draw.permutation(len(ids))[: len(ids) // 2])
    return frozenset(chosen)


def _by_source(found: Sequence[Scored]) -> dict[str, Any]:
    """Return the figures of all sources together and of each; the common limit is scored for each as well."""
    report = {ALL: _figures(found)}
    common = report[ALL]["limit"]
    for source in sorted({one.pair.source for one in found}):
        own = [one for one in found if one.pair.source == source]
        held = [one for one in own if not one.choosing]
        if {one.pair.supported for one in held} == {True, False}:
            report[source] = _figures(own) | {"at_common_limit": balanced(held, common)}
    return report


def _figures(found: Sequence[Scored]) -> dict[str, Any]:
    right, wrong = _scores(found)
    chosen = [one for one in found if one.choosing] or list(found)
    limit = curves.best_balanced(curves.limits(*_scores(chosen))).at
    held = [one for one in found if not one.choosing]
    return {
        "pairs": len(found),
        "auc": curves.auc(right, wrong),
        "auc_ci": [round(bound, 4) for bound in curves.auc_interval(right, wrong)],
        "limit": limit,
        "balanced_accuracy_where_chosen": balanced(chosen, limit),
        "balanced_accuracy": balanced(held, limit),
        "balanced_accuracy_ci": _interval(held, limit),
        **summarise(
            "unsupported_caught", [float(one.score < limit) for one in held if not one.pair.supported]
        ),
        **summarise("supported_rejected", [float(one.score < limit) for one in held if one.pair.supported]),
    }


def balanced(found: Sequence[Scored], limit: float) -> float:
    """Return the mean of the shares of supported and of unsupported pairs that are told right."""
    right, wrong = _scores(found)
    kept = sum(score >= limit for score in right) / max(1, len(right))
    return (kept + sum(score < limit for score in wrong) / max(1, len(wrong))) / 2


def _interval(found: Sequence[Scored], limit: float) -> list[float]:
    """Return the 95 % percentile interval of the balanced accuracy, both kinds resampled apart."""
    right, wrong = (np.asarray(scores) for scores in _scores(found))
    draw = np.random.default_rng(_SEED)
    kept, caught = right >= limit, wrong < limit
    values = [
        (
            kept[draw.integers(0, len(kept), len(kept))].mean()
            + caught[draw.integers(0, len(caught), len(caught))].mean()
        )
        / 2
        for _ in range(_RESAMPLES)
    ]
    return [round(float(bound), 4) for bound in np.percentile(values, [2.5, 97.5])]


def _scores(found: Sequence[Scored]) -> tuple[list[float], list[float]]:
    return (
        [one.score for one in found if one.pair.supported],
        [one.score for one in found if not one.pair.supported],
    )


def _pair(number: int, row: PairRow) -> Pair:
    return Pair(
        id=str(number if row.id is None else row.id),
        claim=row.claim,
        references=row.references,
        supported=LABELS[row.label],
        source=row.src or ALL,
    )


def _joined(pair: Pair) -> Pair:
    word = pair.source.split(maxsplit=1)[0]
    return Pair(
        id=pair.id, claim=pair.claim, references=pair.references, supported=pair.supported, source=word
    )
