"""What one question did, step by step, collected from wherever the step was taken."""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_events: ContextVar[list[dict[str, Any]] | None] = ContextVar("footnote_trace", default=None)


def record(event: str, **facts: Any) -> None:
    """Add *event* to the current question's trace; outside a question, do nothing.

    *facts* are counts, ids, verdicts and codes, never the text of a question, an answer or a passage.
    """
    events = _events.get()
    if events is not None:
        events.append({"event": event, **facts})


@contextmanager
def collect() -> Iterator[list[dict[str, Any]]]:
    """Collect what is recorded inside the block, tasks started there included."""
    events: list[dict[str, Any]] = []
    token = _events.set(events)
    try:
        yield events
    finally:
        _events.reset(token)
