from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest

from pipeline.domain import IngestReason, Unit
from pipeline.errors import IngestError
from pipeline.ingestion.blocks import Kind, Loaded
from pipeline.ingestion.chunker import chunk
from pipeline.ingestion.loaders import load, workbook
from tests.fakes.compound import xls
from tests.fakes.documents import archive
from tests.fakes.office import odf, xlsx

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xlsxwriter import Workbook

DAY = datetime(2026, 3, 4, tzinfo=UTC).replace(tzinfo=None)
"""Sheets know no time zones."""


def sheet(book: Workbook, name: str, rows: Sequence[Sequence[Any]], first: int = 0) -> Any:
    made = book.add_worksheet(name)
    for number, row in enumerate(rows, start=first):
        made.write_row(number, 0, row)
    return made


def read(*sheets: tuple[str, Sequence[Sequence[Any]]]) -> Loaded:
    def write(book: Workbook) -> None:
        for name, rows in sheets:
            sheet(book, name, rows)

    return load(xlsx(write), "book.xlsx")


def lines(loaded: Loaded) -> list[str]:
    return [block.text for block in loaded.blocks]


def test_each_piece_knows_its_sheet_and_rows() -> None:
    loaded = read(("Prices", [["Item", "Cost"], ["Tea", 2.5], ["Bread", 3]]), ("Shops", [["Town"], ["Rome"]]))

    assert loaded.pages == 2
    assert [(piece.place.described(), piece.text) for piece in chunk(loaded)] == [
        ("sheet Prices, rows 1–3", "Prices\nItem | Cost\nTea | 2.5\nBread | 3"),
        ("sheet Shops, rows 1–2", "Shops\nTown\nRome"),
    ]
    assert {block.unit for block in loaded.blocks} == {Unit.SHEET}


def test_every_piece_of_a_long_sheet_repeats_the_header_and_has_its_own_rows() -> None:
    rows = [[f"Item number {number}", number] for number in range(2, 202)]
    pieces = chunk(read(("Stock", [["Name", "Count"], *rows])))

    assert len(pieces) > 3
    assert all("Name | Count" in piece.text for piece in pieces)
    for piece in pieces:
        assert piece.place.lines is not None
        first, last = piece.place.lines
        assert f"Item number {last} | {last}" in piece.text
        assert f"Item number {last + 1} |" not in piece.text
        assert first == 1 or f"Item number {first} | {first}" in piece.text


def test_rows_are_numbered_as_in_the_sheet_and_empty_columns_are_left_out() -> None:
    def write(book: Workbook) -> None:
        made = book.add_worksheet("A")
        made.write_row(4, 2, ["Name", "", "Size"])
        made.write_row(9, 2, ["Box", "", 3])

    loaded = load(xlsx(write), "book.xlsx")

    assert [(block.text, block.lines) for block in loaded.blocks[1:]] == [
        ("Name | Size", (5, 5)),
        ("Box | 3", (10, 10)),
    ]


def test_lines_above_a_table_are_not_its_header() -> None:
    loaded = read(("A", [["Prices of 2026"], [], ["Item", "Cost"], ["Tea", 1]]))

    assert [(block.kind, block.text, block.header) for block in loaded.blocks[1:]] == [
        (Kind.TEXT, "Prices of 2026", ""),
        (Kind.TABLE, "Item | Cost", ""),
        (Kind.TABLE, "Tea | 1", "Item | Cost"),
    ]


def test_values_are_written_as_a_reader_would() -> None:
    def write(book: Workbook) -> None:
        made = book.add_worksheet("A")
        made.write_row(0, 0, [1234567.0, 0.1 + 0.2, True])
        made.write_formula(1, 0, "=6*7", None, 42)
        made.write_datetime(1, 1, DAY, book.add_format({"num_format": "dd.mm.yyyy"}))
        made.write_datetime(
            1, 2, DAY.replace(hour=15, minute=30), book.add_format({"num_format": "d/m/yy hh:mm"})
        )

    assert lines(load(xlsx(write), "book.xlsx"))[1:] == [
        "1234567 | 0.3 | TRUE",
        "42 | 2026-03-04 | 2026-03-04 15:30:00",
    ]


def test_what_is_merged_over_rows_is_said_in_each_of_them() -> None:
    def write(book: Workbook) -> None:
        made = sheet(book, "A", [["Region", "Town"], ["", "Oslo"], ["", "Bergen"], ["", "Rome"]])
        made.merge_range(1, 0, 2, 0, "North")

    assert lines(load(xlsx(write), "book.xlsx"))[1:] == [
        "Region | Town",
        "North | Oslo",
        "North | Bergen",
        " | Rome",
    ]


