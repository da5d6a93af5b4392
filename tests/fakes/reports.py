"""A report with every part, in which whatever comes from a dataset is hostile."""

from __future__ import annotations

from typing import Any

HOSTILE = '<script>alert("x")</script>'

_FIGURES = {"recall@5": 0.5, "recall@5_ci": [0.4, 0.6], "ndcg@10": 0.25, "ndcg@10_ci": [0.2, 0.3]}
_CHECKED = {"pairs": 4, "auc": 0.75, "balanced_accuracy": 0.7, "balanced_accuracy_ci": [0.6, 0.8]}

COMPARED = {
    "before": 0.5,
    "after": 0.75,
    "difference": 0.25,
    "difference_ci": [0.1, 0.4],
    "wins": 3,
    "losses": 1,
}

REPORT: dict[str, Any] = {
    "dataset": HOSTILE,
    "questions": 4,
    "arms": {"sparse": _FIGURES, "hybrid": _FIGURES},
    "slices": {f"type={HOSTILE}": _FIGURES},
    "abstention": {
        "refused_answerable": 0.1,
        "refused_unanswerable": 0.6,
        "by_type": {HOSTILE: {"refused": 0.5}},
        "scores": {
            HOSTILE: {"auc": 0.8, "at_10": {"refused_unanswerable": 0.3}, "curve": [[0.0, 0.2], [1.0, 1.0]]}
        },
    },
    "follow_up": {"questions": 3, "last_turn": _FIGURES, "recovered": {"ndcg@10": None}},
    "topic_change": {"questions": 3, "noticed": 0.5, "last_turn": _FIGURES},
    "answers": {"reader": HOSTILE, "cites_gold": 0.9, "cites_gold_ci": [0.8, 1.0], "obeyed_in": [HOSTILE]},
    "citation": {"checkers": {"words": {HOSTILE: _CHECKED}}},
    "injection": {
        "attacks": 2,
        "where": {},
        "kinds": {HOSTILE: {"items": 2, "detected": 0.5, "detected_ci": [0.1, 0.9]}},
        "obeyed": {"reader": HOSTILE, "defended": {"obeyed": 0.5}},
    },
    "loaders": {"files": 2, "files_right": 0.5, "files_right_ci": [0.1, 0.9], "wrong": {HOSTILE: HOSTILE}},
    "comparison": {"parts": {HOSTILE: {"recall@5": COMPARED}}, "scores": {HOSTILE: COMPARED}},
}
