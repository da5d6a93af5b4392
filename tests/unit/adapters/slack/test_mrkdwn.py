from __future__ import annotations

import html
import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.slack.mrkdwn import chunks, escape, to_mrkdwn, to_plain
from adapters.slack.neutral import JOINER
from tests.unit.adapters.slack.test_neutral import HOSTILE, PIECES, live

GAP = "\u200b"

GOLDEN = [
    ("**bold** *it* _it_ ~~gone~~ `code`", "*bold* _it_ _it_ ~gone~ `code`"),
    ("***both*** **a *b* c** **a **b** c**", "_*both*_ *a _b_ c* *a b c*"),
    ("这是**重点**内容", f"这是{GAP}*重点*{GAP}内容"),
    ("**重要：**请看**「引用」**吧", f"*重要：*{GAP}请看{GAP}*「引用」*{GAP}吧"),
    ("2 * d * e and 3 ** 4", "2 * d * e and 3 ** 4"),
    ("snake_case_name and *args, **kwargs", "snake_case_name and *args, **kwargs"),
    (r"\*not bold\* and \_not it\_", f"*{JOINER}not bold* and _{JOINER}not it_"),
    ("`*a* # _b_ **c** ~d~`", "`*a* # _b_ **c** ~d~`"),
    ("```py\n# *x* = **y**\n```", "```\n# *x* = **y**\n```"),
    ("`` a`b ``", "`aˋb`"),
    ("````\n```\nx\n```\n````", f"```\n``{GAP}`\nx\n``{GAP}`\n```"),
    (r"\`\``x`", f"``{GAP}`x`"),
    ("    indented", "```\nindented\n```"),
    ("```\n\n```", ""),
    ("[wiki](https://en.wikipedia.org/wiki/A_(b))", "<https://en.wikipedia.org/wiki/A_(b)|wiki>"),
    ("(https://e.org/a_(b)).", "(<https://e.org/a_(b)>)."),
    ("<https://e.org|docs> <https://e.org|the docs>", "<https://e.org|docs> <https://e.org|the docs>"),
    ("`<https://e.org|docs>`", "`&lt;https://e.org|docs&gt;`"),
    ("<https://e.org/?a=1&b=2>", "<https://e.org/?a=1&amp;b=2>"),
    ("[a|b **c** `d`](https://e.org/x|y)", "<https://e.org/x%7Cy|a¦b c d>"),
    ("**[x](https://e.org)** [ ](https://e.org)", "*<https://e.org|x>* <https://e.org>"),
    ("<a@b.org>", "<mailto:a@b.org|a@b.org>"),
    ("![chart](https://e.org/i.png) ![](https://e.org)", "<https://e.org/i.png|chart> <https://e.org|image>"),
    ("[x](javascript:alert(1)) [y](/docs)", "x (javascript:alert(1)) y (/docs)"),
    ("List<std::string> <b>x</b> a<br>b", "List&lt;std::string&gt; &lt;b&gt;x&lt;/b&gt; a\nb"),
    ("a & b < c &amp; d > e", "a &amp; b &lt; c &amp; d &gt; e"),
    (r"\> no quote", f"{JOINER}&gt; no quote"),
    ("# One **two** `three`\ntext\n\nFour\n====", "*One two `three`*\n\ntext\n\n*Four*"),
    ("#no heading", f"#{JOINER}no heading"),
    ("> a **b**\n> c\n>\n> d\n> > e", "> a *b*\n> c\n>\n> d\n>\n> e"),
    ("> a\n> ```\n> x\n> ```\n> b", "> a\n```\nx\n```\n> b"),
    ("---", "──────────"),
    ("**one\ntwo**", "*one*\n*two*"),
    ("line  \nbreak\\\nand soft\nbreak", "line\nbreak\nand soft\nbreak"),
    ("- a\n- b\n  - c\n    - d\n      - e", "• a\n• b\n    ◦ c\n        ▪ d\n            ▪ e"),
    ("3. a\n4. b\n   - c", "3. a\n4. b\n    ◦ c"),
    ("- [ ] open\n- [x] done\n- [1] cited", "☐ open\n☑ done\n• [1] cited"),
    ("- a\n\n  more\n\n- b", "• a\n    more\n• b"),
    ("- a\n  ```\n  x\n  ```", "• a\n```\nx\n```"),
    ("- ```\n  x\n  ```", "•\n```\nx\n```"),
    ("- > said", "• > said"),
    ("-", "•"),
    (
        "| Name | Days |\n|---|--:|\n| **Refund** | `5` |\n| 交換 | [14](https://e.org) |",
        "```\nName   |               Days\n-------+-------------------\n"
        "Refund |                  5\n交換   | 14 (https://e.org)\n```",
    ),
    ("[1]: https://e.org\nsee [1]", "[1]: <https://e.org>\nsee [1]"),
    ("[1] a\\_b.pdf, page 3 — “q”  \n[2] c.pdf", "[1] a_b.pdf, page 3 — “q”\n[2] c.pdf"),
    (
        "([open](<https://t.slack.com/files/U1/F1/a_(b).pdf?x=1&y=2>))",
        "(<https://t.slack.com/files/U1/F1/a_(b).pdf?x=1&amp;y=2|open>)",
    ),
    ("<!channel> <@U1|ada> @here", f"@{JOINER}channel @{JOINER}ada @{JOINER}here"),
    ("", ""),
]

