from __future__ import annotations

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders import load
from tests.fakes.documents import pdf


def reason_for(data: bytes, *, max_pages: int = 100) -> IngestReason:
    with pytest.raises(IngestError) as caught:
        load(data, "paper.pdf", max_pages=max_pages)
    return caught.value.reason


def test_pages_are_counted_from_one() -> None:
    loaded = load(pdf(["Alpha on the first page", "Beta on the second"]), "paper.pdf")

    assert loaded.pages == 2
    assert [(block.page, block.text) for block in loaded.blocks] == [
        (1, "Alpha on the first page"),
        (2, "Beta on the second"),
    ]


def test_a_page_without_text_among_others_is_counted_and_left_out() -> None:
    loaded = load(pdf(["Alpha", "", "Gamma"]), "paper.pdf")

    assert (loaded.pages, loaded.blank_pages) == (3, 1)
    assert [block.page for block in loaded.blocks] == [1, 3]


def test_lines_of_a_paragraph_are_joined_and_those_of_a_table_are_not() -> None:
    text = (
        "Refunds are paid to the account that was charged within five\n"
        "working days after the goods have come back to us.\n"
        "Plan 12 34 56 78 90 12 34 56 78 90 12 34 56 78 90 12 34\n"
        "Team 21 43 65 87 09 21 43 65 87 09 21 43 65 87 09 21 43"
    )

    (block,) = load(pdf([text]), "paper.pdf").blocks

    assert "within five working days" in block.text
    assert block.text.count("\n") == 2


def test_an_outline_gives_the_sections_and_cuts_the_page_where_one_begins() -> None:
    pages = [
        "Preface\nBefore all else.\nOne\nThe first part.",
        "Still the first part.",
        "Two\nThe second part.",
    ]

    loaded = load(pdf(pages, outline=[("Preface", 1), ("One", 1), ("Two", 3)]), "paper.pdf")

    assert [(block.page, block.path) for block in loaded.blocks] == [
        (1, ("Preface",)),
        (1, ("One",)),
        (2, ("One",)),
        (3, ("Two",)),
    ]


def test_pictures_of_pages_are_refused_as_having_no_text() -> None:
    assert reason_for(pdf(["", ""])) is IngestReason.NO_TEXT


def test_a_scanning_apps_stamp_is_no_text() -> None:
    assert reason_for(pdf(["Scanned with Pocket 1", "Scanned with Pocket 2"])) is IngestReason.NO_TEXT


def test_a_document_that_asks_for_a_password_is_refused() -> None:
    assert reason_for(pdf(["Secret"], password="hunter2")) is IngestReason.ENCRYPTED


def test_a_document_with_an_empty_password_opens() -> None:
    loaded = load(pdf(["Readable by everybody"], password=""), "paper.pdf")

    assert [block.text for block in loaded.blocks] == ["Readable by everybody"]


def test_too_many_pages_are_refused_with_both_numbers() -> None:
    with pytest.raises(IngestError, match="3 pages; at most 2") as caught:
        load(pdf(["a", "b", "c"]), "paper.pdf", max_pages=2)

    assert caught.value.reason is IngestReason.TOO_MANY_PAGES


def test_a_damaged_document_is_refused() -> None:
    assert reason_for(b"%PDF-1.7\nnothing of the kind") is IngestReason.CORRUPT
