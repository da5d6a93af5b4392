from __future__ import annotations

import pytest
from markdown_it.tree import SyntaxTreeNode

from adapters.markup.parser import parser


def shape(markdown: str) -> str:
    """Return the kinds of what stands in a paragraph, with the targets of links."""
    (paragraph,) = SyntaxTreeNode(parser().parse(markdown)).children
    spans = paragraph.children[0].children
    seen = [span for span in spans if span.type != "text" or span.content]
    return " ".join(str(span.attrs.get("href", span.type)) for span in seen)


@pytest.mark.parametrize(
    "markdown",
    [
        "**重要：**请",
        "这是**“重点”**内容",
        "請看**（一）**和**（二）**。",
        "これは**「強調」**です",
        "~~（旧）~~新",
    ],
)
def test_emphasis_may_end_at_chinese_and_japanese_punctuation(markdown: str) -> None:
    assert "strong" in shape(markdown) or "s" in shape(markdown).split()


@pytest.mark.parametrize(
    "markdown", ["2 * d * e", "a ** b ** c", "snake_case_name", "漢 ** 字 ** 漢", "5 ~~ 6 ~~"]
)
def test_signs_between_gaps_are_no_emphasis(markdown: str) -> None:
    assert shape(markdown) == "text"


@pytest.mark.parametrize(
    ("markdown", "targets"),
    [
        ("https://e.org/a_(b)", "https://e.org/a_(b)"),
        ("see https://e.org/a_b_c, ok", "text https://e.org/a_b_c text"),
        ("(https://e.org/x).", "text https://e.org/x text"),
        ("[https://e.org]", "text https://e.org text"),
        ("**https://e.org/**", "strong"),
        ("<https://e.org|x>", "https://e.org"),
        ("<https://e.org|some words> and <mailto:a@b.c|Ada>", "https://e.org text mailto:a@b.c"),
        ("<https://e.org>", "https://e.org"),
        ("[x](https://e.org/a_(b))", "https://e.org/a_(b)"),
        ("[https://e.org/a](https://e.org/b)", "https://e.org/b"),
        ("`https://e.org` `<https://e.org|x>`", "code_inline text code_inline"),
        ("a://b http:// https://. xhttps://e.org", "text"),
        ("<!channel|x> <U1|x>", "text"),
    ],
)
def test_addresses_are_found(markdown: str, targets: str) -> None:
    assert shape(markdown) == targets


def test_what_looks_like_a_citation_defines_no_link() -> None:
    assert shape("[1]: https://e.org\nsee [1]") == "text https://e.org softbreak text"


def test_html_is_text() -> None:
    assert shape("<b>x</b> <script>y</script>") == "text"
