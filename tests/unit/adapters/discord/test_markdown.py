from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it.tree import SyntaxTreeNode

from adapters.discord.markdown import COLUMNS, LONGEST, MAX_CHARS, rendered
from adapters.discord.neutral import SPACE
from adapters.markup.invisible import HIDDEN, is_blank
from adapters.markup.parser import lenient_parser
from adapters.markup.plain import RULE, Plain, alignment, finished, readable
from adapters.markup.tables import drawn, width
from bot.citations import block
from bot.splitting import split
from pipeline.conversation import Citation
from tests.fakes.effort import cpu_seconds
from tests.unit.adapters.discord.reading import read
from tests.unit.adapters.discord.test_neutral import HOSTILE, ID
from tests.unit.adapters.discord.test_neutral import PIECES as SIGNS

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDEN = [
    ("**bold** *it* _it_ ~~gone~~ `code`", "**bold** *it* *it* ~~gone~~ `code`"),
    ("***both*** **a *b* c** **a **b** c**", "_**both**_ **a *b* c** **a b c**"),
    ("__strong__ __init__.py my__var__x", "**strong** **init**.py my\\_\\_var\\_\\_x"),
    ("这是**重点**内容", "这是**重点**内容"),
    ("**重要：**请看**「引用」**吧", "**重要：**请看**「引用」**吧"),
    ("2 * d * e and 3 ** 4", "2 * d * e and 3 \\*\\* 4"),
    ("snake_case_name and *args, **kwargs", "snake_case_name and \\*args, \\*\\*kwargs"),
    ("_private _x 变量_名_字", "\\_private \\_x 变量\\_名\\_字"),
    ("a || b || c ~~ d ~~ ~e~", "a \\|\\| b \\|\\| c \\~\\~ d \\~\\~ ~e~"),
    (
        r"\*not bold\* and \_not it\_ \[1\] \\ C:\path C:\Übung \é",
        r"\*not bold\* and \_not it\_ \[1\] \\ C:\path C:\\Übung \\é",
    ),
    ("ends with \\", "ends with \\\\"),
    ("`*a* # _b_ **c** ~d~ \\* <@1>`", "`*a* # _b_ **c** ~d~ \\* <@1>`"),
    ("`` a`b `` `` `a` ``", "``a`b`` `` `a` ``"),
    ("````a```b````", f"``a`{SPACE}`{SPACE}`b``"),
    ("one ` tick", "one \\` tick"),
    (r"\`\``x`", "\\`\\``x`"),
    ("**use `**kw` now**", "**use** `**kw` **now**"),
    ("*a `x*` b* ~~a `~~` b~~", "_a `x*` b_ ~~a~~ `~~` ~~b~~"),
    ("***b** c*", "_**b** c_"),
    ("```py\n# *x* = **y** <@1>\n```", "```py\n# *x* = **y** <@1>\n```"),
    ("~~~py\nx\n~~~", "```py\nx\n```"),
    ('```py title="a.py"\nx\n```', "```py\nx\n```"),
    ("```a-very-long-name-of-a-language\nx\n```", "```\nx\n```"),
    ("```c++\nx\n```\n```{.r}\ny\n```", "```c++\nx\n```\n```\ny\n```"),
    ("````\n```\nx\n```\n````", f"```\n``{SPACE}`\nx\n``{SPACE}`\n```"),
    ("```\n\n```\ntext", "text"),
    ("```\nlast", "```\nlast\n```"),
    ("text:\n```\nx\n```\nmore", "text:\n```\nx\n```\nmore"),
    ("Run: ```sh\nmake\n```\nmore", "Run:\n```sh\nmake\n```\nmore"),
    ("```\nx = 1```\nmore", "```\nx = 1\n```\nmore"),
    ("[docs](https://e.org/a_b) [x](<https://e.org>)", "[docs](<https://e.org/a_b>) [x](<https://e.org>)"),
    ("[wiki](https://e.org/A_(b)?c=[d])", "[wiki](<https://e.org/A_%28b%29?c=%5Bd%5D>)"),
    ("(https://e.org/a_(b)). <https://e.org/x>", "(<https://e.org/a_(b)>). <https://e.org/x>"),
    ("https://e.org/東京 https://e.org/a*b*c", "<https://e.org/東京> <https://e.org/a%2Ab%2Ac>"),
    ("<https://e.org|docs> <https://e.org|the docs>", "[docs](<https://e.org>) [the docs](<https://e.org>)"),
    ("`<https://e.org|docs>`", "`<https://e.org|docs>`"),
    ("[https://e.org](https://e.org) [ ](https://e.org)", "<https://e.org> <https://e.org>"),
    ("[https://a.org/b](https://e.org)", "https\\://a.org/b (<https://e.org>)"),
    ("[see 🎉](https://e.org) [:x:](https://e.org)", "see 🎉 (<https://e.org>) :x: (<https://e.org>)"),
    ("[[1]](https://e.org) [a\\]b](https://e.org)", "[[1](<https://e.org>)] a]b (<https://e.org>)"),
    ("[**a** `b`](https://e.org) **[x](https://e.org)**", "[a b](<https://e.org>) **[x](<https://e.org>)**"),
    (
        "[x](https://e.org 'a title') [x](https://e.org/@here)",
        "[x](<https://e.org>) [x](<https://e.org/%40here>)",
    ),
    (
        "![chart](https://e.org/i.png) ![](https://e.org)",
        "[chart](<https://e.org/i.png>) [image](<https://e.org>)",
    ),
    ("[x](javascript:alert(1)) [y](/docs) <a@b.org>", "x (javascript:alert(1)) y (/docs) <a@b.org>"),
    ("[see `x](http://a) y`", "\\[see `x](http://a) y`"),
    (r"[a\](https://e.org)", f"[a\\]{SPACE}(<https://e.org>)"),
    ("List<std::string> <b>x</b> a<br>b <!-- c -->", "List<std::string> <b>x</b> a\nb <!-- c -->"),
    ("a & b < c &amp; &lt;d&gt; > e", "a & b < c & <d> > e"),
    (
        "# One **two** `three`\ntext\n## Two\n### Three\n#### Four **x**\n###### Six",
        "# One **two** `three`\ntext\n## Two\n### Three\n**Four x**\n**Six**",
    ),
    ("# #1 thing\n#\n# \\# x", "# \\#1 thing\n# \\# x"),
    ("#no heading\n&#35; none\n&gt; none\n\\> none", "#no heading\n\\# none\n\\> none\n\\> none"),
    ("> a **b**\n> c\n>\n> d\n> > e", f"> a **b**\n> c\n> {SPACE}\n> d\n> e"),
    (">>> a", "> a"),
    (">no gap", "> no gap"),
    ("> a\n>\n> ```\n> x\n> ```\n>\n> b", "> a\n```\nx\n```\n> b"),
    ("a\n\n---\nb\n***\n___", f"a\n\n{RULE}\nb\n{RULE}\n{RULE}"),
    ("text\n---", f"text\n{RULE}"),
    ("**one\ntwo**", "**one**\n**two**"),
    ("line  \nbreak\\\nand soft\nbreak", "line\nbreak\nand soft\nbreak"),
    ("one\n\n\n\ntwo\r\nthree", "one\n\ntwo\nthree"),
    ("- a\n* b\n+ c", "- a\n- b\n- c"),
    ("Intro:\n- a\n    - b\n        - c\n- d", "Intro:\n- a\n  - b\n    - c\n- d"),
    ("1. a\n1. b\n   - c\n\n   more\n\n3) d", "1. a\n2. b\n  - c\n  more\n\n3. d"),
    ("- [ ] open\n- [x] done\n- [1] cited", "- ☐ open\n- ☑ done\n- [1] cited"),
    ("- a\n\n  more\n\n- b", "- a\n  more\n- b"),
    ("1. a\n   ```sh\n   x\n     y\n   ```\n   b\n2. c", "1. a\n```sh\nx\n  y\n```\n  b\n2. c"),
    ("- a\n    ```\n  x\n    ```\n- b", "- a\n```\nx\n```\n- b"),
    ("- > said\n- # Title", "- > said\n- **Title**"),
    ("    - cut\n- list\n\n    cut text", "- cut\n- list\n  cut text"),
    ("-# small print", "-# small print"),
    ("-", "-"),
    ("[1]: https://e.org\nsee [1]", "[1]: <https://e.org>\nsee [1]"),
    (f"<@{ID}> @here `<@{ID}>`", f"<{SPACE}@{ID}> @{SPACE}here `<@{ID}>`"),
    # what looked right to CommonMark, and would have looked otherwise to Discord
    ("snake_case and `x_` here", "snake\\_case and `x_` here"),
    ("*it* and 2 * 3", "*it* and 2 \\* 3"),
    ("**2 * 3*", f"\\*{SPACE}*2 \\* 3*"),
    ("****1***1", f"\\*_**1**_{SPACE}1"),
    ("*a*b **c**~~d~~", f"*a*b **c**{SPACE}~~d~~"),
    ("~~a ~~~", "\\~\\~a \\~\\~\\~"),
    ("**word <br>*", f"\\*{SPACE}*word*"),
    ("#### **_*", f"**\\*{SPACE}*\\_***"),
    ("# a<br>b", "# a b"),
    ("&#42; # a", "\\* # a"),
    ("<[x](https://e.org) < 5", "\\<[x](<https://e.org>) < 5"),
    ("[x](https://e.org) `](`", "x (<https://e.org>) `](`"),
    ("[[x](https://e.org)](https://f.org", f"[[x](<https://e.org>)]{SPACE}(<https://f.org>"),
    ("> - > a", "> - a"),
    ("```\n`\n```", f"```\n`{SPACE}\n```"),
    ("`\u200b`\n\n**\u200b**\n\n> \u200b", "…"),
    ("", "…"),
    (" \n\u200b", "…"),
]

