"""May this text become a thread's memory."""

from __future__ import annotations

from typing import Literal

from pipeline.guardrails.policy import contains_injection_attempt
from pipeline.markers import MARKER

MAX_CHARS = 800
"""Three long sentences; a longer text is no summary and would drown the next question in its query."""

Fault = Literal["empty", "too_long", "markers", "injection"]


def check_summary(text: str) -> Fault | None:
    """Return what is wrong with a proposed summary; None: it may be kept."""
    if not text.strip():
        return "empty"
    if len(text) > MAX_CHARS:
        return "too_long"
    if MARKER.search(text):
        return "markers"
    if contains_injection_attempt(text):
        return "injection"
    return None
