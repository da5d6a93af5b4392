"""Is there anything to look for an answer in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.conversation import Reason

if TYPE_CHECKING:
    from pipeline.catalog import Holdings


def check_documents(narrowed: Holdings, channel: Holdings) -> Reason | None:
    """Return why nothing can be searched; *narrowed* is what the question's filters leave of *channel*."""
    if narrowed.ready:
        return None
    if narrowed.pending:
        return Reason.STILL_INDEXING
    if channel.ready or channel.pending:
        return Reason.NO_RELEVANT_CONTEXT
    return Reason.NO_DOCUMENTS
