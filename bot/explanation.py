"""How an answer came about, read from its trace."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeGuard

from bot.checks import account
from bot.citations import APART, file_name, literal
from bot.wording import counted, notes, sentence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.conversation import Reason

ITEMS = 10
"""Entries shown of a list; the rest is counted."""
_WORD = 60


def explain(
    response: Mapping[str, Any],
    reason: Reason | None,
    names: Mapping[str, str],
    *,
    which: str = "the last answer of this thread",
) -> str:
    """Return *response*, as the journal keeps it, in words.

    *names* are the channel's document names by id; a passage of a document that is gone keeps its id.
    """
    lines = [
        f"**How {which} came about**",
        "",
        f"- Outcome: {'answered' if reason is None else f'{reason.value}: {sentence(reason)}'}",
        *_story({str(event.get("event")): event for event in response.get("trace") or ()}),
        *_times(response.get("latency_ms") or {}),
        *_cited(response.get("citations") or ()),
        *account(response.get("verification")),
        *(f"- {note}" for note in notes(tuple(response.get("degraded") or ()))),
    ]
    steps = [line for event in response.get("trace") or () for line in _step(event, names)]
    return "\n".join([*lines, "", "**Steps**", "", *steps] if steps else lines)


def _story(events: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield what happened in plain words, as far as the trace has it; the steps have the details."""
    if events.get("memory.recalled", {}).get("characters"):
        yield "- Read in the light of what was said before in the thread."
    arms = {"retrieval.dense": "by meaning", "retrieval.sparse": "by words"}
    looked = [
        f"{counted(events[arm].get('hits') or 0, 'passage')} {how}"
        for arm, how in arms.items()
        if arm in events
    ]
    if looked:
        yield f"- Found {' and '.join(looked)}."
    budget = events.get("generation.budget")
    if budget:
        left = budget.get("dropped") or 0
        unread = f"; {counted(left, 'passage')} did not fit" if left else ""
        yield f"- The model read {counted(budget.get('kept') or 0, 'passage')}{unread}."


def _times(latency: Mapping[str, Any]) -> Iterator[str]:
    points = {"retrieve": "passages", "first_text": "first text", "total": "the end"}
    known = [f"{name} after {_duration(latency[key])}" for key, name in points.items() if latency.get(key)]
    if known:
        yield f"- Time: {', '.join(known)}"


def _duration(milliseconds: float) -> str:
    return f"{milliseconds:.0f} ms" if milliseconds < 1000 else f"{milliseconds / 1000:.1f} s"


def _cited(citations: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for citation in citations:
        number = citation.get("page_label") or citation.get("page")
        page = f", page {number}" if number else ""
        apart = f" ({literal(str(citation['apart']), APART)})" if citation.get("apart") else ""
        yield f"- [{citation.get('label')}] {file_name(str(citation.get('display_name', '')))}{apart}{page}"


def _step(event: Mapping[str, Any], names: Mapping[str, str]) -> Iterator[str]:
    """Yield a line for one event of the trace, and one below it for each entry of a list in it."""
    facts = {key: value for key, value in event.items() if key != "event"}
    tables = {key: value for key, value in facts.items() if _is_table(value)}
    flat = ", ".join(f"{key} {_shown(value, names)}" for key, value in facts.items() if key not in tables)
    yield f"- {str(event.get('event', 'step')).replace('.', ' ')}" + (f": {flat}" if flat else "")
    for rows in tables.values():
        for row in rows[:ITEMS]:
            yield "  - " + ", ".join(f"{key} {_shown(value, names)}" for key, value in row.items())
        if len(rows) > ITEMS:
            yield f"  - … and {len(rows) - ITEMS} more"


def _is_table(value: object) -> bool:
    return _is_list(value) and bool(value) and all(isinstance(row, Mapping) for row in value)


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    return isinstance(value, Sequence) and not isinstance(value, str)


def _shown(value: object, names: Mapping[str, str]) -> str:
    match value:
        case None:
            return "–"
        case bool():
            return "yes" if value else "no"
        case float():
            return f"{value:.3g}"
        case int():
            return str(value)
        case str():
            return _named(value, names)
        case _ if _is_list(value):
            more = f" and {len(value) - ITEMS} more" if len(value) > ITEMS else ""
            return (" · ".join(_shown(item, names) for item in value[:ITEMS]) or "none") + more
        case _:
            return literal(str(value), _WORD)


def _named(text: str, names: Mapping[str, str]) -> str:
    """Return a document's or passage's id as its name."""
    document_id, dash, index = text.partition("-")
    if document_id not in names:
        return literal(text, _WORD)
    passage = f" passage {int(index) + 1}" if dash and index.isdecimal() else ""
    return f"{file_name(names[document_id])}{passage}"
