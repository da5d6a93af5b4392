"""The elements of an OpenDocument file's ``content.xml``, written as HTML."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Final

_NAMES: Final = "{urn:oasis:names:tc:opendocument:xmlns:"
_OFFICE = _NAMES + "office:1.0}"
_TEXT = _NAMES + "text:1.0}"
_TABLE = _NAMES + "table:1.0}"
_DRAW = _NAMES + "drawing:1.0}"
_SHOW = _NAMES + "presentation:1.0}"
_STYLE = _NAMES + "style:1.0}"
_SVG = _NAMES + "svg-compatible:1.0}"

_TAGS = {
    f"{_TEXT}p": "div",
    f"{_TEXT}list": "ul",
    f"{_TEXT}list-item": "li",
    f"{_TEXT}list-header": "div",
    f"{_TEXT}note-body": "div",
    f"{_TEXT}section": "div",
    f"{_TABLE}table": "table",
    f"{_TABLE}table-row": "tr",
    f"{_DRAW}text-box": "div",
    f"{_DRAW}frame": "div",
    f"{_DRAW}custom-shape": "div",
}
"""Elements that have a counterpart; a paragraph is a ``div``, because it can hold a text box with others."""
_GAPS = {f"{_TEXT}s": " ", f"{_TEXT}tab": " ", f"{_TEXT}line-break": "<br>"}
_UNSEEN = frozenset(
    {
        *(_OFFICE + name for name in ("annotation", "automatic-styles", "binary-data", "font-face-decls")),
        *(_OFFICE + name for name in ("forms", "scripts", "styles")),
        *(_TEXT + name for name in ("tracked-changes", "note-citation", "hidden-paragraph", "hidden-text")),
        *(_TEXT + name for name in ("table-of-content", "alphabetical-index", "illustration-index")),
        *(_SHOW + name for name in ("date-time-decl", "footer-decl", "header-decl")),
        *(_SVG + name for name in ("title", "desc")),
        f"{_TABLE}covered-table-cell",
    }
)
"""Comments, deleted text, what repeats headings or spans over other cells, and what is no text at all."""
_FURNITURE = frozenset({"date-time", "footer", "header", "page-number"})
"""Classes of frames that say the same on every slide."""
_KINDS = frozenset({"text", "spreadsheet", "presentation", "drawing"})
_PARAGRAPHS = frozenset({f"{_TEXT}p", f"{_TEXT}h"})
_MAX_LEVEL = 6


@dataclass(frozen=True, slots=True)
class Slide:
    """The HTML of one slide and of its speaker's notes, in pieces."""

    text: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Content:
    """Takes the elements as they come; a footnote is put behind the paragraph that it is a note on."""

    def __init__(self) -> None:
        self.kind = "text"
        """Which of OpenDocument's kinds the file is: text, spreadsheet, presentation, drawing."""
        self.text: list[str] = []
        """The HTML of a text, in pieces."""
        self.slides: list[Slide] = []
        self._html = self.text
        self._outside: list[list[str]] = []
        """Where to write again after the open footnotes."""
        self._footnotes: list[str] = []
        self._closing: list[str] = []
        """What ends each of the open elements."""
        self._unseen = 0
        """How many open elements are, or stand in, one that is not read."""
        self._parents: dict[str, str] = {}
        """Styles of this file and the styles they vary."""

    def start(self, tag: str, attrs: dict[str, str]) -> None:
        """Open an element."""
        if tag == f"{_STYLE}style":
            self._parents[attrs.get(f"{_STYLE}name", "")] = attrs.get(f"{_STYLE}parent-style-name", "")
        if self._unseen or tag in _UNSEEN or attrs.get(f"{_SHOW}class") in _FURNITURE:
            self._unseen += 1
            return
        self._turn(tag)
        opening, closing = self._tags(tag, attrs)
        self._html.append(opening)
        self._closing.append(closing)

    def end(self, tag: str) -> None:
        """Close the element that was opened last."""
        if self._unseen:
            self._unseen -= 1
            return
        self._html.append(self._closing.pop())
        if tag == f"{_TEXT}note":
            self._footnotes += self._html
            self._html = self._outside.pop()
        elif tag in _PARAGRAPHS and not self._outside:
            self._html += self._footnotes
            self._footnotes.clear()

    def data(self, data: str) -> None:
        """Take text."""
        if not self._unseen:
            self._html.append(escape(data))

    def close(self) -> None:
        """End the document."""

    def _turn(self, tag: str) -> None:
        """Write what follows to where it belongs."""
        if tag == f"{_TEXT}note":
            self._outside.append(self._html)
            self._html = []
        elif tag == f"{_DRAW}page":
            self.slides.append(Slide())
            self._html = self.slides[-1].text
        elif tag == f"{_SHOW}notes" and self.slides:
            self._html = self.slides[-1].notes
        elif tag.removeprefix(_OFFICE) in _KINDS:
            self.kind = tag.removeprefix(_OFFICE)

    def _tags(self, tag: str, attrs: dict[str, str]) -> tuple[str, str]:
        if tag == f"{_TABLE}table-cell":
            return _cell(attrs), "</td>"
        name = self._heading(tag, attrs) or _TAGS.get(tag)
        return (f"<{name}>", f"</{name}>") if name else (_GAPS.get(tag, ""), "")

    def _heading(self, tag: str, attrs: dict[str, str]) -> str | None:
        if tag == f"{_TEXT}h":
            level = attrs.get(f"{_TEXT}outline-level", "")
            return (
                f"h{min(int(level), _MAX_LEVEL)}" if level.isascii() and level.strip("0").isdigit() else "h1"
            )
        style = attrs.get(f"{_TEXT}style-name", "")
        is_title = "Title" in (style, self._parents.get(style)) and tag == f"{_TEXT}p"
        return "h1" if is_title or attrs.get(f"{_SHOW}class") == "title" else None


def _cell(attrs: dict[str, str]) -> str:
    wide = attrs.get(f"{_TABLE}number-columns-spanned") or attrs.get(f"{_TABLE}number-columns-repeated")
    return f'<td colspan="{_number(wide)}" rowspan="{_number(attrs.get(f"{_TABLE}number-rows-spanned"))}">'


def _number(text: str | None) -> str:
    return text if text is not None and text.isdigit() else "1"
