"""May this question enter the pipeline."""

from __future__ import annotations

from pipeline.conversation import Reason
from pipeline.courtesy import courtesy_of
from pipeline.guardrails.policy import contains_injection_attempt

MAX_CHARS = 4000
"""A Slack message holds up to 40,000 characters; a question that long is a document to be uploaded."""


def check_question(text: str) -> Reason | None:
    """Return why *text* may not be asked; None: it may."""
    if not any(character.isalnum() for character in text):
        return Reason.EMPTY_QUERY
    if len(text) > MAX_CHARS:
        return Reason.QUERY_TOO_LONG
    if contains_injection_attempt(text):
        return Reason.PROMPT_INJECTION
    if courtesy_of(text) is not None:
        return Reason.ABOUT_ASSISTANT
    return None
