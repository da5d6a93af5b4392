"""May this answer be called one, and which of its sources does it cite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.conversation import Reason
from pipeline.markers import cited_in, without_markers
from pipeline.verdicts import Mode, Standing

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.conversation import CitedSource
    from pipeline.verdicts import Verification


def check_answer(text: str) -> Reason | None:
    """Return EMPTY_RESPONSE where nothing is left but markers, white space and punctuation."""
    if any(character.isalnum() for character in without_markers(text)):
        return None
    return Reason.EMPTY_RESPONSE


def check_verified(mode: Mode, verification: Verification | None) -> Reason | None:
    """Return UNSUPPORTED_ANSWER where an answer is to be shown checked, and no statement stood the check.

    An answer that states nothing, such as that the files do not tell, is shown.
    """
    if mode is Mode.STREAMING:
        return None
    if verification is None:
        return Reason.UNSUPPORTED_ANSWER
    counts = verification.counts
    stood = counts[Standing.SUPPORTED] + counts[Standing.UNCERTAIN]
    return Reason.UNSUPPORTED_ANSWER if verification.claims and not stood else None


def cited_sources(text: str, sources: Sequence[CitedSource]) -> list[CitedSource]:
    """Return those of *sources* that *text* cites, in their order."""
    cited = cited_in(text)
    return [source for source in sources if source.label in cited]
