"""Small office files with all that their formats can hold, written by libraries or member by member."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches
from xlsxwriter import Workbook

from tests.fakes.documents import archive

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_TITLE_AND_TEXT, _TITLE_ONLY, _BLANK = 1, 5, 6
_BOX = (Inches(1), Inches(2), Inches(4), Inches(1))
_ODF = "urn:oasis:names:tc:opendocument:xmlns"
_NAMESPACES = (
    f'xmlns:office="{_ODF}:office:1.0" xmlns:text="{_ODF}:text:1.0" xmlns:table="{_ODF}:table:1.0" '
    f'xmlns:draw="{_ODF}:drawing:1.0" xmlns:presentation="{_ODF}:presentation:1.0" '
    f'xmlns:style="{_ODF}:style:1.0" xmlns:svg="{_ODF}:svg-compatible:1.0"'
)
CONTAINER = (
    '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
    '<rootfile full-path="OEBPS/book.opf"/></rootfiles></container>'
)


class Deck:
    """A presentation that grows slide by slide."""

    def __init__(self) -> None:
        self._deck = Presentation()
        self.slide: Any = None
        """The last one, to put shapes on."""

    def add(self, title: str = "", *entries: tuple[int, str], notes: str = "") -> Deck:
        """Add a slide with a title and a list, whose entries have a level each."""
        layout = _TITLE_AND_TEXT if entries else _TITLE_ONLY if title else _BLANK
        self.slide = self._deck.slides.add_slide(self._deck.slide_layouts[layout])
        if title:
            self.slide.shapes.title.text = title
        for index, (level, text) in enumerate(entries):
            frame = self.slide.placeholders[1].text_frame
            paragraph = frame.paragraphs[0] if index == 0 else frame.add_paragraph()
            paragraph.text, paragraph.level = text, level
        if notes:
            self.slide.notes_slide.notes_text_frame.text = notes
        return self

    def write(self, text: str, shapes: Any = None) -> Deck:
        """Put a text box on the slide, or on what else has *shapes*."""
        (self.slide.shapes if shapes is None else shapes).add_textbox(*_BOX).text_frame.text = text
        return self

    def group(self) -> Any:
        """Put a group on the slide and return its shapes."""
        return self.slide.shapes.add_group_shape().shapes

    def table(self, *rows: Sequence[str]) -> Deck:
        """Put a table on the slide."""
        table = self.slide.shapes.add_table(len(rows), len(rows[0]), *_BOX).table
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                table.cell(number, column).text = text
        return self

    def chart(self, title: str, categories: Sequence[str], **series: Sequence[float | None]) -> Deck:
        """Put a chart on the slide."""
        data: Any = CategoryChartData()  # type: ignore[no-untyped-call]  # only this module of pptx is not typed
        data.categories = categories
        for name, values in series.items():
            data.add_series(name, values)
        chart = self.slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *_BOX, data).chart
        chart.has_title = True
        chart.chart_title.text_frame.text = title
        return self

    def save(self) -> bytes:
        out = io.BytesIO()
        self._deck.save(out)
        return out.getvalue()


def xlsx(write: Callable[[Workbook], None]) -> bytes:
    """Have *write* fill a workbook."""
    out = io.BytesIO()
    with Workbook(out, {"in_memory": True}) as book:
        write(book)
    return out.getvalue()


def odf(kind: str, body: str, *, styles: str = "", manifest: str = "") -> bytes:
    """Write an OpenDocument file whose ``office:{kind}`` holds *body*."""
    media = {
        "text": "text",
        "spreadsheet": "spreadsheet",
        "presentation": "presentation",
        "drawing": "graphics",
    }
    content = (
        f"<office:document-content {_NAMESPACES}><office:automatic-styles>{styles}</office:automatic-styles>"
        f"<office:body><office:{kind}>{body}</office:{kind}></office:body></office:document-content>"
    )
    return archive(
        {
            "mimetype": f"application/vnd.oasis.opendocument.{media[kind]}",
            "content.xml": content,
            "META-INF/manifest.xml": f'<manifest xmlns="{_ODF}:manifest:1.0">{manifest}</manifest>',
        }
    )


def epub(pages: dict[str, str], *, contents: str = "", metadata: str = "", **others: str) -> bytes:
    """Write an e-book of XHTML *pages*, by name in reading order; *contents* is a table of contents (NCX)."""
    items = "".join(f'<item id="{name}" href="{name}" media-type="application/xhtml+xml"/>' for name in pages)
    spine = "".join(f'<itemref idref="{name}"/>' for name in pages)
    package = (
        '<package xmlns="http://www.idpf.org/2007/opf" xmlns:dc="http://purl.org/dc/elements/1.1/">'
        f"<metadata>{metadata}</metadata><manifest>{items}"
        '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/></manifest>'
        f"<spine>{spine}</spine></package>"
    )
    members = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": CONTAINER,
        "OEBPS/book.opf": package,
        **{f"OEBPS/{name}": page for name, page in pages.items()},
    }
    if contents:
        members["OEBPS/toc.ncx"] = (
            f'<ncx xmlns="http://www.daisy.org/z3986/2005/ncx/"><navMap>{contents}</navMap></ncx>'
        )
    return archive({**members, **others})
