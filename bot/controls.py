"""The buttons under an answer, and the names by which their presses come back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bot.chat import Button

if TYPE_CHECKING:
    from bot.chat import Body

FORGET = "forget"
"""Takes a document back; the value is its id."""
STOP = "stop"
"""Stops the answer that is being written; adapters turn a press into a `StopRequested`."""
GOOD = "good"
BAD = "bad"
"""Judges an answer; the value is the message id of its question."""
NOTE = "note"
"""The form that says why an answer is bad; the value is the message id of its question."""
SOURCES = "sources"
WHY = "why"
"""Tells more about an answer; the value is the message id of its question."""


def under_answer(question: str) -> tuple[Button, ...]:
    """Return the buttons of a finished answer to the *question* with this message id."""
    return (
        Button(label="👍", action=GOOD, value=question),
        Button(label="👎", action=BAD, value=question),
        Button(label="Sources", action=SOURCES, value=question),
        Button(label="Why this answer", action=WHY, value=question),
    )


def while_writing(question: str) -> tuple[Button, ...]:
    """Return the buttons of an answer that is being written."""
    return (Button(label="Stop", action=STOP, value=question),)


def still_written(body: Body) -> bool:
    """Tell whether *body* is not the last word of an answer: such an edit may as well be left out."""
    return any(button.action == STOP for button in body.buttons)
