"""Buffer and delay: which part of a growing answer may be shown, and in what form.

The scanner walks the text once, from the left. It stops before anything that the next piece could still
turn into a marker, a code span or a fence, so the result does not depend on how the text was cut up.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from pipeline.guardrails import links
from pipeline.markers import BEGUN, CODE_CHARS, FENCE, INLINE_CODE, MARKER, issued, longest

FLUSH_FLOOR = 16
"""Characters collected before a flush: a few tokens, so that a flush is worth an edit of the screen."""

_CODE_MAX = CODE_CHARS + 2
"""An inline span of code with its two backticks."""
_PLAIN = re.compile(r"[^`\[【 \t]+")
_BLANKS = re.compile(r"[ \t]+")


@dataclass(slots=True, kw_only=True)
class Sanitizer:
    """Turns pieces of raw answer into text that may be shown: only issued markers, code untouched."""

    labels: frozenset[str]
    held: links.Held | None = None
    """What holds the addresses that may be shown; None: any may."""
    removed: int = 0
    """Labels that were cited but never issued."""
    foreign: int = 0
    """Addresses that no source holds."""
    _pending: str = ""
    _ready: list[str] = field(default_factory=list)
    _in_fence: bool = False

    def feed(self, piece: str) -> str:
        """Take *piece* and return what may be shown now; empty while less than the floor is ready."""
        self._scan(piece, final=False)
        return self._flush() if sum(map(len, self._ready)) >= FLUSH_FLOOR else ""

    def finish(self) -> str:
        """Return the rest. The sanitizer is spent then."""
        self._scan("", final=True)
        return self._flush()

    def _flush(self) -> str:
        text = "".join(self._ready)
        self._ready.clear()
        return text

    def _scan(self, piece: str, *, final: bool) -> None:
        text = self._pending + piece
        position = 0
        while position < len(text):
            step = (
                self._fenced(text, position, final) if self._in_fence else self._prose(text, position, final)
            )
            if step == 0:
                break
            position += step
        self._pending = text[position:]

    def _fenced(self, text: str, start: int, final: bool) -> int:
        """Copy code up to and including the closing fence; hold back a fence that may be half there."""
        end = text.find(FENCE, start)
        if end >= 0:
            self._in_fence = False
            return self._copy(text[start : end + len(FENCE)])
        safe = len(text) if final else len(text.rstrip("`"))
        return self._copy(text[start:safe])

    def _prose(self, text: str, start: int, final: bool) -> int:
        plain = _PLAIN.match(text, start)
        if plain:
            return self._plain(plain.group(), final=final or plain.end() < len(text))
        if text[start] == "`":
            return self._backtick(text, start, final)
        return self._bracket(text, start, final)

    def _plain(self, run: str, *, final: bool) -> int:
        """Copy text without blanks, addresses that no source holds left out; *final*: it ends here."""
        if self.held is None:
            return self._copy(run)
        begun = None if final else links.BEGUN.search(run)
        whole = run[: begun.start()] if begun else run
        shown, foreign = links.without_foreign(whole, self.held)
        self.foreign += foreign
        self._copy(shown)
        return len(whole)

    def _backtick(self, text: str, start: int, final: bool) -> int:
        if text.startswith(FENCE, start):
            self._in_fence = True
            return self._copy(FENCE)
        span = INLINE_CODE.match(text, start)
        if span:
            return self._copy(span.group())
        rest = text[start:]
        undecided = rest in {"`", "``"} or (
            len(rest) < _CODE_MAX and "`" not in rest[1:] and "\n" not in rest
        )
        return 0 if undecided and not final else self._copy("`")

    def _bracket(self, text: str, start: int, final: bool) -> int:
        """Judge a marker together with the blanks before it, so that a stripped one leaves no gap."""
        blanks = _BLANKS.match(text, start)
        opened = blanks.end() if blanks else start
        bound = longest(self.labels)
        marker = MARKER.match(text, opened)
        if marker and len(marker.group()) <= bound:
            return self._marker(text[start:opened], marker)
        if opened == len(text):
            return 0 if not final else self._copy(text[start:])
        rest = text[opened : opened + bound + 1]
        whole = opened + len(rest) == len(text) and len(rest) <= bound
        if whole and not final and BEGUN.fullmatch(rest):
            return 0
        return self._copy(text[start : max(opened, start + 1)])

    def _marker(self, blanks: str, marker: re.Match[str]) -> int:
        kept, removed = issued(marker, self.labels)
        self.removed += removed
        if kept:
            self._copy(blanks + kept)
        return len(blanks) + len(marker.group())

    def _copy(self, text: str) -> int:
        if text:
            self._ready.append(text)
        return len(text)


@dataclass(frozen=True, slots=True)
class Sanitized:
    """A whole answer in the form in which it may be shown."""

    text: str
    removed: int
    """Labels that were cited but never issued."""
    foreign: int = 0
    """Addresses that no source holds."""


def sanitized(answer: str, labels: frozenset[str], held: links.Held | None = None) -> Sanitized:
    """Sanitise a whole answer; of an answer that was released piece by piece this is the same text.

    The end of an answer may show that its beginning was reasoning; then less is left than was released.
    """
    sanitizer = Sanitizer(labels=labels, held=held)
    text = sanitizer.feed(answer) + sanitizer.finish()
    return Sanitized(text.strip(), sanitizer.removed, sanitizer.foreign)