PARTS = [
    *(
        "**",
        "*",
        "_",
        "__",
        "***",
        "~~",
        "~",
        "`",
        "``",
        "```",
        "||",
        "|",
        "\\",
        "[",
        "]",
        "](",
        "(",
        ")",
        "<",
        ">",
    ),
    *(
        "\n```py\n",
        "\n```\n",
        "\n~~~\n",
        "```\n",
        "\n\n",
        "\n",
        "\n- ",
        "\n  - ",
        "\n    - ",
        "\n1. ",
        "\n> ",
        "\n# ",
    ),
    *(
        "\n#### ",
        "\n***\n",
        "-# ",
        "- [ ] ",
        "    ",
        " ",
        "  \n",
        "<br>",
        "&lt;",
        "&#42;",
        "&amp;",
        "\x05",
        "\x0e",
        "\r\n",
    ),
    *(
        "[x](https://e.org)",
        "![y](https://e.org/i.png)",
        "[z](/docs)",
        "[https://a.org](https://b.org)",
        "[🎉](https://e.org)",
    ),
    *("<https://e.org|l>", "https://e.org/a_b ", "http://", "(https://", "steam://x", "<a:/x>", "<std::x>"),
    *("漢字", "：", "word ", "word", "a_b", "x*y", "[1]", "2 * 3", "é", "🎉", "#", "1", "+ "),
]
TABLES = ["\n| a | b |\n|---|--:|\n| c | d |\n", "\n| e | f |\n", "| g |", "\n|---|---|\n"]
markdowns = st.lists(st.sampled_from(PARTS + SIGNS), max_size=25).map("".join) | st.text(max_size=80)
anything = st.lists(st.sampled_from(PARTS + SIGNS + TABLES), max_size=25).map("".join) | st.text(max_size=80)


