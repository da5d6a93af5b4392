from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.ingestion.blocks import Block, Kind
from pipeline.ingestion.loaders import load
from pipeline.ingestion.loaders.nesting import shallow
from pipeline.ingestion.loaders.webpage import walk

PAGE = """\
<!doctype html><html><head><title>Shop</title><style>p{}</style></head><body>
<nav><a href="/">Home</a></nav>
<h1>Delivery</h1><p>We ship <b>every</b>where<br>in time.</p>
<script>track()</script><p hidden>secret</p><div style="display: none">ghost</div>
<h2>Costs<span> now</span></h2>
<ul><li>one<ul><li>inner</li></ul></li><li><p>two</p></li></ul>
<ol><li>first</li><li>second</li></ol>
<table><caption>Rates</caption><tr><th>Zone</th><th>Price</th></tr>
<tr><td>A</td><td>1 &euro;</td></tr></table>
<pre>line 1
  line 2</pre>
<form><button>Buy</button></form>loose text
</body></html>
"""


def summary(blocks: list[Block]) -> list[tuple[Kind, str]]:
    return [(block.kind, block.text) for block in blocks]


def test_a_page_becomes_what_a_reader_sees() -> None:
    assert summary(walk(PAGE)) == [
        (Kind.HEADING, "Shop"),
        (Kind.HEADING, "Delivery"),
        (Kind.TEXT, "We ship everywhere\nin time."),
        (Kind.HEADING, "Costs now"),
        (Kind.ITEM, "- one"),
        (Kind.ITEM, "  - inner"),
        (Kind.ITEM, "- two"),
        (Kind.ITEM, "1. first"),
        (Kind.ITEM, "2. second"),
        (Kind.TEXT, "Rates"),
        (Kind.TABLE, "Zone | Price"),
        (Kind.TABLE, "A | 1 €"),
        (Kind.CODE, "line 1\n  line 2"),
        (Kind.TEXT, "loose text"),
    ]


def test_headings_give_the_path_below_the_pages_title() -> None:
    assert walk(PAGE)[-1].path == ("Shop", "Delivery", "Costs now")


def test_rows_of_a_table_carry_its_first_row() -> None:
    (row,) = [block for block in walk(PAGE) if block.text == "A | 1 €"]

    assert row.header == "Zone | Price"


def test_an_empty_main_heading_does_not_hide_the_title() -> None:
    assert walk("<title>Shop</title><h1></h1><p>Text</p>")[-1].path == ("Shop",)


def test_a_title_that_repeats_the_main_heading_is_left_out() -> None:
    blocks = walk("<title>Delivery - Shop</title><h1>Delivery</h1><p>Text</p>")

    assert blocks[-1].path == ("Delivery",)


def test_a_table_that_lays_out_a_page_is_read_as_the_page() -> None:
    blocks = walk(
        "<table><tr><td><h1>News</h1><p>Text</p></td><td><table><tr><td>a<td>b</table></td></tr></table>"
    )

    assert summary(blocks) == [(Kind.HEADING, "News"), (Kind.TEXT, "Text"), (Kind.TABLE, "a | b")]


@pytest.mark.parametrize("encoding", ["cp1252", "utf-8", "utf-16"])
def test_the_declared_charset_is_used(encoding: str) -> None:
    page = f"<html><meta charset='{'iso-8859-1' if encoding == 'cp1252' else encoding}'><p>Größe</p></html>"

    assert load(page.encode(encoding), "a.html").blocks[0].text == "Größe"


def test_pages_nest_deeper_than_pythons_stack() -> None:
    assert walk("<div>" * 5_000 + "deep")[0].text == "deep"


@pytest.mark.parametrize("tag", ["b", "div", "table><tr><td", "ul><li", "section"])
def test_what_is_nested_too_deep_is_read_without_its_tags(tag: str) -> None:
    name = tag.partition(">")[0]
    page = f"<p>before</p>{f'<{tag}>' * 5_000}one{f'</{name}>' * 5_000}<h1>Two</h1><p>after</p>"

    blocks = walk(page, laid_out=True)
    texts = [block.text.lstrip("- ") for block in blocks]
    assert [texts[0], texts[-2], texts[-1]] == ["before", "Two", "after"]
    assert sum("one" in text for text in texts) == 1
    assert blocks[-1].path == ("Two",)


def test_text_that_is_nested_too_deep_keeps_its_words_apart() -> None:
    page = "<div>" * 300 + "one<div>two</div>three <b>fo</b>ur" + "</div>" * 300

    assert [block.text for block in walk(page)] == ["one\ntwo\nthree four"]


@pytest.mark.parametrize(
    "page",
    [
        "<p>" * 3_000 + "<ul>" + "<li>entry" * 3_000 + "</ul>",
        "<table>" + "<tr><td>cell<td>cell" * 3_000 + "</table>",
        "<br>" * 3_000 + "<img src=x>" * 3_000,
        "<script>'" + "<div>" * 3_000 + "'</script><div>text</div>",
        "<!--" + "<div>" * 3_000 + "--><div>text</div>",
        "<style>" + "<div>" * 3_000,
        "<div><p>text</div>" * 3_000,
    ],
)
def test_pages_whose_elements_only_follow_each_other_stay_as_they_are(page: str) -> None:
    assert shallow(page) == page


@given(
    st.lists(st.sampled_from(["<div>", "</div>", "<b>", "</b>", "<p>", "x ", "<!--", "-->", "<h2>", "</h2>"]))
)
@settings(max_examples=60, deadline=None)
def test_pages_of_whatever_tags_keep_all_of_their_text(parts: list[str]) -> None:
    page = "".join(parts * 200)
    words = re.sub(r"<!--.*?(?:-->|\Z)", "", page, flags=re.DOTALL).count("x ")

    assert sum(block.text.count("x") for block in walk(page)) == words


def test_cells_that_span_rows_or_columns_keep_the_columns_apart() -> None:
    blocks = walk(
        "<table><tr><th>Region<th>Town<th>Shops<tr><td rowspan=2>North<td>Oslo<td>4<tr><td>Bergen<td>2"
        "<tr><td colspan=2>All<td>6<tr><td rowspan=0 colspan=x>South<td>Rome<td>1</table>"
    )

    assert [block.text for block in blocks] == [
        "Region | Town | Shops",
        "North | Oslo | 4",
        "North | Bergen | 2",
        "All |  | 6",
        "South | Rome | 1",
    ]


def test_a_cell_that_claims_to_span_the_world_does_not() -> None:
    blocks = walk("<table><tr><td rowspan=99999 colspan=99999>a<td>b</tr><tr><td>c</table>")

    assert max(len(block.text) for block in blocks) < 400


def test_an_entry_that_is_a_heading_does_not_mark_the_text_after_its_list() -> None:
    blocks = walk("<ul><li><h3>Costs</h3></li></ul><p>Free.</p>")

    assert summary(blocks) == [(Kind.HEADING, "Costs"), (Kind.TEXT, "Free.")]


def test_a_title_that_is_closed_at_once_does_not_swallow_an_xhtml_page() -> None:
    page = b'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body><p>Hi<br/>you</p></body></html>'

    assert [block.text for block in load(page, "a.xhtml").blocks] == ["Hi\nyou"]


def test_instructions_for_programs_are_left_out() -> None:
    page = b"<html><body><p>Before<?xml:namespace prefix = o ?> and <?php echo 1 ?>after</p></body>"

    loaded = load(page, "a.html")

    assert [block.text for block in loaded.blocks] == ["Before and after"]
