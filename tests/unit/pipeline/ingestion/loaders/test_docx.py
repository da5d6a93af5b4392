from __future__ import annotations

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
