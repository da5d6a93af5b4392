from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from pipeline.domain import IngestReason
from pipeline.errors import IngestError
from pipeline.ingestion.loaders import load
from pipeline.ingestion.loaders.pdf import NOT_INSTALLED, SWITCHED_OFF
from tests.fakes.documents import pdf
from tests.fakes.scans import assembled, scan

LOST_ROOT = pdf(["Refunds take five days"]).partition(b"trailer")[0]
"""Where nothing says which object is the document."""


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


def test_pictures_of_pages_are_refused_with_what_to_do_about_it() -> None:
    with pytest.raises(IngestError) as caught:
        load(scan(["Refunds take five days."]), "paper.pdf")

    assert caught.value.reason is IngestReason.NO_TEXT
    assert str(caught.value) == SWITCHED_OFF


def test_text_recognition_that_is_not_installed_is_named_where_nothing_else_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", None)

    with pytest.raises(IngestError) as caught:
        load(scan(["Refunds take five days."]), "paper.pdf", recognize=5)
    mixed = load(scan(["Refunds take five days."], typed=["Typed."]), "paper.pdf", recognize=5)

    assert str(caught.value) == NOT_INSTALLED
    assert ([block.text for block in mixed.blocks], mixed.blank_pages) == (["Typed."], 1)


def test_only_as_many_pages_are_recognised_as_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rapidocr", Recognition("Refunds", "take five days."))

    loaded = load(scan(["One", "Two", "Three"], typed=["Typed.", ""]), "paper.pdf", recognize=2)

    assert [(block.page, block.text) for block in loaded.blocks] == [
        (1, "Typed."),
        (3, "Refunds\ntake five days."),
        (4, "Refunds\ntake five days."),
    ]
    assert (loaded.pages, loaded.blank_pages) == (5, 2)


class Recognition(ModuleType):
    """Stands for the recogniser's module; sees the same lines on every picture, and one that is a guess."""

    def __init__(self, *lines: str) -> None:
        super().__init__("rapidocr")
        self.RapidOCR = lambda params: self.read
        self.lines = lines

    def read(self, picture: Any) -> SimpleNamespace:
        assert max(picture.shape) <= 2_000
        return SimpleNamespace(txts=(*self.lines, "l1Il"), scores=(*(0.9 for _ in self.lines), 0.2))


def test_a_document_whose_table_of_objects_is_not_where_it_says_is_read_all_the_same() -> None:
    lost = pdf(["Refunds take five days"]).replace(b"startxref\n", b"startxref\n9")

    assert [block.text for block in load(lost, "paper.pdf").blocks] == ["Refunds take five days"]


def test_what_pdfium_refuses_is_rebuilt_if_it_can_be() -> None:
    pytest.importorskip("pikepdf")

    assert [block.text for block in load(LOST_ROOT, "paper.pdf").blocks] == ["Refunds take five days"]


def test_without_the_extra_it_stays_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pikepdf", None)

    assert reason_for(LOST_ROOT) is IngestReason.CORRUPT


def test_a_turned_page_is_read_in_its_direction() -> None:
    drawing = b"BT /F1 11 Tf 0 1 -1 0 300 100 Tm (Refunds take) Tj 0 -14 Td (five days) Tj ET"
    font = b"<</Font<</F1<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>"
    turned = assembled(
        [
            b"<</Type/Catalog/Pages 2 0 R>>",
            b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
            b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Rotate 90/Resources%s/Contents 4 0 R>>" % font,
            b"<</Length %d>>stream\n%s\nendstream" % (len(drawing), drawing),
        ]
    )

    assert [block.text for block in load(turned, "paper.pdf").blocks] == ["Refunds take\nfive days"]


def test_a_page_that_the_document_calls_otherwise_is_called_so() -> None:
    labels = "0<</S/r>>2<</S/D>>3<</S/D/P(A-)/St 7>>"

    loaded = load(pdf(["preface", "thanks", "one", "annex"], labels=labels), "paper.pdf")

    assert [(block.page, block.page_label) for block in loaded.blocks] == [
        (1, "i"),
        (2, "ii"),
        (3, "1"),
        (4, "A-7"),
    ]


