"""What the ledger keeps of each question and file that came from a chat platform, so that none is lost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.domain import Scope

State = Literal["open", "done", "gone"]
"""Somebody waits for it; it has its final text; people took it back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One thing that people asked for, and what came of it so far."""

    kind: str
    scope: Scope
    id: str
    """What the platform calls it; unique among those of its kind in the channel."""
    thread: str
    author: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    """What is needed to do it, or to do it again, as JSON can hold it."""
    messages: tuple[str, ...] = ()
    """The ids of the messages that stand in its thread because of it, in order."""
    attempt: int = 0
    state: State = "open"
