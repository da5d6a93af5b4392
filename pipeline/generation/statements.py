"""What a source says, statement by statement: a question lends its words to the sentence behind it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from pipeline.domain import SECTIONS
from pipeline.generation.cells import name_cells
from pipeline.generation.keyed import is_keyed, name_values
from pipeline.generation.lists import NUMBERED, find_lists
from pipeline.generation.prompts import is_code
from pipeline.sentences import split

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pipeline.domain import Chunk
    from pipeline.generation.lists import List

_ASKS: Final = re.compile(r"[?？؟][\s\"'”’»)\]*_]*(?:\(\S*\))?$")
_REPLY: Final = re.compile(
    r"^(?:([*_]{1,3})(?:A|Answer|Antwort|Réponse|Respuesta)(?:\1\s*[:：]|\s*[:：]\s*\1)"
    r"|(?P<open>[*_]{0,3})(?:A|Answer|Antwort|Réponse|Respuesta)\s*[:：])\s*(?=\S)"
)
"""What marks an answer, with its bold marks where they close before it begins."""

_STOPS: Final = re.compile(r"[.!:;…。！：][\s\"'”’»)\]*_]*$")
_MARKS: Final = "#*_ \t"

TITLE_WORDS: Final = 4
"""Words that the title of an item has at most, its number not counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A sentence, a row, a value or a line of a source."""

    text: str
    """What is quoted."""
    before: str = ""
    """The question or heading that it answers to, which only counts for how close it is."""
    list: List | None = None
    """What it is an item of, or leads in to."""

    @property
    def heard(self) -> str:
        """What is compared with a question."""
        return f"{self.before} {self.text}" if self.before else self.text

    @property
    def asks(self) -> bool:
        """Tell whether it only asks, which is no answer."""
        return asks(self.text)


def asks(text: str) -> bool:
    """Tell whether *text* ends as a question, be it bold or a link."""
    return _ASKS.search(text) is not None


def statements(chunk: Chunk) -> list[Statement]:
    """Return what *chunk* says, without headings: they only repeat the question."""
    section = chunk.place.section or ""
    names = section.split(SECTIONS)
    if is_keyed(chunk.display_name):
        return [Statement(text=value) for value in name_values(chunk.text, section) if value not in names]
    if is_code(chunk.display_name):
        # half a line of code says nothing, and a full stop in it ends no sentence
        lines = (line.strip() for line in chunk.text.splitlines())
        return [Statement(text=line) for line in lines if line and line.strip(_MARKS) not in names]
    return list(_answers(name_cells(split(chunk.text)), names, tuple(find_lists(chunk.text))))


def _answers(sentences: Sequence[str], names: Sequence[str], lists: Sequence[List]) -> Iterator[Statement]:
    """Yield the sentences, each with the question before it; an item's title becomes part of its text."""
    before, title = names[-1] if asks(names[-1]) else "", ""
    asked = ""
    for number, sentence in enumerate(sentences):
        following = "".join(sentences[number + 1 : number + 2])
        within = next((each for each in lists if each.holds(sentence)), None)
        if sentence.strip(_MARKS) in names:
            continue
        if asks(sentence):
            yield Statement(text=sentence, list=within)
            before, title = f"{asked} {sentence}".strip(), ""
            asked = "" if within else sentence
        elif _is_title(sentence, following, within):
            title = sentence
        else:
            said = _REPLY.sub(r"\g<open>", sentence, count=1) if before else sentence
            yield Statement(text=f"{title}: {said}" if title else said, before=before, list=within)
            before = title = asked = ""


def _is_title(sentence: str, following: str, within: List | None) -> bool:
    """Tell whether *sentence* only names its item, which *following* then speaks about."""
    words = NUMBERED.sub("", sentence, count=1).strip(_MARKS).split()
    if not following or len(words) > TITLE_WORDS or _STOPS.search(sentence) or asks(following):
        return False
    if within is not None:
        return any(item[0] == sentence and following in item[1:] for item in within.items)
    return NUMBERED.match(sentence.lstrip(_MARKS)) is not None and _STOPS.search(following) is not None
