from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.terminal.text import encodable, linked, plain, safe

anything = st.text(alphabet=st.characters(), max_size=200)


@given(anything)
def test_no_control_character_is_left(text: str) -> None:
    assert not any(ord(c) < 0x20 and c not in "\n\t" for c in safe(text))
    assert not any(0x7F <= ord(c) < 0xA0 for c in safe(text))


@given(anything, st.integers(0, 200))
def test_text_may_be_cut_anywhere_before(text: str, cut: int) -> None:
    assert safe(text[:cut]) + safe(text[cut:]) == safe(text)


def test_ordinary_text_stays_as_it_is() -> None:
    assert safe("Zürich – 東京\n\t👩‍🚀 “quoted”") == "Zürich – 東京\n\t👩‍🚀 “quoted”"


def test_what_was_a_command_is_seen() -> None:
    assert safe("\x1b[2J\x07\r\n\x9b") == "␛[2J␇\n�"


@given(anything)
def test_what_an_encoding_cannot_express_never_raises(text: str) -> None:
    encodable(text, "ascii").encode("ascii")


@pytest.mark.parametrize(
    ("markdown", "lines"),
    [
        ("**bold** and `code`", "bold and `code`"),
        ("_A note._", "A note."),
        ("snake_case_name stays", "snake_case_name stays"),
        ("2 * 3 ** 4", "2 * 3 ** 4"),
        ("a\\_b \\[x\\] \\\\", "a_b [x] \\"),
        ("[docs](https://e.org/a_b)", "docs (https://e.org/a_b)"),
        ("[1] is a marker (2)", "[1] is a marker (2)"),
        ("([open](<file:///a b>))", "(file:///a b)"),
        ("trailing  \nspaces", "trailing\nspaces"),
        ("```py\n**x** = a\\_b\n```\n**y**", "```py\n**x** = a\\_b\n```\ny"),
        ("```\n**open", "```\n**open"),
    ],
)
def test_markdown_for_a_pipe(markdown: str, lines: str) -> None:
    assert plain(markdown) == lines


def test_only_addresses_of_sources_are_spelled_out() -> None:
    assert (
        linked("([open](<https://e.org>)) [docs](<https://e.org>)")
        == "(https://e.org) [docs](<https://e.org>)"
    )
