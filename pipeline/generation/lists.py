"""Lists of a passage, each with the sentence that leads in to it, so that they are quoted as a whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from pipeline.sentences import split

if TYPE_CHECKING:
    from collections.abc import Iterator

_ITEM: Final = re.compile(r"\s*(?:[-*+•‣◦▪·–]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+\S")
_EMPTY: Final = re.compile(r"\s*[-*+•‣◦▪·–]?\s*")
"""An item without text, for instance because it gave orders and was left out."""

NUMBERED: Final = re.compile(r"\d{1,3}[.)]\s")
_LEADING_IN: Final = (":", "：")

ITEMS: Final = 12
"""Items of a list that are quoted; an ellipsis stands for the rest."""

LONGEST_ITEM: Final = 160
"""Characters of an item, about a sentence or two; longer ones are text, each about a matter of its own."""

LONGEST_LIST: Final = 700
"""Characters of all items: what is read at a glance below an answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class List:
    """A list and what leads in to it, in sentences as `pipeline.sentences.split` writes them."""

    lead: str
    """The sentence before it that ends in a colon; empty: none does."""
    items: tuple[tuple[str, ...], ...]
    """The sentences of each item, with the number that it has."""

    @property
    def is_numbered(self) -> bool:
        """Tell whether its items are steps, or otherwise have an order."""
        return all(NUMBERED.match(item[0]) for item in self.items)

    @property
    def is_brief(self) -> bool:
        """Tell whether no item says more than an item should."""
        return all(len(" ".join(item)) <= LONGEST_ITEM for item in self.items)

    @property
    def is_short(self) -> bool:
        """Tell whether it can be quoted as a whole."""
        return self.is_brief and len(self.beginning()) == len(self.items)

    def beginning(self) -> list[str]:
        """Return its first items, one at least, as far as their number and length allow."""
        items = [" ".join(item) for item in self.items[:ITEMS]]
        fitting = sum(length <= LONGEST_LIST for length in accumulate(map(len, items)))
        return items[: max(fitting, 1)]

    def holds(self, sentence: str) -> bool:
        """Tell whether *sentence* is a part of it."""
        return sentence == self.lead or any(sentence in item for item in self.items)


def find_lists(text: str) -> Iterator[List]:
    """Yield the lists of *text* that have two items and more; what is indented in an item belongs to it."""
    before, items = "", list[str]()
    for line in (line for line in [*text.splitlines(), "end"] if not _EMPTY.fullmatch(line)):
        if _ITEM.match(line) and (not items or _indent(line) <= _indent(items[0])):
            items.append(line)
        elif items and line[:1].isspace():
            items[-1] += f"\n{line}"
        else:
            found = _list(before, items)
            if len(found.items) > 1:
                yield found
            before, items = line, []


def _indent(item: str) -> int:
    return len(item) - len(item.lstrip())


def _list(before: str, items: list[str]) -> List:
    lead = (split(before) or [""])[-1]
    return List(
        lead=lead if lead.rstrip("*_").endswith(_LEADING_IN) else "",
        items=tuple(filter(None, (tuple(split(item)) for item in items))),
    )
