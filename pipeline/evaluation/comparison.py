"""Keep a run, and tell another one from it question by question."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from pipeline.errors import DatasetError
from pipeline.evaluation import curves
from pipeline.evaluation.notes import Notes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from pipeline.evaluation.run import Outcome
    from pipeline.evaluation.scores import Values

FORM: Final = 1
"""Of the file; a run that was kept in another form cannot be compared with."""

_RESAMPLES: Final = 1_000
_SEED: Final = 13

LESS_IS_BETTER: Final = frozenset(
    {
        "cites_off_topic",
        "false_alarms",
        "obeyed",
        "off_topic@5",
        "refused_answerable",
        "unanswered",
        "uncited",
    }
)


def kept(outcome: Outcome) -> str:
    """Return what is kept of a run: its report, and what it found of every question by the question's id."""
    notes = outcome.notes
    run = {"form": FORM, "report": outcome.report, "series": notes.series, "scored": notes.scored}
    return json.dumps(run, ensure_ascii=False)


def read(path: Path) -> Notes:
    """Read what a run that was kept found of every question. Raises `DatasetError`."""
    try:
        run = json.loads(path.read_text(encoding="utf-8"))
        if run["form"] != FORM:
            raise DatasetError(f"{path.name} was kept by another version; score the dataset again.")
        scored = {
            part: {case: (float(score), bool(right)) for case, (score, right) in by.items()}
            for part, by in run["scored"].items()
        }
        series = {
            part: {name: {qid: float(value) for qid, value in by.items()} for name, by in measures.items()}
            for part, measures in run["series"].items()
        }
        return Notes(series=series, scored=scored)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        raise DatasetError(f"{path.name} is no run that was kept with --save.") from exc


def compare(earlier: Notes, later: Notes) -> dict[str, Any]:
    """Return by part and measure how two runs differ on the questions that both have.

    Key ``parts``: means and paired differences; ``scores``: the AUC of scores. Raises `DatasetError` where
    the runs have nothing in common.
    """
    parts = {
        part: compared
        for part, measures in later.series.items()
        if (compared := _part(earlier.series.get(part, {}), measures))
    }
    scores = {
        part: _curves(earlier.scored[part], scored)
        for part, scored in later.scored.items()
        if part in earlier.scored and _both_kinds(earlier.scored[part], scored)
    }
    if not parts and not scores:
        raise DatasetError("The two runs have no question in common.")
    return {"parts": parts, "scores": scores}


def _part(earlier: Mapping[str, Values], later: Mapping[str, Values]) -> dict[str, Any]:
    shared = {name: earlier.get(name, {}).keys() & values.keys() for name, values in later.items()}
    return {
        name: paired(
            [earlier[name][qid] for qid in sorted(qids)],
            [later[name][qid] for qid in sorted(qids)],
            less_is_better=name in LESS_IS_BETTER,
        )
        for name, qids in shared.items()
        if qids
    }


def paired(
    before: Sequence[float], after: Sequence[float], *, less_is_better: bool = False
) -> dict[str, Any]:
    """Return the mean difference with the 95 % percentile interval of resampled pairs, wins and losses."""
    gains = np.asarray(after, float) - np.asarray(before, float)
    draw = np.random.default_rng(_SEED)
    means = [float(gains[draw.integers(0, len(gains), len(gains))].mean()) for _ in range(_RESAMPLES)]
    more, less = int((gains > 0).sum()), int((gains < 0).sum())
    return {
        "questions": len(gains),
        "before": float(np.mean(before)),
        "after": float(np.mean(after)),
        "difference": float(gains.mean()),
        "difference_ci": _interval(means),
        "wins": less if less_is_better else more,
        "losses": more if less_is_better else less,
    }


def _both_kinds(earlier: Mapping[str, tuple[float, bool]], later: Mapping[str, tuple[float, bool]]) -> bool:
    return {later[case][1] for case in earlier.keys() & later.keys()} == {True, False}


def _curves(
    earlier: Mapping[str, tuple[float, bool]], later: Mapping[str, tuple[float, bool]]
) -> dict[str, Any]:
    """Compare the AUC of one score on the cases that both runs have, resampled in pairs."""
    cases = sorted(earlier.keys() & later.keys())
    kinds = np.asarray([later[case][1] for case in cases])
    old, new = (np.asarray([run[case][0] for case in cases]) for run in (earlier, later))
    right, wrong = np.flatnonzero(kinds), np.flatnonzero(~kinds)
    draw = np.random.default_rng(_SEED)
    gains = []
    for _ in range(_RESAMPLES // 4):
        held, others = (
            right[draw.integers(0, len(right), len(right))],
            wrong[draw.integers(0, len(wrong), len(wrong))],
        )
        gains.append(curves.auc(new[held], new[others]) - curves.auc(old[held], old[others]))
    before, after = curves.auc(old[right], old[wrong]), curves.auc(new[right], new[wrong])
    return {
        "cases": len(cases),
        "before": before,
        "after": after,
        "difference": after - before,
        "difference_ci": _interval(gains),
    }


def _interval(values: Sequence[float]) -> list[float]:
    return [round(float(bound), 4) for bound in np.percentile(values, [2.5, 97.5])]
