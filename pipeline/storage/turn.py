"""A turn's values: one question of a thread, how it ended, and what people thought of that."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pipeline.domain import Reason


class Verdict(StrEnum):
    """What somebody thought of an answer."""

    UP = "up"
    DOWN = "down"


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
    turn_id: int | None = None
    """Given when it is stored, and never given to another turn."""
