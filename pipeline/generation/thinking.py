"""Keep a model's reasoning out of its answer, also while the answer is still coming."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

JUDGED: Final = 24
"""Characters of an answer's beginning that are read before any of it is let through."""

_NAMES: Final = ("think", "thinking", "thought", "reasoning", "seed:think")
_PAIRS: Final = (
    *((f"<{name}>", f"</{name}>") for name in _NAMES),
    ("[THINK]", "[/THINK]"),
    ("◁think▷", "◁/think▷"),
)
_OPENERS: Final = tuple(opener.lower() for opener, _ in _PAIRS)
_CLOSERS: Final = tuple(closer.lower() for _, closer in _PAIRS)


def _pattern(tags: tuple[str, ...]) -> re.Pattern[str]:
    # a tag in code quotes is spoken about, not used
    return re.compile(r"(?<!`)(?:" + "|".join(map(re.escape, tags)) + ")", re.IGNORECASE)


_LONGEST: Final = 1 + max(map(len, _OPENERS + _CLOSERS))
_TAG: Final = _pattern(_OPENERS + _CLOSERS)
_CLOSER: Final = _pattern(_CLOSERS)

_MUSING: Final = re.compile(
    r"\W*(?:(?:okay|ok|alright|hm+|got it)\b[\s,.]"
    r"|let(?: me|'s|’s| us)\b|thinking\b|(?:the|this) (?:user|question)\b"
    r"|to answer (?:this|the)\b|looking at the\b"
    r"|(?:i|we) (?:need|have to|should|must|am asked|are (?:asked|given)|will)\b"
    r"|(?:so|first|now|well|wait),? (?:i|let|we|the user|the question)\b"
    r"|好的|嗯|首先|用户|让我|我需要)",
    re.IGNORECASE,
)
"""How models begin to reason. An answer that begins like this costs nothing but its growth on screen."""


class _Mode(Enum):
    BEGINNING = auto()
    HOLDING = auto()
    HIDING = auto()
    ANSWERING = auto()


@dataclass(slots=True)
class ReasoningFilter:
    """Lets an answer through piece by piece, and what stands before a closing tag not at all.

    Some servers open the reasoning in the prompt, so that only ``</think>`` ever arrives. Text that looks
    like reasoning is therefore held until that tag or the end, and so is all text of a model that is known
    to reason *aloud*.
    """

    aloud: bool = False
    met_lone_closer: bool = False
    """A closing tag came without an opening one: this model reasons aloud."""
    _mode: _Mode = _Mode.BEGINNING
    _pending: str = ""
    _shown: bool = False

    def feed(self, piece: str) -> str:
        """Take *piece* and return what is certain to be answer."""
        self._pending += piece
        ready = []
        while (part := self._step()) is not None:
            ready.append(part)
        return self._release("".join(ready))

    def finish(self, *, cut: bool = False) -> str:
        """Return the rest; *cut* tells that the model was stopped by its limit, perhaps while it reasoned."""
        reasoning = self._mode is _Mode.HIDING or (self._mode is _Mode.HOLDING and self.aloud and cut)
        rest = "" if reasoning else self._pending
        self._pending = ""
        return self._release(rest)

    def _step(self) -> str | None:
        """Decide about the beginning of what is pending; None: more must come first."""
        if self._mode is _Mode.HIDING:
            return self._hide()
        tag = _TAG.search(self._pending)
        if tag:
            return self._meet(tag)
        if self._mode is _Mode.BEGINNING:
            self._judge()
        if self._mode is not _Mode.ANSWERING:
            return None
        safe = len(self._pending) - _unfinished(self._pending)
        ready, self._pending = self._pending[:safe], self._pending[safe:]
        return ready or None

    def _meet(self, tag: re.Match[str]) -> str:
        before, self._pending = self._pending[: tag.start()], self._pending[tag.end() :]
        if tag[0].lower() in _OPENERS:
            self._mode = _Mode.HIDING
            return before
        self.met_lone_closer = True
        self._mode = _Mode.ANSWERING
        return ""

    def _hide(self) -> str | None:
        closer = _CLOSER.search(self._pending)
        if closer is None:
            return None
        self._pending = self._pending[closer.end() :]
        self._mode = _Mode.ANSWERING
        return ""

    def _judge(self) -> None:
        beginning = self._pending.lstrip()
        if self.aloud:
            self._mode = _Mode.HOLDING
        elif len(beginning) >= JUDGED:
            self._mode = _Mode.HOLDING if _MUSING.match(beginning) else _Mode.ANSWERING

    def _release(self, text: str) -> str:
        if not self._shown:
            text = text.lstrip()
            self._shown = bool(text)
        return text


def _unfinished(text: str) -> int:
    """Return how many characters at the end may be the beginning of a tag, or the code quote before one."""
    tail = text[-_LONGEST:].lower()
    for position, character in enumerate(tail):
        start = tail[position:].removeprefix("`")
        if character in "`<[◁" and any(tag.startswith(start) for tag in _OPENERS + _CLOSERS):
            return len(tail) - position
    return 0


def without_reasoning(text: str, *, aloud: bool = False, cut: bool = False) -> str:
    """Return *text*, a whole answer, without the reasoning in it."""
    whole = ReasoningFilter(aloud=aloud)
    return (whole.feed(text) + whole.finish(cut=cut)).strip()
