"""A place that a question names: "on slide 3 of deck.pptx", "page 4 of the handbook", "auf Seite 2"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from pipeline.domain import SECTIONS, DocumentStatus, RankedChunk, Unit
from pipeline.language import own_words

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.domain import Chunk, Document, Filters, Place, Retrieval

_KINDS: Final = {
    "page": ("page", "seite", "página", "pagina"),
    "slide": ("slide", "folie", "diapositiva", "diapositive"),
    "section": ("section", "chapter", "abschnitt", "kapitel", "sección", "chapitre"),
}
_WORDS: Final = "|".join(word for words in _KINDS.values() for word in words)
_NAMED: Final = re.compile(
    rf"\b(?P<kind>{_WORDS})\s+(?P<number>\d+(?:\.\d+)*)\b"
    r"(?!\s*(?:[-–,]|to|and|or|bis|und|oder|y|o|et|ou|e)\s*\d)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Spot:
    """A page, a slide or a numbered section."""

    kind: str
    number: str

    def holds(self, place: Place) -> bool:
        """Tell whether *place* is there."""
        if self.kind == "section":
            numbered = re.compile(
                rf"(?:(?:{_WORDS}|§)\s*)?{re.escape(self.number)}(?!\.?\d)(?![-–\w])", re.IGNORECASE
            )
            return any(map(numbered.match, (place.section or "").split(SECTIONS)))
        is_slide = place.unit is Unit.SLIDE
        named = place.page_label or str(place.page)
        return place.page is not None and is_slide == (self.kind == "slide") and named == self.number


def spot_in(question: str) -> Spot | None:
    """Return the one place that *question* names; None: none, several, or a range."""
    found = list(_NAMED.finditer(question))
    if len(found) != 1:
        return None
    word = found[0]["kind"].lower()
    return Spot(next(kind for kind, words in _KINDS.items() if word in words), found[0]["number"])


def meant(question: str, documents: Sequence[Document], filters: Filters) -> Document | None:
    """Return the one document whose name *question* holds, or the only one there is; None: it is unclear."""
    only = filters.document_ids
    searched = [
        each
        for each in documents
        if each.status is DocumentStatus.READY and each.chunks and (only is None or each.document_id in only)
    ]
    if len(searched) > 1:
        searched = [each for each in searched if _names(question, each)]
    return searched[0] if len(searched) == 1 else None


def asks_for_it(question: str, document: Document) -> bool:
    """Tell whether *question* wants what stands at its place, whatever that is about.

    It names the document, or asks of nothing but the place. "Section 3 of the constitution" does neither in a
    channel with a handbook.
    """
    return _names(question, document) or not own_words(_NAMED.sub(" ", question))


def preferred(retrieval: Retrieval, chunks: Sequence[Chunk], spot: Spot, top_k: int) -> Retrieval | None:
    """Return *retrieval* with the *chunks* of a document that stand at *spot* first; None: there are none."""
    there = [chunk for chunk in chunks if spot.holds(chunk.place)][:top_k]
    if not there:
        return None
    known = {each.chunk.chunk_id: each for each in retrieval.ranked}
    best = max((each.score for each in retrieval.ranked), default=0.0)
    first = {chunk.chunk_id: known.get(chunk.chunk_id, _unranked(chunk, best)) for chunk in there}
    return replace(retrieval, ranked=tuple((first | known).values())[:top_k])


def _unranked(chunk: Chunk, score: float) -> RankedChunk:
    return RankedChunk(chunk=chunk, score=score, dense_rank=None, sparse_rank=None, cosine=None, coverage=0.0)


def _names(question: str, document: Document) -> bool:
    path = PurePosixPath(document.display_name.casefold())
    names = {path.name, path.stem, re.sub(r"[-_]+", " ", path.stem)}
    return any(re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question.casefold()) for name in names if name)
