"""Chosen sentences as the text of an answer: each with its marker, a list as a whole."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pipeline import markers
from pipeline.generation.lists import NUMBERED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.generation.extractive import Candidate
    from pipeline.generation.lists import List

LONGEST_QUOTE: Final = 350

_END: Final = re.compile(r"(?<=[^\W_]|\))([.!?。！？]+)$")
_CODE: Final = re.compile(r"[;{}]$|^(?:def |class |import |from \w+ import |[\w.]+\(.*\)$)|=>|::|\w\[\w*\]")
_GAP: Final = re.compile(r" *\n\n+")


def phrase(chosen: Sequence[Candidate]) -> str:
    """Write the sentences with their markers, as in ``Refunds take five days [1].``.

    A list is written as a whole where what leads in to it was chosen, or two of its numbered steps. Of a long
    one only the first items are, and of one with long items not even those if the answer is among them.
    """
    written = ""
    whole: list[List] = []
    for candidate in chosen:
        if candidate.list is None or not _is_wanted(candidate.list, chosen):
            written += f"{_quote(candidate.text, candidate)} "
        elif candidate.list not in whole:
            whole.append(candidate.list)
            written += f"\n\n{_list(candidate.list, candidate)}\n\n"
    return _GAP.sub("\n\n", written).strip()


def _is_wanted(whole: List, chosen: Sequence[Candidate]) -> bool:
    own = [candidate for candidate in chosen if candidate.list == whole]
    leads_in = any(each.text == whole.lead for each in own)
    if leads_in:
        return whole.is_brief or len(own) == 1
    return whole.is_numbered and whole.is_short and len(own) > 1


def _list(whole: List, candidate: Candidate) -> str:
    """Write a list, each line with the marker of its source."""
    lead = [_quote(whole.lead, candidate)] if whole.lead else []
    shown = whole.beginning()
    said = [_quote(item, candidate) for item in shown]
    items = [item if NUMBERED.match(item) else f"- {item}" for item in said]
    return "\n".join((*lead, *items, *(["- …"] if len(whole.items) > len(shown) else [])))


def _quote(text: str, candidate: Candidate) -> str:
    """Write *text*, which *candidate* or its list says, with its marker."""
    if len(text) > LONGEST_QUOTE:
        text = (
            text[: text.rfind(" ", 0, LONGEST_QUOTE) if " " in text[:LONGEST_QUOTE] else LONGEST_QUOTE] + " …"
        )
    if (candidate.code or _CODE.search(text)) and "`" not in text:
        return f"`{text}` [{candidate.label}]"
    text = markers.defused(text)
    end = _END.search(text)
    if end is None:
        return f"{text} [{candidate.label}]"
    return f"{text[: end.start()]} [{candidate.label}]{end[0]}"
