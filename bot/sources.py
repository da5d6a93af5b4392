"""The passages that an answer cites, at length, read from what was kept of it."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from bot.citations import literal, passages
from pipeline.conversation import Citation
from pipeline.domain import Unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

LENGTH = 900
"""Characters of one passage that are shown."""

_FIELDS = frozenset(field.name for field in fields(Citation))


def cited(response: Mapping[str, Any]) -> list[Citation]:
    """Return the citations of a *response* as the journal keeps it, in the order of their labels."""
    kept = [_citation(entry) for entry in response.get("citations") or ()]
    return sorted(kept, key=lambda citation: (len(citation.label), citation.label))


def at_length(citations: Iterable[Citation], texts: Mapping[str, str]) -> str:
    """Return each citation with its passage; *texts* are the channel's passages of today, by their ids."""
    return "\n\n".join(_entry(citation, texts.get(citation.chunk_id, "")) for citation in citations)


def _entry(citation: Citation, text: str) -> str:
    place = passages([replace(citation, quote=None)])
    quoted = literal(_excerpt(text, citation.quote or ""), LENGTH + 2)
    return f"{place}\n> {quoted}" if quoted else place


def _excerpt(text: str, quote: str) -> str:
    """Return the part of *text* around *quote*; just the quote where the file has changed since."""
    whole, said = " ".join(text.split()), " ".join(quote.split())
    before, found, after = whole.partition(said) if said else ("", "", "")
    room = LENGTH - len(said)
    if not found or room <= 0:
        return said
    left = min(len(before), max(room // 2, room - len(after)))
    start, end = len(before) - left, room - left
    head = before if not start else "…" + before[start:].partition(" ")[2]
    tail = after if end >= len(after) else after[:end].rpartition(" ")[0] + "…"
    return head + said + tail


def _citation(entry: Mapping[str, Any]) -> Citation:
    known: dict[str, Any] = dict.fromkeys(_FIELDS)
    known |= {"label": "", "document_id": "", "display_name": "", "chunk_id": ""}
    known |= {name: value for name, value in entry.items() if name in _FIELDS}
    unit = next((unit for unit in Unit if unit == known["unit"]), None)
    return Citation(**{**known, "lines": _lines(known["lines"]), "unit": unit})


def _lines(kept: Sequence[int] | None) -> tuple[int, int] | None:
    return (kept[0], kept[1]) if kept else None
