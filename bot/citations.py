"""The block under an answer that resolves every ``[n]`` to a file, a place and a link."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from bot.chat import WEB
from pipeline.domain import SECTIONS
from pipeline.markers import cited_in

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pipeline.conversation import Citation

QUOTE_LENGTH = 160
PASSAGE_LENGTH = 400
NAME_LENGTH = 80
APART = 40
"""Characters of what tells two files of one name apart."""
HEADINGS = 3
"""Of a section path that are shown; an attachment of a mail is the second."""

_INVISIBLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\s]+")
"""White space, control characters, and those that turn the direction of text around or hide in it."""

_SPECIAL = re.compile(
    r"""[`*\[\]<]            # emphasis, code, links, mentions and HTML
    | \\(?=[^\w\s]|_)        # a backslash that would escape what follows
    | (?<![^\W_])_|_(?![^\W_])  # an underscore inside a word is none
    | ~(?=~)|(?<=~)~ | \|(?=\|)|(?<=\|)\|
    | &(?=\#?\w{1,31};)      # an entity
    """,
    re.VERBOSE,
)


def block(citations: Iterable[Citation], answer: str, schemes: frozenset[str] = WEB) -> str:
    """Return one line for each citation whose marker stands in *answer*, by label; "" for none.

    Addresses of other *schemes* than these are left out, because people could not open them.
    """
    used = cited_in(answer)
    return _lines((c for c in citations if c.label in used), QUOTE_LENGTH, schemes)


def passages(citations: Iterable[Citation], schemes: frozenset[str] = WEB) -> str:
    """Return one line for each citation, with longer quotes: what to show instead of an answer."""
    return _lines(citations, PASSAGE_LENGTH, schemes)


def literal(text: str, limit: int) -> str:
    """Return *text* in one line of at most about *limit* characters that Markdown shows as it is."""
    return _SPECIAL.sub(lambda found: "\\" + found.group(), _shortened(_one_line(text), limit))


def file_name(name: str) -> str:
    """Return a document's name for people, long ones shortened in the middle so that the ending stays."""
    clean = _one_line(name) or "unnamed file"
    if len(clean) > NAME_LENGTH:
        half = NAME_LENGTH // 2
        clean = f"{clean[:half]}…{clean[-half:]}"
    return literal(clean, NAME_LENGTH + 1)


def _lines(citations: Iterable[Citation], length: int, schemes: frozenset[str]) -> str:
    """Join the citations' lines with hard breaks, so that no renderer runs them together."""
    ordered = sorted(citations, key=lambda c: (len(c.label), c.label))
    return "  \n".join(_line(citation, length, schemes) for citation in ordered)


def _line(citation: Citation, length: int, schemes: frozenset[str]) -> str:
    place = citation.place.described(_section)
    apart = f" ({literal(citation.apart, APART)})" if citation.apart else ""
    where = ", ".join(part for part in (f"{file_name(citation.display_name)}{apart}", place) if part)
    quoted = f" — “{literal(citation.quote, length)}”" if citation.quote else ""
    return f"[{citation.label}] {where}{quoted}{_link(citation.url, schemes)}"


def _section(path: str) -> str:
    """Return a section path for people: of a long one the outer headings and the innermost, shortened."""
    headings = path.split(SECTIONS)
    if len(path) <= NAME_LENGTH or len(headings) == 1:
        return literal(path, NAME_LENGTH)
    shown = headings if len(headings) <= HEADINGS else [*headings[: HEADINGS - 1], "…", headings[-1]]
    return literal(SECTIONS.join(_shortened(heading, NAME_LENGTH // 2) for heading in shown), 2 * NAME_LENGTH)


def _link(url: str | None, schemes: frozenset[str]) -> str:
    """Return a link in the form that shows no preview; "" for an address that is none to follow."""
    if not url:
        return ""
    target = quote(url, safe="%/:=&?~#+!$,;'@()*[]-._")
    try:
        scheme = urlsplit(target).scheme
    except ValueError:
        return ""
    return f" ([open](<{target}>))" if scheme in schemes else ""


def _one_line(text: str) -> str:
    return _INVISIBLE.sub(" ", text).strip()


def _shortened(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    head = text[:limit]
    gap = head.rfind(" ", limit // 2)
    return (head[:gap] if gap > 0 else head).rstrip(" ,;:.") + "…"
