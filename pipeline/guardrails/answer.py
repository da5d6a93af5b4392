"""May this answer be called one, and which of its sources does it cite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.domain import Reason
from pipeline.markers import cited_in, without_markers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.domain import CitedSource


def check_answer(text: str) -> Reason | None:
    """Return EMPTY_RESPONSE where nothing is left but markers, white space and punctuation."""
    if any(character.isalnum() for character in without_markers(text)):
        return None
    return Reason.EMPTY_RESPONSE


def cited_sources(text: str, sources: Sequence[CitedSource]) -> list[CitedSource]:
    """Return those of *sources* that *text* cites, in their order."""
    cited = cited_in(text)
    return [source for source in sources if source.label in cited]
