"""Word documents, by way of the HTML that mammoth makes of their styles."""

from __future__ import annotations

import io
import re
from dataclasses import dataclass
from pyexpat import ExpatError
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import mammoth

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Loaded, Upload
from pipeline.ingestion.loaders.members import open_document, parse, read
from pipeline.ingestion.loaders.webpage import walk

if TYPE_CHECKING:
    from collections.abc import Mapping
    from xml.etree.ElementTree import Element
    from zipfile import ZipFile

_STYLES = "\n".join(
    (
        "p[style-name='Title'] => h1:fresh",
        "p[style-name='Subtitle'] => p:fresh",
        # a table of contents repeats the headings
        *(f"p[style-name='toc {level}'] => !" for level in range(1, 10)),
        "",
    )
)
_STYLES_MEMBER = "word/styles.xml"
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_LEVELS = 6
_MAX_BASES = 10
_HEADING = re.compile(r"heading ([1-6])", re.IGNORECASE)
_BUILT_IN = re.compile(r"heading \d|title$|subtitle$|toc ", re.IGNORECASE)
"""Styles that have a rule already."""
_PLAIN_NAME = re.compile(r"[^'\\\r\n]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Style:
    """A style of paragraphs: its name, the id of the one it varies, and its outline level, "" where unset."""

    name: str
    based_on: str
    level: str


def load(upload: Upload) -> Loaded:
    """Read headings, paragraphs, lists, tables, text boxes and notes; not comments, headers and footers.

    Raises `IngestError`: CORRUPT, TOO_LARGE, ENCRYPTED.
    """
    with open_document(upload.data) as archive:
        named = _headings(archive)
    try:
        result = mammoth.convert_to_html(
            io.BytesIO(upload.data),
            style_map=_STYLES + named,
            convert_image=mammoth.images.img_element(_no_image),
            external_file_access=False,
        )
    except (ExpatError, BadZipFile, KeyError, ValueError, OSError, AttributeError, IndexError) as exc:
        raise IngestError(
            IngestReason.CORRUPT, "The document is damaged; save it again and upload that."
        ) from exc
    return Loaded(kind="Word", blocks=tuple(walk(str(result.value), laid_out=False)))


def _headings(archive: ZipFile) -> str:
    """Return mammoth's rules for styles that the author made of Word's headings, or gave an outline level."""
    if _STYLES_MEMBER not in archive.namelist():
        return ""
    styles = {
        style.get(f"{_W}styleId"): _Style(
            name=_value(style, "name"),
            based_on=_value(style, "basedOn"),
            level=_value(style, "pPr/outlineLvl"),
        )
        for style in parse(read(archive, _STYLES_MEMBER)).iterfind(f"{_W}style[@{_W}type='paragraph']")
    }
    rules = ((style.name, _level(style, styles)) for style in styles.values())
    return "\n".join(
        f"p[style-name='{name}'] => h{level + 1}:fresh"
        for name, level in rules
        if level is not None and _PLAIN_NAME.fullmatch(name) and not _BUILT_IN.match(name)
    )


def _level(style: _Style, styles: Mapping[str | None, _Style]) -> int | None:
    """Return the outline level (from 0) that a style has or takes over, None for text."""
    current: _Style | None = style
    for _ in range(_MAX_BASES):
        if current is None:
            break
        if current.level.isdecimal():
            return int(current.level) if int(current.level) < _LEVELS else None
        if match := _HEADING.fullmatch(current.name):
            return int(match.group(1)) - 1
        current = styles.get(current.based_on)
    return None


def _value(style: Element, path: str) -> str:
    found = style.find("/".join(f"{_W}{name}" for name in path.split("/")))
    return "" if found is None else found.get(f"{_W}val", "")


def _no_image(image: Any) -> dict[str, str]:
    """Pictures hold no text, and inlined they would be megabytes of attribute."""
    del image
    return {}
