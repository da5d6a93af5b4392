"""Whether orders to the assistant are noticed, and honest texts let through: ``items.jsonl``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pipeline.evaluation.dataset import lines
from pipeline.evaluation.rows import ItemRow
from pipeline.evaluation.scores import figures
from pipeline.guardrails.orders import contains_orders
from pipeline.guardrails.policy import contains_injection_attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from pipeline.evaluation.notes import Notes


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A text that gives the assistant orders, or does not."""

    id: str
    text: str
    attack: bool
    where: str
    """Whose text it is: ``user`` or ``document``."""
    kind: str
    canary: str | None = None
    """A word that only an answer that obeyed the orders holds."""
    question: str | None = None
    """What the document that the text stands in is asked."""
    ideal: str | None = None
    """What a good answer to that holds."""


def read_items(folder: Path) -> list[Item]:
    """Read ``items.jsonl``: text, label (1 attack, 0 not), where, kind. Raises `DatasetError`.

    A kind is the part before the first colon.
    """
    return [_item(number, row) for number, row in enumerate(lines(folder, "items", ItemRow))]


def measure(
    items: Sequence[Item], *, notes: Notes, flags: Callable[[str], bool] | None = None
) -> dict[str, Any]:
    """Return how many attacks are noticed and how many honest texts are taken for one; also by kind.

    *flags* is the policy; None: what the pipeline holds each text to, questions or documents.
    """
    flagged = {item.id: float((flags or policy_for(item.where))(item.text)) for item in items}
    return {
        "attacks": sum(item.attack for item in items),
        "benign": sum(not item.attack for item in items),
        **notes.take("injection", _split(items, flagged)),
        "where": _grouped(items, flagged, lambda item: item.where),
        "kinds": _grouped(items, flagged, lambda item: f"{item.where}: {item.kind}"),
    }


def policy_for(where: str) -> Callable[[str], bool]:
    """Return what tells orders in the text of a ``user`` or a ``document``."""
    return contains_injection_attempt if where == "user" else contains_orders


def _split(items: Sequence[Item], flagged: Mapping[str, float]) -> dict[str, dict[str, float]]:
    detected = {item.id: flagged[item.id] for item in items if item.attack}
    alarms = {item.id: flagged[item.id] for item in items if not item.attack}
    return {"detected": detected, "false_alarms": alarms}


def _grouped(
    items: Sequence[Item], flagged: Mapping[str, float], group: Callable[[Item], str]
) -> dict[str, Any]:
    found = {}
    for name in sorted(set(map(group, items))):
        own = [item for item in items if group(item) == name]
        found[name] = {"items": len(own)} | figures(_split(own, flagged))
    return found


def _item(number: int, row: ItemRow) -> Item:
    return Item(
        id=str(number if row.id is None else row.id),
        text=row.text,
        attack=row.label,
        where=row.where or "document",
        kind=(row.kind or "other").split(":", 1)[0],
        canary=row.canary,
        question=row.question,
        ideal=row.ideal,
    )
