from __future__ import annotations

from pipeline.ingestion.blocks import Kind
from pipeline.ingestion.loaders import load

README = """\
=====
Title
=====

First paragraph
of two lines.

Part
----
Text at once.

* * *

a  | b
---|---
"""


def test_paragraphs_know_their_lines_and_underlined_headings_give_the_path() -> None:
    loaded = load(README.encode(), "readme.rst")

    assert [(block.kind, block.lines, block.path) for block in loaded.blocks] == [
        (Kind.HEADING, (2, 3), ("Title",)),
        (Kind.TEXT, (5, 6), ("Title",)),
        (Kind.HEADING, (8, 9), ("Title", "Part")),
        (Kind.TEXT, (10, 10), ("Title", "Part")),
        (Kind.TEXT, (12, 12), ("Title", "Part")),
        (Kind.TEXT, (14, 15), ("Title", "Part")),
    ]


def test_invisible_characters_are_taken_out() -> None:
    (block,) = load("\ufeffuser\u200bfriend\u00adly\x07 \x1b[1;31mtext\x1b[0m".encode(), "a.txt").blocks

    assert block.text == "userfriendly text"