PLAIN = [
    ("**bold** _it_ ~~gone~~ `code` # x", "bold it gone code # x"),
    ("# Heading\n\n> quote\n\n---", "Heading\n\nquote\n\n—"),
    ("- a\n  1. b\n- [x] c", "• a\n    1. b\n☑ c"),
    ("```py\nx = 1 < 2\n```", "x = 1 &lt; 2"),
    (
        "[docs](https://e.org) https://e.org <https://e.org>",
        "docs (https://e.org) https://e.org https://e.org",
    ),
    ("[1] a.pdf ([open](<https://e.org/f>))", "[1] a.pdf (open: https://e.org/f)"),
    ("| Name | Days |\n|---|---|\n| Refund | 5 |", "Name: Refund, Days: 5"),
    ("a & b <!here> List<std::string>", f"a &amp; b @{JOINER}here List&lt;std::string&gt;"),
    ("@**here**", f"@{JOINER}here"),
    ("![chart](https://e.org/i.png)", "chart (https://e.org/i.png)"),
]

PARTS = [
    *(
        "**",
        "*",
        "_",
        "~~",
        "`",
        "```",
        "\n```py\n",
        "\n\n",
        "\n- ",
        "\n  - ",
        "\n1. ",
        "\n> ",
        "\n# ",
        "\n---\n",
    ),
    *(
        "| a | b |\n|---|--:|\n| c | d |\n",
        "[x](https://e.org)",
        "![y](https://e.org/i.png)",
        "[z](!channel)",
        "|",
    ),
    *(
        "<https://e.org|l>",
        "https://e.org/a_b ",
        "- [ ] ",
        "\\",
        "<br>",
        "漢字",
        "：",
        "word ",
        "[1]",
        "\x01",
        "\x03",
    ),
]
markdowns = st.lists(st.sampled_from(PARTS + PIECES), max_size=25).map("".join) | st.text(max_size=80)


@pytest.mark.parametrize(("markdown", "mrkdwn"), GOLDEN)
def test_markdown_in_slacks_dialect(markdown: str, mrkdwn: str) -> None:
    assert to_mrkdwn(markdown) == mrkdwn


@pytest.mark.parametrize(("markdown", "words"), PLAIN)
def test_markdown_in_plain_words(markdown: str, words: str) -> None:
    assert to_plain(markdown) == words


@settings(max_examples=300)
@given(markdowns)
def test_nothing_in_brackets_but_links(markdown: str) -> None:
    mrkdwn = to_mrkdwn(markdown)

    for inside in re.findall(r"<([^<>]*)>", mrkdwn):
        assert inside.lower().startswith(("https://", "http://", "mailto:", "tel:"))
    assert "<" not in re.sub(r"<[^<>]*>", "", mrkdwn)
    assert not re.search("[\x01-\x04]", mrkdwn)


@settings(max_examples=300)
@given(markdowns)
def test_nothing_is_live(markdown: str) -> None:
    unlinked = re.sub(r"<[^<>|]*\|?([^<>]*)>", r"\1", to_mrkdwn(markdown))

    assert live(unlinked) == []
    assert live(to_plain(markdown)) == []
    assert "<" not in to_plain(markdown)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_dead_in_both(text: str) -> None:
    assert live(to_plain(f"See {text} here.")) == []
    assert live(re.sub(r"<([^<>|]*)\|?([^<>]*)>", r"\1 \2", to_mrkdwn(f"See {text} here."))) == []


@given(
    st.lists(st.text("abc漢é ", min_size=1, max_size=9), max_size=6),
    st.sampled_from(["**", "_", "`", "~~", ""]),
)
def test_no_word_is_lost(words: list[str], mark: str) -> None:
    markdown = " ".join(f"{mark}{word}{mark}" for word in words)
    letters = [character for word in words for character in word if character.isalnum()]

    assert [c for c in to_plain(markdown) if c.isalnum()] == letters
    assert [c for c in to_mrkdwn(markdown) if c.isalnum() and c != "ˋ"] == letters


@given(markdowns)
@example("https://```https://e.org/a_b ")
def test_fences_are_even_in_every_chunk(markdown: str) -> None:
    for chunk in chunks(markdown):
        assert chunk.strip()
        assert chunk.count("```") % 2 == 0


@given(st.text())
def test_an_escape_can_be_undone(text: str) -> None:
    assert html.unescape(escape(text)) == html.unescape(text.replace("&", "&amp;"))
