from __future__ import annotations

import pytest

from pipeline.domain import Unit
from pipeline.ingestion.blocks import Block, Kind
from pipeline.ingestion.loaders import load


def rows(text: str, name: str = "table.csv") -> list[Block]:
    return list(load(text.encode(), name).blocks)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter: str) -> None:
    text = "\n".join(delimiter.join(row) for row in [("name", "sum"), ("Ann, Bob", "1.5"), ("Cleo", "2")])
    text = text.replace("Ann, Bob", '"Ann, Bob"') if delimiter == "," else text

    assert [block.text for block in rows(text)] == ["name | sum", "Ann, Bob | 1.5", "Cleo | 2"]


def test_rows_carry_the_header_and_their_number_as_a_spreadsheet_counts() -> None:
    blocks = rows('id,note\r\n1,"two\r\nlines"\r\n\r\n2,short\r\n')

    assert [(block.text, block.lines, block.header) for block in blocks] == [
        ("id | note", (1, 1), ""),
        ("1 | two lines", (2, 2), "id | note"),
        ("2 | short", (4, 4), "id | note"),
    ]
    assert {(block.kind, block.unit) for block in blocks} == {(Kind.TABLE, Unit.ROW)}


def test_a_line_that_declares_the_delimiter_is_obeyed_and_no_row() -> None:
    blocks = rows("sep=;\nname;sum\nAnn, Bob;1,5\n")

    assert [(block.text, block.lines) for block in blocks] == [
        ("name | sum", (2, 2)),
        ("Ann, Bob | 1,5", (3, 3)),
    ]


def test_a_header_too_long_to_repeat_names_every_cell_instead() -> None:
    names = [f"a rather long name of column {index}" for index in range(20)]
    values = [f"v{index}" for index in range(20)]

    header, row = rows(",".join(names) + "\n" + ",".join(values) + "\n")

    assert header.text == " | ".join(names)
    assert row.header == ""
    assert row.text.startswith("a rather long name of column 0: v0 | ")


def test_long_names_of_columns_do_not_multiply_the_size_of_a_file() -> None:
    names = [f"{number} {'word ' * 400}end{number}" for number in range(20)]
    text = ",".join(names) + "\n" + ("," * 18 + "x,y\n") * 50

    _, *below = rows(text)
    assert all(len(block.text) < 20 * 130 for block in below)
    assert below[0].text.startswith("18 word word")
    assert "word end18: x | 19 word" in below[0].text


def test_very_many_columns_keep_names_that_can_be_told_apart() -> None:
    names = [f"a rather long name of column {number}" for number in range(1_000)]
    text = ",".join(names) + "\n" + ",".join(str(number) for number in range(1_000)) + "\n"

    _, row = rows(text)
    assert len(row.text) < 30_000
    assert "a rather l…olumn 967: 967 | a rather l…olumn 968: 968" in row.text


def test_a_quotation_mark_that_is_never_closed_does_not_swallow_the_file() -> None:
    text = 'name,size\n"broken,1\n' + "fine,2\n" * 30_000

    assert len(rows(text)) == 30_002
