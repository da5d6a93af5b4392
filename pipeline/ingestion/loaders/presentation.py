"""Presentations by python-pptx: what stands on each slide, and what its speaker noted."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from pptx.enum.shapes import PP_PLACEHOLDER
from pptx.exc import PythonPptxError
from pptx.package import Package

from pipeline.domain import IngestReason, Unit
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Block, Kind, Loaded, Upload, title
from pipeline.ingestion.loaders.members import FAULTS, damaged, open_document, parse
from pipeline.ingestion.loaders.rows import Row, table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from pptx.presentation import Presentation
    from pptx.slide import Slide

NOTES = "Notes"
"""The section, below the slide's title, of what the speaker noted."""

_FURNITURE = frozenset(
    {PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.DATE, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.HEADER}
)
"""Placeholders that say the same on every slide."""
_LISTS = frozenset({PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY})
_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}"
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"


def load(upload: Upload) -> Loaded:
    """Read titles, text, lists, tables, diagrams, charts and notes; `Block.page` is the slide's number.

    Raises `IngestError`: CORRUPT, ENCRYPTED, TOO_LARGE, TOO_MANY_PAGES.
    """
    open_document(upload.data).close()
    try:
        slides = _opened(upload.data).slides
        count = len(slides)
        if count > upload.max_pages:
            raise IngestError(
                IngestReason.TOO_MANY_PAGES,
                f"The presentation has {count:,} slides; at most {upload.max_pages:,} can be read. Split it.",
            )
        found = [[*_blocks(slide, number)] for number, slide in enumerate(slides, start=1)]
    except (PythonPptxError, SyntaxError, AttributeError, TypeError, *FAULTS) as exc:  # lxml's for bad XML
        raise damaged() from exc
    blocks = tuple(block for blocks in found for block in blocks)
    return Loaded(kind="presentation", blocks=blocks, pages=count, blank_pages=found.count([]))


def _opened(data: bytes) -> Presentation:
    """Open templates and slide shows as well, which `pptx.Presentation` refuses by their type."""
    part: Any = Package.open(io.BytesIO(data)).main_document_part
    presentation: Presentation = part.presentation
    return presentation


def _blocks(slide: Slide, number: int) -> Iterator[Block]:
    heading = slide.shapes.title
    name = " ".join(heading.text_frame.text.split()) if heading is not None else ""
    path = (title(name),) if name else ()
    place = Block(text="", page=number, path=path, unit=Unit.SLIDE)
    if name:
        yield _put(place, name, Kind.HEADING)
    for shape in _shapes(slide.shapes):
        if heading is None or shape.shape_id != heading.shape_id:
            yield from _shape(shape, place)
    if slide.has_notes_slide and (frame := slide.notes_slide.notes_text_frame) is not None:
        notes = _written(frame.text)
        if notes:
            yield Block(text=notes, page=number, path=(*path, NOTES), unit=Unit.SLIDE)


def _shapes(shapes: Iterable[Any]) -> Iterator[Any]:
    """Yield the shapes in the order in which they are read aloud, those of groups in their group's place."""
    waiting = [iter(shapes)]
    while waiting:
        shape = next(waiting[-1], None)
        if shape is None:
            waiting.pop()
        elif hasattr(shape, "shapes"):
            waiting.append(iter(shape.shapes))
        else:
            yield shape


def _shape(shape: Any, place: Block) -> Iterator[Block]:
    role = shape.placeholder_format.type if shape.is_placeholder else None
    if role in _FURNITURE:
        return
    if getattr(shape, "has_table", False):
        yield from _table(([cell.text for cell in row.cells] for row in shape.table.rows), place)
    elif getattr(shape, "has_chart", False):
        yield from _chart(shape.chart, place)
    elif shape.has_text_frame:
        yield from _text(shape.text_frame, place, is_list=role in _LISTS)
    else:
        yield from _diagram(shape, place)


def _text(frame: Any, place: Block, *, is_list: bool) -> Iterator[Block]:
    """Yield a list entry by entry, any other text as one block."""
    paragraphs = [(part.level, text) for part in frame.paragraphs if (text := _written(part.text))]
    if is_list and len(paragraphs) > 1:
        for level, text in paragraphs:
            yield _put(place, f"{'  ' * level}- {text}", Kind.ITEM)
    elif paragraphs:
        yield _put(place, "\n".join(text for _, text in paragraphs), Kind.TEXT)


def _table(rows: Iterable[list[str]], place: Block) -> Iterator[Block]:
    yield from table(map(_row, rows), path=place.path, page=place.page, unit=place.unit)


def _row(cells: list[str]) -> Row:
    return Row(cells=cells)


def _chart(chart: Any, place: Block) -> Iterator[Block]:
    """Yield a chart's title and its figures, one row for each category."""
    if chart.has_title and (text := _written(chart.chart_title.text_frame.text)):
        yield _put(place, text, Kind.TEXT)
    for plot in chart.plots:
        columns = [["", *map(str, plot.categories)]]
        columns += [[series.name, *map(_figure, series.values)] for series in plot.series]
        yield from _table(map(list, zip(*columns, strict=False)), place)


def _figure(value: float | None) -> str:
    return "" if value is None else f"{value:.15g}"


def _diagram(shape: Any, place: Block) -> Iterator[Block]:
    """Yield the entries of a SmartArt diagram, whose texts stand in a part of their own."""
    for element in shape.element.iter(f"{_DIAGRAM}relIds"):
        data = parse(shape.part.related_part(element.get(_DIAGRAM_DATA)).blob)
        for entry in data.iter(f"{_DIAGRAM}t"):
            text = _written("".join(part.text or "" for part in entry.iter(f"{_DRAWING}t")))
            if text:
                yield _put(place, f"- {text}", Kind.ITEM)


def _put(place: Block, text: str, kind: Kind) -> Block:
    return Block(text=text, kind=kind, page=place.page, path=place.path, unit=place.unit)


def _written(text: str) -> str:
    """Write the line breaks inside a paragraph, which come as vertical tabs, as those that they are."""
    return "\n".join(line.strip() for line in text.replace("\v", "\n").split("\n")).strip()
