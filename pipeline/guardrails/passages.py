"""Is what retrieval found enough to begin an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.conversation import Reason

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.domain import RankedChunk


def check_passages(ranked: Sequence[RankedChunk], *, sufficient: bool) -> Reason | None:
    """Return why no answer should be begun; *sufficient* is the verdict of the sufficiency check."""
    if not ranked or not sufficient:
        return Reason.NO_RELEVANT_CONTEXT
    return None
