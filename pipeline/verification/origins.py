"""Which documents an answer came from, so that what was remembered of it goes when they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.markers import without_markers

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pipeline.conversation import GenerationResponse
    from pipeline.domain import Chunk

    Analyze = Callable[[str], list[str]]


def find_origins(question: str, response: GenerationResponse, analyze: Analyze) -> frozenset[str]:
    """Return the ids of the documents that an answer cites, or that may be where it has a word from.

    Markers alone do not tell: small models leave them out. A source that is not cited counts if it has a word
    of the answer which neither the question nor a cited passage has. Takes some ms: call it off the loop.
    """
    cited = {citation.label for citation in response.citations}
    known = _words(
        (question, *(_text(each.chunk) for each in response.sources if each.label in cited)), analyze
    )
    unexplained = _words([without_markers(response.answer)], analyze) - known
    return frozenset(
        each.chunk.document_id
        for each in response.sources
        if each.label in cited or unexplained & _words([_text(each.chunk)], analyze)
    )


def _text(chunk: Chunk) -> str:
    return f"{chunk.display_name} {chunk.place.section or ''} {chunk.text}"


def _words(texts: Iterable[str], analyze: Analyze) -> set[str]:
    return {word for text in texts for word in analyze(text)}
