"""Labels to citations: what people read under an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.addresses import link_of
from pipeline.domain import Citation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.domain import CitedSource


def resolve(sources: Sequence[CitedSource], quotes: Mapping[str, str]) -> tuple[Citation, ...]:
    """Return each of *sources* as a citation; *quotes* holds the sentence that stands behind each label."""
    return tuple(
        Citation(
            label=source.label,
            document_id=source.chunk.document_id,
            display_name=source.chunk.display_name,
            chunk_id=source.chunk.chunk_id,
            page=source.chunk.place.page,
            lines=source.chunk.place.lines,
            section=source.chunk.place.section,
            url=link_of(source.chunk.source),
            quote=quotes.get(source.label),
            unit=source.chunk.place.unit,
        )
        for source in sources
    )
