"""Lists of a passage, each with the sentence that leads in to it, so that they are quoted as a whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.sentences import split

if TYPE_CHECKING:
    from collections.abc import Iterator

_ITEM: Final = re.compile(r"\s*(?:[-*+•‣◦▪·–]|\(?(?:\d{1,3}|[A-Za-z])[.)])\s+\S")
NUMBERED: Final = re.compile(r"\d{1,3}[.)]\s")
_LEADING_IN: Final = (":", "：")


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

    def holds(self, sentence: str) -> bool:
        """Tell whether *sentence* is a part of it."""
        return sentence == self.lead or any(sentence in item for item in self.items)


def find_lists(text: str) -> Iterator[List]:
    """Yield the lists of *text* that have two items and more; what is indented in an item belongs to it."""
    before, items = "", list[str]()
    for line in (line for line in [*text.splitlines(), "end"] if line.strip()):
        if _ITEM.match(line):
            items.append(line)
        elif items and line[:1].isspace():
            items[-1] += f" {line.strip()}"
        else:
            found = _list(before, items)
            if len(found.items) > 1:
                yield found
            before, items = line, []


def _list(before: str, items: list[str]) -> List:
    lead = (split(before) or [""])[-1]
    return List(
        lead=lead if lead.rstrip("*_").endswith(_LEADING_IN) else "",
        items=tuple(filter(None, (tuple(split(item)) for item in items))),
    )