class Told(Plain):
    """What people are to see, in the order of what Discord shows."""

    BULLETS = "-"

    def is_followed(self, address: str) -> bool:
        return re.match("https?://[^/]", address, re.IGNORECASE) is not None

    def task(self, sign: str, box: str) -> str:
        return f"{sign}{box} "

    def rule(self) -> str:
        return RULE

    def table(self, node: SyntaxTreeNode) -> str:
        return drawn(self.rows(node), alignment(node), headed=node.children[0].type == "thead")

    def link(self, label: str, address: str) -> str:
        return super().link(label, address) if not self.is_followed(address) else _linked(label, address)


def _linked(label: str, address: str) -> str:
    bare = not label or lenient_parser().normalizeLink(label) == address
    return label or address if bare else f"{label} ({address})"


def kinds(markdown: str) -> set[str]:
    """Return what blocks there are in *markdown*."""
    return {token.type.removesuffix("_open") for token in lenient_parser().parse(readable(markdown))}


def told(markdown: str) -> str:
    source = readable(re.sub("\r\n?", "\n", markdown))
    return finished("\n".join(Told().blocks(SyntaxTreeNode(lenient_parser().parse(source)))))


def seen(text: str) -> str:
    """Return all of *text* that takes up ink; an encoded character counts as itself."""
    text = re.sub("%([2-7][0-9A-F])", lambda found: chr(int(found[1], 16)), text)
    return re.sub(rf"[\s{HIDDEN}]", "", text)


