from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.markup.tables import WIDEST, drawn, told, width

cells = st.text(alphabet="ab漢é ", max_size=8)
grids = st.integers(1, 4).flatmap(
    lambda columns: st.lists(st.lists(cells, min_size=columns, max_size=columns), min_size=1, max_size=5)
)


@pytest.mark.parametrize(
    ("text", "columns"),
    [("abc", 3), ("漢字", 4), ("é", 1), ("e\u0301", 1), ("\u200b", 0), ("ｱ", 1), ("Ａ", 2), ("", 0)],
)
def test_wide_letters_take_two_columns(text: str, columns: int) -> None:
    assert width(text) == columns


def test_a_table_has_even_columns() -> None:
    rows = [["Name", "Days", "城市"], ["Refund", "5", "東京"], ["Exchange", "14", "x"]]

    assert drawn(rows, ["", "right", "center"]).split("\n") == [
        "Name     | Days | 城市",
        "---------+------+-----",
        "Refund   |    5 | 東京",
        "Exchange |   14 |  x",
    ]


@given(grids)
def test_every_column_begins_at_the_same_place(rows: list[list[str]]) -> None:
    head, line, *body = drawn([[f"{cell}." for cell in row] for row in rows], [""] * len(rows[0])).split("\n")
    places = [index for index, character in enumerate(line) if character == "+"]

    for row in [head, *body]:
        seen = [width(row[:index]) for index, character in enumerate(row) if character == "|"]
        assert seen == places


def test_one_long_cell_does_not_make_every_row_long() -> None:
    table = drawn([["a", "b"], ["x" * 500, "y"], ["x", "y"]], ["", ""])

    assert max(map(len, table.split("\n")[::3])) <= WIDEST + len(" | y")


def test_a_table_can_be_told() -> None:
    rows = [["Name", "", "Days"], ["Refund", "paid", "5"], ["Exchange", "", "14"]]

    assert told(rows) == "Name: Refund, paid, Days: 5\nName: Exchange, Days: 14"


def test_a_table_without_rows_is_its_heading() -> None:
    assert told([["Name", "Days"]]) == "Name, Days"
