"""What words alone tell of a question and the passages found, where their meaning cannot be compared."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

from pipeline.language import differ, without_function_words

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pipeline.domain import Chunk

BEGINNING: Final = 5
"""Letters that make two words one: "Erstattung" and "Erstattungen". Measured in docs/retrieval.md."""


class Kinship:
    """The words that a question has in common with passages in its own language and in another one."""

    def __init__(
        self, question: str, chunks: Sequence[Chunk], analyze: Callable[[str], Sequence[str]]
    ) -> None:
        self._question = question
        self._analyze = analyze
        self._chunks = chunks

    @cached_property
    def elsewhere(self) -> Sequence[Chunk]:
        """The passages that are certainly in another language than the question."""
        return [chunk for chunk in self._chunks if differ(self._question, chunk.text)]

    @property
    def apart(self) -> bool:
        """Whether every passage is in another language than the question."""
        return len(self.elsewhere) == len(self._chunks)

    @property
    def across(self) -> float:
        """The largest share of the question's words that a passage in another language has, in [0, 1]."""
        return self._shared(self.elsewhere)

    @property
    def within(self) -> float:
        """The same for the other passages."""
        return self._shared([chunk for chunk in self._chunks if chunk not in self.elsewhere])

    def _shared(self, chunks: Sequence[Chunk]) -> float:
        """Return the best share; function words do not count, and two words are one if they begin alike."""
        asked = self._beginnings(without_function_words(self._question)) or self._beginnings(self._question)
        return max((len(asked & self._held(chunk)) / (len(asked) or 1) for chunk in chunks), default=0.0)

    def _held(self, chunk: Chunk) -> frozenset[str]:
        return self._beginnings("\n".join((chunk.display_name, chunk.place.section or "", chunk.text)))

    def _beginnings(self, text: str) -> frozenset[str]:
        return frozenset(token[:BEGINNING] if token.isalpha() else token for token in self._analyze(text))