def letters(text: str) -> str:
    return "".join(character for character in text if character.isalnum())


def growing(text: str) -> Iterator[str]:
    yield from (text[:end] for end in range(1, len(text) + 1))


@pytest.mark.parametrize(("markdown", "discord"), GOLDEN)
def test_markdown_as_discord_reads_it(markdown: str, discord: str) -> None:
    assert rendered(markdown) == discord


@settings(max_examples=500)
@given(markdowns.filter(lambda markdown: "table" not in kinds(markdown)))
def test_people_see_what_was_written_and_no_mark_that_was_none(markdown: str) -> None:
    shown = read(rendered(markdown)).shown

    assert seen(shown) == (seen(told(markdown)) or "…")


@settings(max_examples=500)
@given(anything)
@example("*" * 500 + "x" + "*" * 500)
@example("> " * 100 + "- " * 100 + "x")
@example("*_" * 300 + "x" + "_*" * 300)
@example("[" * 500 + "](" * 100)
def test_whatever_is_written_nothing_is_live_and_every_fence_is_closed(markdown: str) -> None:
    discord = rendered(markdown)

    assert read(discord).live == []
    assert read(discord).spoilers == []
    assert discord.count("```") % 2 == 0
    assert not re.search("[\x00-\x08\x0e-\x1f]", discord)
    assert not is_blank(discord)
    assert rendered(markdown) == discord


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_dead(text: str) -> None:
    for markdown in (
        text,
        f"See {text} here.",
        f"**{text}**",
        f"> {text}",
        f"| {text} | x |\n|---|---|\n| y | {text} |",
    ):
        assert read(rendered(markdown)).live == []


@pytest.mark.parametrize("text", HOSTILE)
def test_code_is_left_as_it_is(text: str) -> None:
    code = text.replace("`", "'").strip().replace("\x00", "")

    assert read(rendered(f"```py\n{code}\n```")).code == [f"py\n{code}"]
    assert read(rendered(f"See `{code}`.")).spans == [code.replace("\n", " ")]


@given(
    st.lists(st.text("abc漢é1 ", min_size=1, max_size=9), max_size=6),
    st.sampled_from(["**", "_", "*", "`", "~~", "__", ""]),
)
def test_no_word_is_lost(words: list[str], mark: str) -> None:
    markdown = " ".join(f"{mark}{word}{mark}" for word in words)

    assert letters(rendered(markdown)) == letters(markdown)


@given(st.text(alphabet="abc xyz.,;!?'äé漢字あ가😀123()-+=%$&/\n", max_size=300))
def test_ordinary_text_is_unchanged(text: str) -> None:
    ordinary = "\n".join(
        re.sub(r"^[-+=\s]+|^\d+[.)]", "", line).strip() for line in re.sub("\n\n+", "\n", text).split("\n")
    ).strip()

    assert rendered(re.sub("\n\n+", "\n\n", ordinary)) == (re.sub("\n\n+", "\n\n", ordinary) or "…")


@given(anything)
def test_a_part_of_a_text_can_be_shown_whatever_is_open_in_it(markdown: str) -> None:
    for text in growing(markdown[:60]):
        shown = rendered(text)
        assert read(shown).live == []
        assert shown.count("```") % 2 == 0


BLOCKS = [
    "Refunds take **five days** [1], see [the docs](https://e.org/docs).",
    "## Steps",
    "1. Open `settings`\n2. Press *Refund*\n   - now\n   - or later",
    '```py\nprint("**x**")\n# done\n```',
    "| Name | Days |\n|---|--:|\n| Refund | 5 |\n| Exchange | 14 |",
    "> Said\n> by many",
    "---",
    "Intro:\n- a\n- b",
    "[1] handbook.pdf, page 3 ([open](<https://e.org/f>))",
]


