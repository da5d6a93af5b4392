"""Each arm of the search by itself and both fused, over all questions and over kinds of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pipeline.evaluation.bench import plain
from pipeline.evaluation.scores import figures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.evaluation.bench import Bench
    from pipeline.evaluation.dataset import Case
    from pipeline.evaluation.scores import Values

SLICED: Final = "hybrid"
"""The arm whose figures are also given for each kind of question."""


async def measure(bench: Bench) -> dict[str, Any]:
    """Score every arm on the questions that have something to be found; key ``arms``.

    ``slices`` has kinds of questions, ``missed`` those for which no right document is among the first five,
    ``unknown_documents`` what questions should find and is not there.
    """
    cases = [case for case in bench.dataset.cases if case.sought]
    arms, slices, missed = {}, {}, []
    for arm in bench.arms:
        values = await bench.measure(arm, cases, [plain(case) for case in cases])
        arms[arm] = bench.notes.take(f"arms.{arm}", values)
        if arm == SLICED:
            slices = sliced(cases, values)
            missed = [qid for qid, found in values.get("recall@5", {}).items() if not found]
    named = {"slices": slices, "missed": missed, "unknown_documents": list(bench.dataset.unknown)}
    return {"arms": arms} | {name: part for name, part in named.items() if part}


def sliced(cases: Sequence[Case], values: Mapping[str, Values]) -> dict[str, Any]:
    """Return the figures for ``type=…`` and ``lang=…``, where questions differ in that."""
    groups: dict[str, dict[str, set[str]]] = {}
    for case in cases:
        for key, value in case.slices.items():
            groups.setdefault(key, {}).setdefault(f"{key}={value}", set()).add(case.qid)
    return {
        name: {"questions": len(qids)} | figures(_only(values, qids))
        for named in groups.values()
        if len(named) > 1
        for name, qids in sorted(named.items())
    }


def _only(values: Mapping[str, Values], qids: set[str]) -> dict[str, dict[str, float]]:
    return {name: {qid: value for qid, value in by.items() if qid in qids} for name, by in values.items()}
