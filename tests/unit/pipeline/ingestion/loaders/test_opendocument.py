from __future__ import annotations

import pytest

from pipeline.domain import IngestReason, Unit
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Kind, Loaded
from pipeline.ingestion.chunker import chunk
from pipeline.ingestion.loaders import load
from tests.fakes.documents import archive
from tests.fakes.office import odf


def text(body: str, styles: str = "") -> Loaded:
    return load(odf("text", body, styles=styles), "letter.odt")


def slides(*pages: str) -> Loaded:
    body = "".join(f"<draw:page>{page}</draw:page>" for page in pages)
    return load(
        odf("presentation", f"<presentation:footer-decl>ours</presentation:footer-decl>{body}"), "a.odp"
    )


def frame(content: str, kind: str = "outline") -> str:
    inner = f"<draw:text-box><text:p>{content}</text:p></draw:text-box>"
    return f'<draw:frame presentation:class="{kind}">{inner}</draw:frame>'


def test_headings_paragraphs_and_lists_are_read() -> None:
    loaded = text(
        '<text:h text:outline-level="1">Terms</text:h>'
        '<text:p>Payment is due<text:s text:c="3"/>&lt;at once&gt;.</text:p>'
        '<text:h text:outline-level="2">Rates</text:h>'
        "<text:list><text:list-item><text:p>One</text:p><text:list><text:list-item><text:p>Two</text:p>"
        "</text:list-item></text:list></text:list-item></text:list>"
        "<text:p>End<text:line-break/>of it</text:p>"
    )

    assert [(block.kind, block.text, block.path) for block in loaded.blocks] == [
        (Kind.HEADING, "Terms", ("Terms",)),
        (Kind.TEXT, "Payment is due <at once>.", ("Terms",)),
        (Kind.HEADING, "Rates", ("Terms", "Rates")),
        (Kind.ITEM, "- One", ("Terms", "Rates")),
        (Kind.ITEM, "  - Two", ("Terms", "Rates")),
        (Kind.TEXT, "End\nof it", ("Terms", "Rates")),
    ]
    assert loaded.pages is None


def test_the_title_is_the_outermost_heading() -> None:
    styles = '<style:style style:name="P1" style:parent-style-name="Title"><style:text/></style:style>'
    loaded = text('<text:p text:style-name="P1">Handbook</text:p><text:p>Text</text:p>', styles)

    assert loaded.blocks[1].path == ("Handbook",)


def test_tables_keep_their_header_and_the_columns_of_merged_cells() -> None:
    def cell(words: str, attributes: str = "") -> str:
        return f"<table:table-cell {attributes}><text:p>{words}</text:p></table:table-cell>"

    rows = (
        f"<table:table-header-rows><table:table-row>{cell('Region')}{cell('Town')}</table:table-row>"
        "</table:table-header-rows><table:table-row>"
        + cell("North", 'table:number-rows-spanned="2"')
        + f"{cell('Oslo')}</table:table-row>"
        "<table:table-row><table:covered-table-cell><text:p>hidden</text:p></table:covered-table-cell>"
        f"{cell('Bergen')}</table:table-row>"
    )
    loaded = text(f"<table:table>{rows}</table:table>")

    assert [block.text for block in loaded.blocks] == ["Region | Town", "North | Oslo", "North | Bergen"]
    assert loaded.blocks[-1].header == "Region | Town"


def test_a_footnote_comes_after_its_paragraph() -> None:
    body = "<text:note-body><text:p>See the annex.</text:p></text:note-body>"
    note = f"<text:note><text:note-citation>1</text:note-citation>{body}</text:note>"
    loaded = text(f"<text:p>Refunds{note} take five days.</text:p><text:p>Next</text:p>")

    assert [block.text for block in loaded.blocks] == ["Refunds take five days.", "See the annex.", "Next"]


def test_comments_deleted_text_and_tables_of_contents_are_left_out() -> None:
    loaded = text(
        "<text:tracked-changes><text:p>deleted</text:p></text:tracked-changes>"
        "<text:table-of-content><text:p>Terms 1</text:p></text:table-of-content>"
        "<text:p>Kept<office:annotation><text:p>comment</text:p></office:annotation> text</text:p>"
    )

    assert [block.text for block in loaded.blocks] == ["Kept text"]


def test_each_slide_is_a_page_with_its_title_as_section() -> None:
    notes = (
        f"<presentation:notes>{frame('Say hello.', 'notes')}{frame('7', 'page-number')}</presentation:notes>"
    )
    loaded = slides(
        frame("Welcome", "title") + frame("For all") + notes, frame("2", "page-number"), frame("Last")
    )

    assert (loaded.pages, loaded.blank_pages) == (3, 1)
    assert {block.unit for block in loaded.blocks} == {Unit.SLIDE}
    assert [(piece.place.described(), piece.text) for piece in chunk(loaded)] == [
        ("slide 1, Welcome", "Welcome\n\nFor all"),
        ("slide 1, Welcome > Notes", "Say hello."),
        ("slide 3", "Last"),
    ]


def test_a_drawing_has_pages() -> None:
    loaded = load(odf("drawing", f"<draw:page>{frame('Floor plan')}</draw:page>"), "plan.odg")

    assert [piece.place.described() for piece in chunk(loaded)] == ["page 1"]


def test_too_many_slides_are_refused() -> None:
    with pytest.raises(IngestError) as caught:
        load(odf("presentation", "<draw:page/><draw:page/>"), "a.odp", max_pages=1)

    assert caught.value.reason is IngestReason.TOO_MANY_PAGES


def test_a_document_with_a_password_is_refused() -> None:
    data = odf("text", "<text:p>x</text:p>", manifest="<file-entry><encryption-data/></file-entry>")
    with pytest.raises(IngestError) as caught:
        load(data, "a.odt")

    assert caught.value.reason is IngestReason.ENCRYPTED


@pytest.mark.parametrize("content", ["", "<broken", "<x/>"])
def test_a_damaged_document_is_refused(content: str) -> None:
    with pytest.raises(IngestError) as caught:
        load(
            archive({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content}), "a.odt"
        )

    assert caught.value.reason in (IngestReason.CORRUPT, IngestReason.NO_TEXT)
