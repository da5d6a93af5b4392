"""Which addresses an answer may hold: those that its sources hold, so that none carries anything away."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pipeline.conversation import CitedSource

LEFT_OUT: Final = "(address left out)"
"""What stands in the place of an address that no source holds."""

_SCHEME: Final = r"(?:[A-Za-z][A-Za-z0-9+.-]{0,20}://|www\.|mailto:)"
_PART: Final = r"[^\s<>\"'`\[\]【】。，、；：！？）」』|]"  # marks that end a sentence in Chinese

ADDRESS: Final = re.compile(rf"{_SCHEME}{_PART}+", re.IGNORECASE)
"""What chat programs make a link of."""

BEGUN: Final = re.compile(rf"(?:{_SCHEME}{_PART}*|[A-Za-z][A-Za-z0-9+.-]{{0,20}}(?::/?)?)\Z", re.IGNORECASE)
"""The end of a text that may still become an address, or a longer one."""

_AFTER: Final = re.compile(r"[.,;:!?)*_~}]*\Z")
"""What stands behind an address and does not belong to it."""

_HEAD: Final = re.compile(r"(?:[A-Za-z][A-Za-z0-9+.-]*://|mailto:)?(?:www\.)?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Held:
    """The texts whose addresses an answer may repeat."""

    texts: tuple[str, ...]

    @classmethod
    def by(cls, question: str, sources: Sequence[CitedSource]) -> Held:
        """Return what *question* and *sources* hold, the places of their originals included."""
        chunks = [source.chunk for source in sources]
        return cls((question, *(text for chunk in chunks for text in (chunk.text, chunk.source))))

    def holds(self, address: str) -> bool:
        """Tell whether *address*, or a longer one that begins with it, stands in one of the texts.

        An address that is longer than the one in a source may carry data in the rest of it.
        """
        bare = address[_HEAD.match(address).end() :].rstrip("/")  # type: ignore[union-attr]  # it matches nothing, too
        if not bare:
            return True
        same = re.compile(rf"(?<![\w@.-])(?:www\.)?{re.escape(bare)}(?![\w%-]|\.\w|@)", re.IGNORECASE)
        return any(same.search(text) for text in self.texts)


def without_foreign(text: str, held: Held) -> tuple[str, int]:
    """Return *text* without the addresses that *held* has not, and how many these were."""
    count = 0

    def replaced(found: re.Match[str]) -> str:
        nonlocal count
        after = _AFTER.search(found[0])
        end = after.start() if after else len(found[0])
        if held.holds(found[0][:end]):
            return found[0]
        count += 1
        return LEFT_OUT + found[0][end:]

    return ADDRESS.sub(replaced, text), count
