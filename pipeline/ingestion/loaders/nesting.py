"""HTML without the tags that nest deeper than anybody's page: to read those takes time with the square."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_DEPTH: Final = 256
"""Open elements; browsers stop at 512, and large pages have some sixty."""
MAX_MARKS: Final = 50
"""Open marks of emphasis, links and the like: whichever is never closed is opened anew in each paragraph."""
MAX_TABLES: Final = 30
"""Tables in tables: all that is in each is looked through, to tell whether it only lays out a page."""

_TAG = re.compile(r"<(?:(!--)|(/?)([a-z][^\s<>/]*)[^<>]*>?)", re.IGNORECASE)
_LIMITS: Final = {"mark": MAX_MARKS, "table": MAX_TABLES, "block": MAX_DEPTH}
_UNSEEN: Final = frozenset({"script", "style", "textarea", "title"})
"""What stands in them is no markup."""


def _tags(names: str) -> frozenset[str]:
    return frozenset(names.split())


_MARKS: Final = _tags("a b big code em font i nobr s small strike strong tt u")
_FLAT: Final = _tags(
    "html head body p li dt dd tr td th thead tbody tfoot caption colgroup option optgroup rt rp"
    " h1 h2 h3 h4 h5 h6 area base br col embed hr img input link meta param source track wbr"
)
"""Elements that never hold their like, or need no end."""


def shallow(html: str) -> str:
    """Leave out the tags of elements that are too deep; their text stays, apart from what is around it."""
    parts: list[str] = []
    kept = 0
    for start, end, gap in _too_deep(html):
        parts += (html[kept:start], gap)
        kept = end
    return "".join((*parts, html[kept:])) if parts else html


def _too_deep(html: str) -> Iterator[tuple[int, int, str]]:
    """Yield where the tags to leave out stand, and what to write instead."""
    depth = dict.fromkeys(_LIMITS, 0)
    position = 0
    while (tag := _TAG.search(html, position)) is not None:
        position = tag.end()
        comment, closes, name = tag.groups()
        name = (name or "").lower()
        if comment or (name in _UNSEEN and not closes):
            position = html.find("-->" if comment else f"</{name}", position)
            if position < 0:
                return
        elif name not in _FLAT and name not in _UNSEEN:
            kind = "mark" if name in _MARKS else "table" if name == "table" else "block"
            inner = depth[kind] + (0 if closes else 1)
            depth[kind] = max(inner - 1, 0) if closes else inner
            if inner > _LIMITS[kind]:
                yield tag.start(), tag.end(), "" if kind == "mark" else "<br>"
