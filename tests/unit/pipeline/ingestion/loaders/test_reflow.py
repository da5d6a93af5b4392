from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.ingestion.loaders.reflow import reflow


@pytest.mark.parametrize(
    ("lines", "text"),
    [
        ("adip\ufffe\r\niscing elit", "adipiscing elit"),
        ("adip\ufffeiscing elit", "adipiscing elit"),
        ("the Lucene\ufffe\nBM25 system", "the Lucene-BM25 system"),
        (
            "a line that was set to the full width of\nthe column goes on here.",
            "a line that was set to the full width of the column goes on here.",
        ),
        (
            "A sentence that ends where the line ends.\nAnother one begins here.",
            "A sentence that ends where the line ends.\nAnother one begins here.",
        ),
        ("Short heading\nand text", "Short heading\nand text"),
        (
            "漢字が並んでいる行は空白なしで続けて読むべきで\nある。",
            "漢字が並んでいる行は空白なしで続けて読むべきである。",
        ),
        ("Alabama 18,870 23,022 22,650 859\nAlaska 222 2,300 2,222 199", None),
    ],
)
def test_running_text_is_restored_and_tables_are_left_alone(lines: str, text: str | None) -> None:
    assert reflow(lines) == (lines if text is None else text)


@given(st.text())
def test_nothing_but_white_space_and_hyphens_is_lost(text: str) -> None:
    def letters(value: str) -> str:
        return "".join(character for character in value if character.isalnum())

    assert letters(reflow(text)) == letters(text)
