from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it.tree import SyntaxTreeNode

from adapters.markup.parser import lenient_parser
from adapters.markup.plain import Plain


def outline(markdown: str) -> str:
    """Return the blocks of *markdown*: what they are, and what they say."""
    return " ".join(map(_named, SyntaxTreeNode(lenient_parser().parse(markdown)).children))


def _named(node: SyntaxTreeNode) -> str:
    match node.type:
        case "paragraph":
            return repr(node.children[0].content)
        case "fence":
            return f"{node.info}{{{node.content}}}"
        case "table":
            rows = Plain().rows(node)
            return f"{node.children[0].type}{rows}"
        case _:
            return f"{node.type}({' '.join(map(_named, node.children))})"


@pytest.mark.parametrize(
    ("markdown", "blocks"),
    [
        ("```py\nx\n```\ny", "py{x\n} 'y'"),
        ("```py\nx", "py{x}"),
        ("~~~\nx\n```\n~~~~\ny", "{x\n```\n} 'y'"),
        ("````\n```\nx\n```\n````", "{```\nx\n```\n}"),
        ("text\n```\nx\n```", "'text' {x\n}"),
        ("  ```\n  x\n    y\n  ```", "{x\n  y\n}"),
        ("```\nx\n      ```\ny", "{x\n} 'y'"),
        ("```\nx = 1```\ny", "{x = 1\n} 'y'"),
        ("```py\nF = '```'\nG = 1\n```\ny", "py{F = '```'\nG = 1\n} 'y'"),
        ("```\nx```\n\n```py\ny\n```", "{x\n} py{y\n}"),
        ("```md\n```py\nx\n```\nrest", "md{```py\nx\n} 'rest'"),
        ("Run this: ```sh\nmake\n```\ny", "'Run this:' sh{make\n} 'y'"),
        ("**Run** `make`: ```\nx\n```", "'**Run** `make`:' {x\n}"),
        ("a\nb ```\nx\n```", "'a' 'b' {x\n}"),
        ("one ```code``` here", "'one ```code``` here'"),
        ("to open, write ```", "'to open, write ```'"),
        ("to open, write ``` first\nthen ```", "'to open, write ``` first\\nthen ```'"),
        ("~~~gone~~~", "'~~~gone~~~'"),
        ("- Run: ```sh\nmake\n```\n- b", "bullet_list(list_item('Run:' sh{make\n}) list_item('b'))"),
        ("- a\n\n    ```\nx\n    ```\n- b", "bullet_list(list_item('a' {x\n}) list_item('b'))"),
        ("1. ```\n   x\n   ```\n2. b", "ordered_list(list_item({x\n}) list_item('b'))"),
        ("> ```\n> x\n> ```\n> y", "blockquote({x\n} 'y')"),
        ("```py\n    x\n    ```\n    more\n- b", "py{    x\n} 'more' bullet_list(list_item('b'))"),
    ],
)
def test_a_block_of_code_ends_where_it_is_meant_to(markdown: str, blocks: str) -> None:
    assert outline(markdown) == blocks


@pytest.mark.parametrize(
    ("markdown", "blocks"),
    [
        ("| a | b |\n|---|---|\n| c | d |", "thead[['a', 'b'], ['c', 'd']]"),
        ("a | b\n---|---\nc | d\n\ntext", "thead[['a', 'b'], ['c', 'd']] 'text'"),
        (
            "| a | b |\n|---|---|\n| c |\n| d | e | f |",
            "thead[['a', 'b', ''], ['c', '', ''], ['d', 'e', 'f']]",
        ),
        ("| a | b |\n|---|---|\n| c | `x | y` |\n", "thead[['a', 'b'], ['c', 'x | y']]"),
        ("| a | b |\n|---|---|\n| c \\| d | |", "thead[['a', 'b'], ['c | d', '']]"),
        ("| a | b |\n|---|---|\n| c | d | ▌", "thead[['a', 'b'], ['c', 'd ▌']]"),
        ("| a | b |\n|---|---|\ntext", "thead[['a', 'b'], ['text', '']]"),
        ("| a | b |\n|---|---|\n- x", "thead[['a', 'b']] bullet_list(list_item('x'))"),
        (
            "- | a | b |\n  |---|---|\n  | c | d |\n- x",
            "bullet_list(list_item(thead[['a', 'b'], ['c', 'd']]) list_item('x'))",
        ),
        ("text\n| c | d |\n| e | f |\nmore", "'text' tbody[['c', 'd'], ['e', 'f']] 'more'"),
        ("|---|---|\n| c | d |", "tbody[['c', 'd']]"),
        ("| a | b |\n|--", "tbody[['a', 'b']]"),
        ("| a | b |\n|-- ▌", "tbody[['a', 'b']]"),
        ("| a | b |\n| c ▌", "tbody[['a', 'b'], ['c ▌', '']]"),
        ("| a | b ▌", "tbody[['a', 'b ▌']]"),
        ("| a", "'| a'"),
        ("|", "'|'"),
        ("|x| + |y|\nis positive", "'|x| + |y|\\nis positive'"),
        ("a | b", "'a | b'"),
    ],
)
def test_a_table_is_one_with_or_without_its_heading(markdown: str, blocks: str) -> None:
    assert outline(markdown) == blocks


@pytest.mark.parametrize(
    ("markdown", "blocks"),
    [
        (
            "    - a\n        - b\n- c",
            "bullet_list(list_item('a' bullet_list(list_item('b'))) list_item('c'))",
        ),
        ("Intro:\n    - a", "'Intro:' bullet_list(list_item('a'))"),
        ("- a\n\n    more\n- b", "bullet_list(list_item('a' 'more') list_item('b'))"),
        ("    text\n\n    more", "'text' 'more'"),
        ("Intro:\n-", "'Intro:\\n-'"),
        ("Title\n---", "'Title' hr()"),
        ("Title\n===", "'Title\\n==='"),
        ("> a\nb\n\nc", "blockquote('a\\nb') 'c'"),
        ("1986\\. A year", "'1986\\\\. A year'"),
    ],
)
def test_a_margin_makes_no_code_and_a_line_no_heading(markdown: str, blocks: str) -> None:
    assert outline(markdown) == blocks


parts = st.sampled_from(
    [
        "```",
        "~~~",
        "\n",
        "\n\n",
        "    ",
        "  ",
        "- ",
        "1. ",
        "> ",
        "| ",
        " |",
        "|---",
        "a",
        "b ",
        "`",
        "# ",
        "\\",
    ]
)


@settings(max_examples=300)
@given(st.lists(parts, max_size=30).map("".join))
@example("> " * 300 + "a")
@example("- " * 300 + "a")
@example("- a\n" + "".join(f"{'  ' * depth}- b{depth}\n" for depth in range(60)))
def test_no_letter_is_lost_however_the_blocks_stand(markdown: str) -> None:
    tree = SyntaxTreeNode(lenient_parser().parse(markdown))
    said = [node.content for node in tree.walk() if node.type in {"inline", "fence"}]
    named = [node.info for node in tree.walk() if node.type == "fence"]

    assert letters("".join(said + named)) == letters(markdown)


def letters(text: str) -> list[str]:
    return sorted(filter(str.isalpha, text))