def test_what_stands_before_the_last_block_stays_the_same_while_a_text_grows() -> None:
    whole = "\n\n".join(BLOCKS)
    done = [rendered("\n\n".join(BLOCKS[:count])) if count else "" for count in range(len(BLOCKS))]

    for text in growing(whole):
        assert rendered(text).startswith(done[text.count("\n\n")])


@pytest.mark.parametrize(
    ("markdown", "discord"),
    [
        ("see [the do", "see [the do"),
        ("see [the docs](", f"see [the docs]{SPACE}("),
        ("see [the docs](https://e.o", f"see [the docs]{SPACE}(<https://e.o>"),
        ("**bo", "\\*\\*bo"),
        ("a `co", "a \\`co"),
        ("```py", "…"),
        ("```py\nx = ", "```py\nx = \n```"),
        ("Intro:\n-", "Intro:\n-"),
        ("text\n--", "text\n--"),
        ("| a | b", "```\na | b\n```"),
        ("| a | b |\n|--", "```\na | b\n```"),
        ("| a | b |\n|---|---|", "```\na | b\n--+--\n```"),
        ("| a | b |\n|---|---|\n| c", "```\na | b\n--+--\nc |\n```"),
    ],
)
def test_what_is_half_written_can_be_read(markdown: str, discord: str) -> None:
    assert rendered(markdown) == discord


def test_a_table_has_even_columns_in_a_block_of_code() -> None:
    markdown = "| Name | Days |\n|---|--:|\n| **Refund** | `5` |\n| 交換 | [14](https://e.org) |"

    assert rendered(markdown) == (
        "```\nName   |               Days\n-------+-------------------\n"
        "Refund |                  5\n交換   | 14 (https://e.org)\n```"
    )


def test_a_wide_table_is_a_list_for_each_row() -> None:
    markdown = (
        "| Plan | Basic | Professional |\n|---|---|---|\n"
        f"| **Storage** | five gigabytes | [as much](https://e.org) as `wanted`, {'and more ' * 5}|\n"
        "| Users | 1 | |"
    )

    assert rendered(markdown) == (
        "**Plan: Storage**\n- Basic: five gigabytes\n"
        f"- Professional: [as much](<https://e.org>) as `wanted`, {('and more ' * 5).strip()}\n"
        "**Plan: Users**\n- Basic: 1"
    )


def test_wide_rows_without_their_heading_are_lists_too() -> None:
    assert rendered(f"| a | {'long ' * 20}|\n| b | c |") == f"**a**\n- {('long ' * 20).strip()}\n**b**\n- c"


@given(
    st.integers(1, 4).flatmap(
        lambda columns: st.lists(
            st.lists(st.text("ab漢é 12", min_size=1, max_size=30), min_size=columns, max_size=columns),
            min_size=2,
            max_size=6,
        )
    )
)
def test_no_cell_is_lost_and_nothing_is_wider_than_a_screen(rows: list[list[str]]) -> None:
    ruler = ["---"] * len(rows[0])
    discord = rendered("\n".join(f"| {' | '.join(row)} |" for row in [rows[0], ruler, *rows[1:]]))

    for cell in (cell for row in rows[1:] for cell in row):
        assert " ".join(cell.split()) in discord
    assert letters("".join(rows[0])) == "" or any(letters(title) in letters(discord) for title in rows[0])
    for code in read(discord).code:
        assert max(map(width, code.split("\n"))) <= COLUMNS


def test_a_table_with_one_long_cell_among_short_ones_still_fits() -> None:
    rows = "".join(f"| {number} | x |\n" for number in range(110))
    markdown = f"| Number | Text |\n|---|---|\n| {'w' * 35} | x |\n{rows}"
    assert len(markdown) <= MAX_CHARS

    assert len(rendered(markdown)) <= LONGEST


def citation(label: str, **changes: object) -> Citation:
    known = Citation(
        label=label,
        document_id="d",
        display_name="a_b*c[1].pdf",
        chunk_id="c",
        page=3,
        lines=None,
        section=None,
        url=None,
        quote="Five <@1> days",
    )
    return replace(known, **changes)  # type: ignore[arg-type]


