"""A turn's values: one question of a thread, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pipeline.conversation import Reason, Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What somebody thought of one answer."""

    user: str
    verdict: Verdict
    note: str | None
    question: str
    answer: str
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """One question and how it ended."""

    question: str
    answer: str
    reason: Reason | None
    """None: it was answered."""
    response: Mapping[str, Any] = field(default_factory=dict)
    """Citations, trace and usage, as JSON can hold them."""
    created_at: datetime
    question_key: str | None = None
    """What asked it, by which a button under the answer names it."""
    turn_id: int | None = None
    """Given when it is stored, and never given to another turn."""
