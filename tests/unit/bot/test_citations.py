from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.chat import WEB
from bot.citations import block, file_name, literal, passages
from pipeline.domain import Unit
from tests.fakes.pipeline import citation

HOSTILE = [
    "](https://evil.example) [x",
    "a`b`c",
    "**bold**",
    "_it_ and __b__",
    "<script>alert(1)</script>",
    "<!channel> <@U123>",
    "&lt;!channel&gt; &#60;x",
    "\\[x\\](y)",
    "a||spoiler||",
    "~~gone~~",
    "![img](https://evil.example/x.png)",
    "line\nbreak\r\n# heading",
    "ctrl\x1b[31mred\x07",
    "rtl\u202egnp.exe",
    "zero\u200bwidth",
]
marks = st.text(alphabet="ab _*`[]()<>\\&;#~|!\n\x1b-.", max_size=80)


def rendered(markdown: str) -> str:
    """The text that a CommonMark reader shows; a tag or an attribute would show as one."""
    html = str(MarkdownIt().renderInline(markdown))
    return html.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


def test_a_citation_names_file_page_section_quote_and_link() -> None:
    line = block([citation("1", url="https://chat.example/files/1")], "Five days [1].")

    assert line == (
        "[1] handbook.pdf, page 3, Refunds > Timing — “Refunds are paid within five days.” "
        "([open](<https://chat.example/files/1>))"
    )


def test_two_files_of_one_name_are_told_apart() -> None:
    [first, second] = (replace(citation("1"), apart=folder, quote=None) for folder in ("HR", "[Old](x)"))

    assert block([first], "Five days [1].") == "[1] handbook.pdf (HR), page 3, Refunds > Timing"
    assert rendered(block([second], "Five days [1].")).startswith("[1] handbook.pdf ([Old](x)), page 3")


def test_a_file_without_pages_is_cited_by_its_lines() -> None:
    many = replace(citation("1"), page=None, lines=(10, 24), section=None, quote=None)
    one = replace(many, lines=(7, 7))

    assert block([many], "[1]") == "[1] handbook.pdf, lines 10–24"
    assert block([one], "[1]") == "[1] handbook.pdf, line 7"


def test_a_slide_and_a_sheet_are_called_what_they_are() -> None:
    slide = replace(citation("1", name="deck.pptx", page=4), section="Goals", quote=None, unit=Unit.SLIDE)
    sheet = replace(slide, page=None, lines=(12, 30), section="Prices [EUR]", unit=Unit.SHEET)

    assert block([slide], "[1]") == "[1] deck.pptx, slide 4, Goals"
    assert block([sheet], "[1]") == "[1] deck.pptx, sheet Prices \\[EUR\\], rows 12–30"


def test_of_a_long_path_the_attachment_and_the_innermost_heading_are_shown() -> None:
    path = f"{'Offer and more ' * 6}> attachment prices.pdf > Part 1 > Chapter 2 > Rent"
    long = replace(citation("1", name="mail.eml", page=2), section=path, quote=None)

    assert block([long], "[1]") == (
        "[1] mail.eml, page 2, Offer and more Offer and more Offer and… > attachment prices.pdf > … > Rent"
    )


def test_only_labels_that_the_answer_uses_are_listed_in_their_order() -> None:
    citations = [citation("10"), citation("2"), citation("3"), citation("1")]

    lines = block(citations, "First [10], then [2] and [1].").split("  \n")

    assert [line.split(" ")[0] for line in lines] == ["[1]", "[2]", "[10]"]


def test_an_answer_without_markers_has_no_block() -> None:
    assert block([citation("1")], "Five days.") == ""


def test_passages_are_all_listed_with_longer_quotes() -> None:
    long = replace(citation("1"), quote="word " * 70)

    assert len(passages([long])) > len(block([long], "[1]"))
    assert passages([long, citation("2")]).count("\n") == 1


def test_a_long_quote_ends_between_two_words() -> None:
    line = block([replace(citation("1"), quote="wonderful " * 40)], "[1]")

    assert line.endswith("wonderful…”")
    assert len(line) < 250


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_names_and_quotes_are_shown_and_not_obeyed(text: str) -> None:
    line = block([replace(citation("1"), display_name=text, quote=text, section=text)], "[1]")

    assert "\n" not in line
    assert "\x1b" not in line
    assert "\u202e" not in line
    html = MarkdownIt().renderInline(line)
    assert not re.search(r"<(a|img|strong|em|code|script|s)\b", html)


@given(marks)
@example("\\_\\_")
def test_literal_text_reads_the_same_after_rendering(text: str) -> None:
    expected = re.sub(r"[\x1b\s]+", " ", text).strip()

    assert rendered(literal(text, 200)) == expected


@pytest.mark.parametrize(
    "name", ["refund_policy_2024.md", "report-final.v2.pdf", "a & b (copy).docx", "über uns.txt"]
)
def test_ordinary_names_are_shown_as_they_are(name: str) -> None:
    assert file_name(name) == name


def test_a_long_name_keeps_its_ending() -> None:
    shown = file_name("a" * 200 + ".pdf")

    assert shown.endswith(".pdf")
    assert len(shown) == 81


def test_a_name_of_nothing_visible_has_a_stand_in() -> None:
    assert file_name("\u200b\x00 ") == "unnamed file"


@pytest.mark.parametrize(
    "url", ["javascript:alert(1)", "data:text/html,x", "//evil.example/x", "nonsense", "http://[::1", None]
)
def test_an_address_that_is_none_to_follow_is_left_out(url: str | None) -> None:
    assert "open" not in block([citation("1", url=url)], "[1]")


def test_a_file_of_the_servers_is_linked_only_where_people_can_open_it() -> None:
    cited = [citation("1", url="file:///srv/handbook.pdf")]

    for lines in (block(cited, "[1]"), passages(cited)):
        assert "handbook.pdf, page 3" in lines
        assert "srv" not in lines
    for lines in (block(cited, "[1]", WEB | {"file"}), passages(cited, WEB | {"file"})):
        assert lines.endswith("([open](<file:///srv/handbook.pdf>))")


@pytest.mark.parametrize(
    ("url", "target"),
    [
        ("https://e.example/a b>c", "https://e.example/a%20b%3Ec"),
        ("file:///srv/über uns.txt", "file:///srv/%C3%BCber%20uns.txt"),
        ("https://e.example/x\n[y](z)", "https://e.example/x%0A[y](z)"),
        ("https://e.example/%20?a=1&b=2#c", "https://e.example/%20?a=1&b=2#c"),
    ],
)
def test_a_link_cannot_be_left_by_what_stands_in_it(url: str, target: str) -> None:
    line = block([citation("1", url=url)], "[1]", WEB | {"file"})

    assert line.endswith(f"([open](<{target}>))")