def test_citations_are_literal_and_their_links_work_without_a_preview() -> None:
    lines = block([citation("1", url="https://discord.com/channels/1/2/3"), citation("2")], "[1] [2]")

    reading = read(rendered(f"Refunds take five days [1][2].\n\n{lines}"))

    assert reading.links == [("open", "<https://discord.com/channels/1/2/3>")]
    assert reading.live == []
    assert seen(reading.shown) == seen(
        "Refunds take five days [1][2]. [1] a_b*c[1].pdf, page 3 — “Five <@1> days” "
        "(open (https://discord.com/channels/1/2/3)) [2] a_b*c[1].pdf, page 3 — “Five <@1> days”"
    )


def test_no_link_has_a_preview() -> None:
    markdown = (
        "https://a.org [x](https://b.org) <https://c.org> ![y](https://d.org) [https://e.org](https://f.org)"
    )

    assert all(target.startswith("<") for _, target in read(rendered(markdown)).links)


def test_a_long_block_of_code_is_fenced_in_every_message() -> None:
    lines = [f"value_{number} = '*#_{number}_*'  # <@{number}> **x**" for number in range(300)]
    markdown = "Here it is:\n\n```python\n" + "\n".join(lines) + "\n```\n\nThat is **all** of it."

    messages = [rendered(part.text) for part in split(markdown, MAX_CHARS)]

    readings = list(map(read, messages))
    assert len(messages) > 5
    assert all(len(message) <= LONGEST for message in messages)
    assert [code.partition("\n")[0] for reading in readings for code in reading.code] == ["python"] * len(
        messages
    )
    assert [line for reading in readings for code in reading.code for line in code.split("\n")[1:]] == lines
    assert readings[-1].bold == ["all"]


def test_code_within_a_list_is_fenced_in_every_message() -> None:
    lines = [f"    step_{number} --all" for number in range(300)]
    markdown = "1. Run:\n\n    ```sh\n" + "\n".join(lines) + "\n    ```\n\n    Wait for **it**.\n2. Done."

    readings = [read(rendered(part.text)) for part in split(markdown, MAX_CHARS)]

    assert all(len(reading.code) == 1 for reading in readings)
    assert [line.strip() for one in readings for line in one.code[0].split("\n")[1:]] == list(
        map(str.strip, lines)
    )
    assert readings[-1].bold == ["it"]


def test_a_long_table_has_no_bare_lines_in_any_message() -> None:
    rows = [f"| item {number} | {number * 7} | in stock |" for number in range(200)]
    markdown = "Stock:\n\n| Item | Price | State |\n|---|--:|---|\n" + "\n".join(rows)

    messages = [rendered(part.text) for part in split(markdown, MAX_CHARS)]

    assert len(messages) > 2
    assert all(len(message) <= LONGEST for message in messages)
    for message in messages:
        assert "|" not in re.sub("```.+?```", "", message, flags=re.DOTALL)
    assert all(f"item {number} " in "".join(messages) for number in range(200))


def test_a_long_answer_is_whole_over_its_messages() -> None:
    markdown = "\n\n".join(
        f"Paragraph {number} has **some** words, `code_{number}` and a [link](https://e.org/{number})."
        for number in range(80)
    )

    messages = [rendered(part.text) for part in split(markdown, MAX_CHARS)]

    assert all(len(message) <= LONGEST for message in messages)
    assert "".join(letters(read(message).shown) for message in messages) == letters(
        read(rendered(markdown)).shown
    )


@pytest.mark.parametrize(
    "text", ["w" * MAX_CHARS, "漢" * MAX_CHARS, ("word " * MAX_CHARS)[:MAX_CHARS], "a_b " * (MAX_CHARS // 4)]
)
def test_ordinary_text_of_the_most_characters_fits(text: str) -> None:
    assert len(rendered(text)) <= LONGEST


def test_what_hardly_anybody_writes_may_be_too_long() -> None:
    assert len(rendered("|| x " * (MAX_CHARS // 5))) > LONGEST


@pytest.mark.parametrize(
    "piece", [*PARTS, *SIGNS, *TABLES, "*_", "*a **b ", "[[", "![", "- - ", "> - ", "`a", "- \n", "\\*", "&"]
)
def test_it_is_fast_for_every_kind_of_text(piece: str) -> None:
    text = piece * (MAX_CHARS // len(piece))

    assert cpu_seconds(lambda: rendered(text)) < 1
