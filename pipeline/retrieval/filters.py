"""Which documents a search may see; apart from how it finds and how it ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.domain import Filters


def narrow(filters: Filters, ready: frozenset[str]) -> frozenset[str] | None:
    """Return the ids of the documents to look in; None: all of them, an empty set: none.

    Ids that the channel does not have are ignored rather than refused: a document may have been taken back
    between the question and the search.
    """
    if filters.document_ids is None:
        return None
    wanted = filters.document_ids & ready
    return None if wanted == ready and ready else wanted
