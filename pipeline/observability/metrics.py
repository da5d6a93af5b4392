"""Counters and timings of the whole service, as Prometheus reads them."""

from __future__ import annotations

from prometheus_client import REGISTRY, Counter, Histogram

QUESTIONS = Counter("footnote_questions", "Questions that ended, by outcome.", ["outcome"])
DEGRADED = Counter("footnote_degraded", "Questions answered without a part of the pipeline.", ["part"])
SANITIZED = Counter("footnote_sanitized", "Repairs of model output, by kind.", ["kind"])
OBSERVED = Counter("footnote_observed", "Things that are counted and not refused, by kind.", ["kind"])
DOCUMENTS = Counter("footnote_documents", "Files that ended, by outcome.", ["outcome"])
CLAIMS = Counter("footnote_claims", "Statements of answers that were checked, by verdict.", ["verdict"])
JUDGED = Counter("footnote_judged", "Statements that a language model judged, by outcome.", ["outcome"])
FIRST_TEXT = Histogram("footnote_first_text_seconds", "Time from question to first text.")

__all__ = [
    "CLAIMS",
    "DEGRADED",
    "DOCUMENTS",
    "FIRST_TEXT",
    "JUDGED",
    "OBSERVED",
    "QUESTIONS",
    "REGISTRY",
    "SANITIZED",
]
