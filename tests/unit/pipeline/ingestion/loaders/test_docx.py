from __future__ import annotations

import io
import zipfile

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Kind
from pipeline.ingestion.loaders import load
from tests.fakes.documents import archive, docx


def test_headings_paragraphs_and_tables_are_read() -> None:
    data = docx(
        ("Heading1", "Terms"),
        ("", "Payment is due <at once>."),
        ("Heading2", "Rates"),
        [["Zone", "Price"], ["A", "5"]],
    )

    loaded = load(data, "terms.docx")

    assert loaded.pages is None
    assert [(block.kind, block.text, block.path) for block in loaded.blocks] == [
        (Kind.HEADING, "Terms", ("Terms",)),
        (Kind.TEXT, "Payment is due <at once>.", ("Terms",)),
        (Kind.HEADING, "Rates", ("Terms", "Rates")),
        (Kind.TABLE, "Zone | Price", ("Terms", "Rates")),
        (Kind.TABLE, "A | 5", ("Terms", "Rates")),
    ]
    assert loaded.blocks[-1].header == "Zone | Price"


@pytest.mark.parametrize("document", ["<broken", "", "<w:document/>", "<x/>"])
def test_a_damaged_document_is_refused(document: str) -> None:
    with pytest.raises(IngestError) as caught:
        load(archive({"word/document.xml": document}), "terms.docx")

    assert caught.value.reason in (IngestReason.CORRUPT, IngestReason.NO_TEXT)


def word(body: str, styles: str = "") -> list[tuple[Kind, str, tuple[str, ...]]]:
    data = docx(("", "BODY"))
    with zipfile.ZipFile(io.BytesIO(data)) as opened:
        members: dict[str, str | bytes] = {name: opened.read(name).decode() for name in opened.namelist()}
    document, sheet = str(members["word/document.xml"]), str(members["word/styles.xml"])
    start, end = document.index("<w:p>"), document.index("</w:body>")
    members["word/document.xml"] = document[:start] + body + document[end:]
    members["word/styles.xml"] = sheet.replace("</w:styles>", f"{styles}</w:styles>")
    return [(block.kind, block.text, block.path) for block in load(archive(members), "terms.docx").blocks]


def paragraph(text: str, style: str = "") -> str:
    return f'<w:p><w:pPr><w:pStyle w:val="{style}"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>'


def style(key: str, name: str, inside: str) -> str:
    return f'<w:style w:type="paragraph" w:styleId="{key}"><w:name w:val="{name}"/>{inside}</w:style>'


def test_styles_that_an_author_made_of_headings_are_headings() -> None:
    styles = (
        style("Chapter", "Our chapter", '<w:basedOn w:val="Heading1"/>')
        + style("Part", "Our part", '<w:basedOn w:val="Part2"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr>')
        + style("Part2", "Loop", '<w:basedOn w:val="Part2"/>')
        + style("Body", "Our text", '<w:basedOn w:val="Heading2"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>')
        + style("Odd", "Author's", '<w:basedOn w:val="Heading1"/>')
    )
    found = word(
        paragraph("Terms", "Chapter")
        + paragraph("Rates", "Part")
        + paragraph("Text", "Body")
        + paragraph("Loop", "Part2"),
        styles,
    )

    assert found == [
        (Kind.HEADING, "Terms", ("Terms",)),
        (Kind.HEADING, "Rates", ("Terms", "Rates")),
        (Kind.TEXT, "Text", ("Terms", "Rates")),
        (Kind.TEXT, "Loop", ("Terms", "Rates")),
    ]


def test_a_table_of_contents_is_left_out() -> None:
    toc = style("TOC1", "toc 1", "")

    assert [text for _, text, _ in word(paragraph("Terms 3", "TOC1") + paragraph("Text"), toc)] == ["Text"]


def test_a_table_in_a_table_comes_after_it() -> None:
    inner = f"<w:tbl><w:tr><w:tc>{paragraph('in 1')}</w:tc><w:tc>{paragraph('in 2')}</w:tc></w:tr></w:tbl>"
    cells = f"<w:tc>{paragraph('a')}</w:tc><w:tc>{inner}{paragraph('b')}</w:tc><w:tc>{paragraph('c')}</w:tc>"

    assert [text for _, text, _ in word(f"<w:tbl><w:tr>{cells}</w:tr></w:tbl>")] == [
        "a | b | c",
        "in 1 | in 2",
    ]


def test_cells_that_are_merged_over_rows_and_columns_keep_the_columns_apart() -> None:
    def cell(text: str, merge: str = "") -> str:
        return f"<w:tc><w:tcPr>{merge}</w:tcPr>{paragraph(text)}</w:tc>"

    rows = (
        cell("Region") + cell("Town") + cell("Shops"),
        cell("North", '<w:vMerge w:val="restart"/>') + cell("Oslo") + cell("4"),
        cell("", "<w:vMerge/>") + cell("Bergen") + cell("2"),
        cell("All", '<w:gridSpan w:val="2"/>') + cell("6"),
    )
    table = f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in rows)}</w:tbl>"

    assert [text for _, text, _ in word(table)] == [
        "Region | Town | Shops",
        "North | Oslo | 4",
        "North | Bergen | 2",
        "All |  | 6",
    ]


def test_text_boxes_are_read_once_and_deleted_text_is_not() -> None:
    box = f"<w:txbxContent>{paragraph('In the box')}</w:txbxContent>"
    drawing = (
        '<w:r><mc:AlternateContent xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006">'
        '<mc:Choice Requires="wps"><w:drawing><wps:txbx xmlns:wps='
        f'"http://schemas.microsoft.com/office/word/2010/wordprocessingShape">{box}</wps:txbx></w:drawing></mc:Choice>'
        f'<mc:Fallback><w:pict><v:textbox xmlns:v="urn:schemas-microsoft-com:vml">{box}</v:textbox></w:pict>'
        "</mc:Fallback></mc:AlternateContent></w:r>"
    )
    deleted = "<w:del><w:r><w:delText>gone</w:delText></w:r></w:del>"
    kept = f"<w:p>{deleted}<w:r><w:t>kept</w:t></w:r></w:p>"

    assert [text for _, text, _ in word(f"<w:p>{drawing}</w:p>{kept}")] == ["In the box", "kept"]


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"),
        ("<w:sdt><w:sdtContent>", "</w:sdtContent></w:sdt>"),
        ("<w:p><w:r><w:pict><w:txbxContent>", "</w:txbxContent></w:pict></w:r></w:p>"),
    ],
)
def test_a_document_that_nests_without_end_is_refused_with_that_reason(opening: str, closing: str) -> None:
    with pytest.raises(IngestError, match="nests") as caught:
        word(opening * 1_000 + paragraph("Deep.") + closing * 1_000)

    assert caught.value.reason is IngestReason.TOO_LARGE