def test_a_page_that_is_called_by_its_number_or_by_what_is_no_number_has_no_label() -> None:
    labels = f"0<</S/D>>1<</P({'x' * 40})>>2<</P([x]\\(http://e.example\\))>>3<</P(a\\n# H)>>4<</P(<@U1>)>>"

    loaded = load(pdf(["one", "two", "three", "four", "five"], labels=labels), "paper.pdf")

    assert [block.page_label for block in loaded.blocks] == [None] * 5


def test_an_outline_with_thousands_of_entries_for_one_page_is_cut_short() -> None:
    page = "\n".join(f"Part {number}" for number in range(300))

    loaded = load(pdf([page], outline=[(f"Part {number}", 1) for number in range(300)]), "paper.pdf")

    assert len(loaded.blocks) == 50


def test_a_damaged_document_is_refused() -> None:
    assert reason_for(b"%PDF-1.7\nnothing of the kind") is IngestReason.CORRUPT


def boxed(entries: str, line: int = 0) -> str:
    """Entries of a field that stands right of the *line* of a page's text, from 0."""
    top = 750 - 14 * line
    return f"{entries}/Rect[200 {top - 14} 400 {top}]"


def form(*fields: str, text: str = "Application") -> list[str]:
    data = pdf([text], fields=[(1, entries) for entries in fields])
    return "\n".join(block.text for block in load(data, "form.pdf").blocks).split("\n")[
        text.count("\n") + 1 :
    ]


def test_what_was_filled_into_a_form_is_read_under_the_names_of_its_fields() -> None:
    assert form(
        boxed("/FT/Tx/T(name)/TU(Full name)/V(Ann Example)", 20),
        boxed("/FT/Tx/T(Town)/V(Rome)", 21),
        boxed("/FT/Ch/T(Country)/Ff 131072/Opt[(Italy)(Spain)]/V(Spain)", 22),
        boxed("/FT/Ch/T(Days)/Ff 2097152/Opt[[(1)(Monday)][(2)(Friday)][(3)(Sunday)]]/V[(1)(2)]", 23),
    ) == ["Full name: Ann Example", "Town: Rome", "Country: Spain", "Days: Monday, Friday"]


def test_a_box_is_read_with_whether_it_was_ticked() -> None:
    assert form(
        boxed("/FT/Btn/T(Vegetarian)/V/Yes/AS/Yes", 20),
        boxed("/FT/Btn/T(Smoker)/V/Off/AS/Off", 21),
        "/FT/Btn/T(a1)/V/Yes/AS/Yes/Rect[30 738 45 750]",
    ) == ["[x] Vegetarian", "[ ] Smoker", "[x] Application"]


def test_a_field_without_a_name_for_people_is_called_what_stands_beside_it() -> None:
    text = "Name:\nDate of birth: ____"

    assert form(boxed("/FT/Tx/T(f1)/V(Ann)", 0), boxed("/FT/Tx/T(f2)/V(1990)", 1), text=text) == [
        "Name: Ann",
        "Date of birth: 1990",
    ]


def test_fields_are_left_out_that_say_nothing_or_hide_what_they_say() -> None:
    assert (
        form(
            boxed("/FT/Tx/T(Empty)"),
            boxed("/FT/Tx/T(Key)/V(hunter2)/Ff 8192"),
            boxed("/FT/Btn/T(Send)/Ff 65536"),
            boxed("/FT/Sig/T(Sign)"),
            boxed("/FT/Tx/T(Long)/V(" + "long " * 20_000 + ")"),
        )
        == []
    )


def test_what_is_filled_in_stands_on_its_page() -> None:
    data = pdf(["First", ""], fields=[(2, boxed("/FT/Tx/T(Town)/V(Rome)"))])
    loaded = load(data, "form.pdf")

    assert [(block.text, block.page) for block in loaded.blocks] == [("First", 1), ("Town: Rome", 2)]
    assert loaded.blank_pages == 0


def test_a_document_whose_pages_hold_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pipeline.ingestion.loaders.pdf.MAX_CHARS", 20)

    assert reason_for(pdf(["Ten letters", "Ten letters"])) is IngestReason.TOO_LARGE