def test_hidden_sheets_charts_and_empty_sheets_are_left_out() -> None:
    def write(book: Workbook) -> None:
        sheet(book, "Seen", [["Name"], ["Tea"]])
        sheet(book, "Hidden", [["Secret"]]).hide()
        sheet(book, "Very", [["Secret"]]).very_hidden()
        book.add_worksheet("Empty")
        chart = book.add_chart({"type": "bar"})
        chart.add_series({"values": "=Seen!$A$2:$A$2"})
        book.add_chartsheet("Chart").set_chart(chart)

    loaded = load(xlsx(write), "book.xlsx")

    assert {block.path for block in loaded.blocks} == {("Seen",)}
    assert "Secret" not in "".join(lines(loaded))


def test_a_wide_sheet_names_the_column_of_each_value() -> None:
    names = [f"Measurement {number}" for number in range(300)]
    loaded = read(("Wide", [names, [number if number % 100 == 7 else "" for number in range(300)]]))

    assert loaded.blocks[-1].text == "Measurement 7: 7 | Measurement 107: 107 | Measurement 207: 207"


def test_a_sheet_that_holds_more_than_a_document_may_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook, "MAX_CHARS", 100)
    with pytest.raises(IngestError) as caught:
        read(("A", [["x" * 60], ["y" * 60]]))

    assert caught.value.reason is IngestReason.TOO_LARGE


def test_workbooks_of_before_2007_are_read() -> None:
    loaded = load(xls({"Prices": [["Item", "Cost"], ["Tea", 2.5]]}), "old.xls")

    assert lines(loaded) == ["Prices", "Item | Cost", "Tea | 2.5"]
    assert loaded.blocks[-1].lines == (2, 2)


def test_workbooks_of_opendocument_are_read() -> None:
    cell = '<table:table-cell office:value-type="string"><text:p>{}</text:p></table:table-cell>'
    rows = "".join(f"<table:table-row>{cell.format(name)}</table:table-row>" for name in ("Name", "Tea"))
    rows += '<table:table-row table:number-rows-repeated="1048574"><table:table-cell/></table:table-row>'
    loaded = load(odf("spreadsheet", f'<table:table table:name="Stock">{rows}</table:table>'), "stock.ods")

    assert [(block.text, block.lines, block.path) for block in loaded.blocks] == [
        ("Stock", (1, 1), ("Stock",)),
        ("Name", (1, 1), ("Stock",)),
        ("Tea", (2, 2), ("Stock",)),
    ]


@pytest.mark.parametrize(
    "data",
    [
        archive({"xl/workbook.xml": "<broken"}),
        archive({"[Content_Types].xml": "", "xl/other": "x"}),
        xls({"A": [["b"]]})[:2100],
    ],
)
def test_a_damaged_workbook_is_refused(data: bytes) -> None:
    with pytest.raises(IngestError) as caught:
        load(data, "book")

    assert caught.value.reason is IngestReason.CORRUPT


def far_apart(*places: tuple[int, int, Any]) -> bytes:
    def write(book: Workbook) -> None:
        made = book.add_worksheet("A")
        for row, column, value in places:
            made.write(row, column, value)

    return xlsx(write)


def test_two_cells_in_opposite_corners_are_read_with_their_own_rows() -> None:
    loaded = load(far_apart((0, 0, "first"), (1, 700, 2.5), (1_048_575, 16_383, "last")), "far.xlsx")

    assert [(block.text, block.lines) for block in loaded.blocks] == [
        ("A", (1, 1)),
        ("first", (1, 1)),
        ("2.5", (2, 2)),
        ("last", (1_048_576, 1_048_576)),
    ]


def test_what_is_merged_in_a_sheet_that_is_drawn_together_is_said_in_each_of_its_rows() -> None:
    def write(book: Workbook) -> None:
        made = book.add_worksheet("A")
        for row, cells in enumerate([("Town", "Shop"), ("", "North"), ("", "South")]):
            made.write_row(row, 7, cells)
        made.merge_range("H2:H3", "Rome")
        made.write(1_048_575, 16_383, "far")

    texts = lines(load(xlsx(write), "book.xlsx"))

    assert [text.strip(" |") for text in texts] == ["A", "Town | Shop", "Rome | North", "Rome | South", "far"]


def test_cells_that_are_too_far_apart_for_any_reading_are_refused_with_the_reason() -> None:
    diagonal = far_apart(*((1_000 * step, 10 * step, step) for step in range(1, 40)), (1_048_575, 16_383, 1))

    with pytest.raises(IngestError, match="too far apart") as error:
        load(diagonal, "diagonal.xlsx")

    assert error.value.reason is IngestReason.TOO_LARGE
