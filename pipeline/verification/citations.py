"""Labels to citations: what people read under an answer."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from pipeline.addresses import link_of
from pipeline.conversation import Citation

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pipeline.conversation import CitedSource
    from pipeline.domain import Chunk
    from pipeline.verification.attribution import Quote


SHORT_ID: Final = 8
"""Characters of a document's id that tell it from another one of its name."""

DEEPEST: Final = 4
"""Folders that are shown at most."""


def resolve(sources: Sequence[CitedSource], quotes: Mapping[str, Quote]) -> tuple[Citation, ...]:
    """Return each of *sources* as a citation; *quotes* holds what stands behind each label."""
    apart = told_apart([source.chunk for source in sources])
    return tuple(
        _citation(source, quotes.get(source.label), apart.get(source.chunk.document_id)) for source in sources
    )


def told_apart(chunks: Iterable[Chunk]) -> dict[str, str]:
    """Return for each document that has its name in common with another one what tells it from that one.

    It is the folder where their addresses have different ones, else the beginning of the document's id.
    """
    named: dict[str, dict[str, str]] = {}
    for chunk in chunks:
        named.setdefault(chunk.display_name, {})[chunk.document_id] = chunk.source
    return {
        document_id: mark
        for documents in named.values()
        if len(documents) > 1
        for document_id, mark in (_folders(documents) or _short(documents)).items()
    }


def _folders(documents: Mapping[str, str]) -> dict[str, str] | None:
    """Return the last folders of each document's address, as few as differ; None: they do not differ."""
    addresses = {document_id: urlsplit(source) for document_id, source in documents.items()}
    if any(address.scheme != "file" for address in addresses.values()):
        return None
    parents = {each: PurePosixPath(unquote(address.path)).parent.parts for each, address in addresses.items()}
    for depth in range(1, DEEPEST + 1):
        marks = {each: "/".join(parts[-depth:]) for each, parts in parents.items()}
        if len(set(marks.values())) == len(marks):
            return marks
    return None


def _short(documents: Mapping[str, str]) -> dict[str, str]:
    return {document_id: document_id[:SHORT_ID] for document_id in documents}


def _citation(source: CitedSource, quote: Quote | None, apart: str | None) -> Citation:
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
        apart=apart,
    )
