"""Whether questions without an answer are refused, and what it costs: a curve a score, and the decision.

A score is asked of everything that a search has found; a higher one says that there is more to answer from.
New signals are tried by giving `measure` another score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

from pipeline.evaluation import curves
from pipeline.evaluation.bench import TOP_K
from pipeline.evaluation.scores import summarise
from pipeline.ingestion.tokens import analyze
from pipeline.retrieval.query import leans
from pipeline.retrieval.sufficiency import COVERAGE_SHARE, judge

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipeline.domain import Retrieval
    from pipeline.evaluation.bench import Bench
    from pipeline.evaluation.dataset import Case
    from pipeline.retrieval.query import SearchQuery
    from pipeline.retrieval.sufficiency import Verdict

NOTHING: Final = -100.0
"""The score of a search that found nothing, below any other."""

ACCEPTED: Final = 0.1
"""Share of answerable questions that may be refused at the point which is named beside the curve."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question and what was found for it: all that a score may be taken from."""

    question: str
    query: SearchQuery
    retrieval: Retrieval
    verdict: Verdict
    """What the check after the search made of it."""
    bench: Bench


class Score(Protocol):
    """How sure one may be that there is enough to answer from."""

    async def __call__(self, asked: Asked) -> float:
        """Return a number of any scale, higher for more."""
        ...


async def shipped(asked: Asked) -> float:
    """Return the score that the check itself decides by; for embedders without one, the plain sum."""
    if not asked.retrieval.ranked:
        return NOTHING
    score = asked.verdict.signals.get("score")
    return await closeness_and_words(asked) if score is None else score


async def closeness_and_words(asked: Asked) -> float:
    """Return the plain sum of two signals: best cosine + 0.4 x best coverage of the question's words."""
    ranked = asked.retrieval.ranked
    cosine = max((each.cosine for each in ranked if each.cosine is not None), default=0.0)
    return cosine + COVERAGE_SHARE * max((each.coverage for each in ranked), default=0.0)


async def best_bm25(asked: Asked) -> float:
    """Return the best BM25 score of the bare question, the plainest signal there is."""
    return await asked.bench.best_words(asked.question)


SCORES: Final[Mapping[str, Score]] = {
    "shipped": shipped,
    "closeness_and_words": closeness_and_words,
    "bm25": best_bm25,
}
"""What every report shows; the first is the shipped one."""


async def measure(bench: Bench, scores: Mapping[str, Score] = SCORES) -> dict[str, Any]:
    """Score the check after the search, on questions that the documents answer and on others.

    Questions that are answered in part or only after asking back count as neither. Nothing without questions
    of both kinds.
    """
    cases = [case for case in bench.dataset.cases if isinstance(case.answerable, bool)]
    if len({case.answerable for case in cases}) < 2:
        return {}
    refused: dict[str, float] = {}
    for done, case in enumerate(cases):
        bench.progress(done, len(cases), "abstention")
        asked = await _ask(bench, case)
        refused[case.qid] = float(not asked.verdict.sufficient)
        for name, score in scores.items():
            noted = bench.notes.scored.setdefault(f"abstention.{name}", {})
            noted[case.qid] = (await score(asked), bool(case.answerable))
    return _report(bench, cases, refused, scores)


async def _ask(bench: Bench, case: Case) -> Asked:
    query = await bench.query(case)
    found = await bench.ask("hybrid", query, top_k=TOP_K)
    verdict = judge(case.question, found, analyze, bench.limits, leaning=leans(query, analyze))
    return Asked(question=case.question, query=query, retrieval=found, verdict=verdict, bench=bench)


def _report(
    bench: Bench, cases: Sequence[Case], refused: Mapping[str, float], scores: Mapping[str, Score]
) -> dict[str, Any]:
    decided = {
        f"refused_{kind}": {case.qid: refused[case.qid] for case in cases if case.answerable is wanted}
        for kind, wanted in (("unanswerable", False), ("answerable", True))
    }
    return {
        "unanswerable": len(decided["refused_unanswerable"]),
        "answerable": len(decided["refused_answerable"]),
        **bench.notes.take("abstention", decided),
        "by_type": _by_type(cases, refused),
        "scores": {name: scored(bench.notes.scored[f"abstention.{name}"].values()) for name in scores},
    }


def _by_type(cases: Sequence[Case], refused: Mapping[str, float]) -> dict[str, Any]:
    """Return what is refused of each kind of question, with how many there are."""
    kinds: dict[str, list[float]] = {}
    for case in cases:
        kinds.setdefault(case.slices.get("type", "all"), []).append(refused[case.qid])
    return {kind: {"questions": len(of), **summarise("refused", of)} for kind, of in sorted(kinds.items())}


def scored(pairs: Iterable[tuple[float, bool]]) -> dict[str, Any]:
    """Return AUC, the point at which a tenth of the right cases are lost, and the curve of one score.

    *pairs* are (score, whether a high one is right); there must be some of both kinds.
    """
    held = list(pairs)
    right, wrong = [score for score, good in held if good], [score for score, good in held if not good]
    found = curves.limits(right, wrong)
    at = curves.strictest(found, ACCEPTED)
    caught = [float(score < at.at) for score in wrong]
    return {
        "auc": curves.auc(right, wrong),
        "auc_ci": [round(bound, 4) for bound in curves.auc_interval(right, wrong)],
        "at_10": {
            "limit": at.at,
            "refused_answerable": at.wrongly,
            **summarise("refused_unanswerable", caught),
        },
        "curve": curves.curve(found),
    }
