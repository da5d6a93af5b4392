from __future__ import annotations

import pytest

from pipeline.ingestion.blocks import Block, Kind
from pipeline.ingestion.loaders import load
from pipeline.ingestion.loaders.markdown import plain

GUIDE = """\
---
title: Guide
---
# Guide to *Footnote*

Intro over
two lines.

Setext
------

- one
- two
  - nested

```python
# not a heading

x = 1
```

| a | b |
|---|---|
| 1 | 2 |
| 3 | 4 |

## Deep ##
### Deeper
> # quoted

[link]: https://example.org
"""


def blocks(text: str) -> list[Block]:
    return list(load(text.encode(), "guide.md").blocks)


def test_headings_of_both_kinds_give_the_path() -> None:
    headings = [block.path for block in blocks(GUIDE) if block.kind is Kind.HEADING]

    assert headings == [
        ("Guide to Footnote",),
        ("Guide to Footnote", "Setext"),
        ("Guide to Footnote", "Deep"),
        ("Guide to Footnote", "Deep", "Deeper"),
    ]


def test_every_block_is_what_stands_in_its_lines() -> None:
    lines = GUIDE.split("\n")

    for block in blocks(GUIDE):
        assert block.lines is not None
        first, last = block.lines
        assert block.text == "\n".join(lines[first - 1 : last])


def test_a_fence_is_one_block_and_holds_no_headings() -> None:
    (code,) = [block for block in blocks(GUIDE) if block.kind is Kind.CODE]

    assert "# not a heading" in code.text
    assert code.lines == (16, 20)


def test_rows_of_a_table_carry_its_header() -> None:
    header, first, second = (block for block in blocks(GUIDE) if block.kind is Kind.TABLE)

    assert header.text == first.header == second.header == "| a | b |\n|---|---|"
    assert (first.text, first.lines) == ("| 1 | 2 |", (24, 24))


def test_list_entries_keep_what_is_nested_in_them() -> None:
    assert [block.text for block in blocks(GUIDE) if block.kind is Kind.ITEM] == [
        "- one",
        "- two\n  - nested",
    ]


def test_front_matter_and_link_definitions_are_text_to_be_found() -> None:
    texts = [block.text for block in blocks(GUIDE)]

    assert texts[0] == "---\ntitle: Guide\n---"
    assert "[link]: https://example.org" in texts


def test_a_rule_at_the_top_is_no_front_matter() -> None:
    assert blocks("---\n\n# One\n\ntext\n\n---\n")[1].path == ("One",)


@pytest.mark.parametrize(
    ("markup", "text"),
    [
        ("**Bold** and `code_name` ##", "Bold and code_name"),
        ("[Install](https://example.org/x) it", "Install it"),
        ("List<String> of 2 * 3", "List<String> of 2 * 3"),
        ("C\\# <br> basics", "C#  basics"),
    ],
)
def test_a_headings_markup_is_left_out_of_the_path(markup: str, text: str) -> None:
    assert plain(markup) == text


def test_a_very_long_file_is_read_as_plain_text() -> None:
    loaded = load(b"# Title\n\n" + b"word " * 1_000_000, "long.md")

    assert loaded.blocks[0].text == "# Title"
