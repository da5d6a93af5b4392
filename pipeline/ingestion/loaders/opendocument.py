"""OpenDocument files: texts and slides by way of HTML, workbooks by calamine."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pipeline.domain import IngestReason, Unit
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Loaded, Upload
from pipeline.ingestion.loaders import workbook
from pipeline.ingestion.loaders.archives import open_archive
from pipeline.ingestion.loaders.members import parse_into, read
from pipeline.ingestion.loaders.odfmarkup import Content
from pipeline.ingestion.loaders.webpage import walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pipeline.ingestion.blocks import Block

NOTES = "Notes"
"""The section, below the slide's title, of what the speaker noted."""

_MANIFEST = "META-INF/manifest.xml"
_ENCRYPTED = b"encryption-data"
"""The element of an archive's manifest that tells how a member was encrypted."""


def load(upload: Upload) -> Loaded:
    """Read a text by its headings, a presentation slide by slide, a workbook sheet by sheet.

    Raises `IngestError`: CORRUPT, ENCRYPTED, TOO_LARGE, TOO_MANY_PAGES.
    """
    with open_archive(upload.data) as archive:
        if _MANIFEST in archive.namelist() and _ENCRYPTED in read(archive, _MANIFEST):
            raise IngestError(
                IngestReason.ENCRYPTED, "The document is protected by a password; upload a copy without one."
            )
        content = Content()
        parse_into(read(archive, "content.xml"), content)
    if content.kind == "spreadsheet":
        return workbook.load(upload)
    if content.kind == "text":
        return Loaded(kind="OpenDocument text", blocks=tuple(walk("".join(content.text), laid_out=False)))
    if len(content.slides) > upload.max_pages:
        raise IngestError(
            IngestReason.TOO_MANY_PAGES,
            f"The document has {len(content.slides):,} slides; at most {upload.max_pages:,} can be read.",
        )
    unit = Unit.SLIDE if content.kind == "presentation" else None
    found = [[*_slide(each.text, each.notes)] for each in content.slides]
    blocks = (
        replace(block, page=number, unit=unit) for number, slide in enumerate(found, 1) for block in slide
    )
    return Loaded(
        kind="OpenDocument slides", blocks=tuple(blocks), pages=len(found), blank_pages=found.count([])
    )


def _slide(text: list[str], notes: list[str]) -> Iterator[Block]:
    blocks = walk("".join(text))
    yield from blocks
    path = blocks[-1].path if blocks else ()
    for block in walk("".join(notes)):
        yield replace(block, path=(*path, NOTES))
