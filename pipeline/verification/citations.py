"""Labels to citations: what people read under an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pipeline.addresses import link_of
from pipeline.conversation import Citation

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pipeline.conversation import CitedSource
    from pipeline.verification.attribution import Quote


def resolve(sources: Sequence[CitedSource], quotes: Mapping[str, Quote]) -> tuple[Citation, ...]:
    """Return each of *sources* as a citation; *quotes* holds what stands behind each label."""
    return tuple(_citation(source, quotes.get(source.label)) for source in sources)


def _citation(source: CitedSource, quote: Quote | None) -> Citation:
    place = source.chunk.place
    return Citation(
        label=source.label,
        document_id=source.chunk.document_id,
        display_name=source.chunk.display_name,
        chunk_id=source.chunk.chunk_id,
        page=place.page,
        lines=(quote.lines if quote else None) or place.lines,
        section=place.section,
        url=link_of(source.chunk.source),
        quote=quote.text if quote else None,
        unit=place.unit,
        page_label=place.page_label,
    )
