from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.splitting import SMALLEST, Part, split

FENCE = "```"

tokens = [
    "漢字。",
    "x" * 90,
    "🎉",
    "[1]",
    "[12]",
    "[doc](https://e.org/a_b)",
    "<https://e.org/a>",
    "**b**",
    "`code`",
]
gaps = ["alpha", "Übung", "a.", "end. [2]", "\n", "\n\n", "- item\n", "``", "|a|b|\n", " \n \n"]
words = st.sampled_from(tokens) | st.sampled_from(gaps)
prose = st.lists(words, max_size=40).map(" ".join)
code = st.builds(
    lambda info, lines, end: f"\n{FENCE}{info}" + "\n".join("y" * n for n in lines) + end,
    st.sampled_from(["python\n", "\n", "c++\n", " ", "a very long info string that is no language\n"]),
    st.lists(st.integers(0, 70), max_size=12),
    st.sampled_from([f"\n{FENCE}\n", FENCE, f"\n{FENCE}", "\n"]),
)
markdown = st.lists(prose | code, max_size=8).map("".join)
anything = markdown | st.text(alphabet="ab `\n[]()<>.", max_size=600)
limits = st.sampled_from([SMALLEST, 120, 200, 500])


def content(text: str) -> str:
    """What must survive: all but white space, fences, and the languages of those that open."""
    pieces = text.split(FENCE)
    pieces[1::2] = [re.sub(r"\A[A-Za-z0-9_+\-.#]{1,20}(?=\n)", "", piece) for piece in pieces[1::2]]
    return re.sub(r"\s", "", "".join(pieces))


def texts(parts: list[Part]) -> list[str]:
    return [part.text for part in parts]


@given(anything, limits)
@example("`" * 400, SMALLEST)
@example("a" + "`" * 401 + "b", SMALLEST)
def test_every_part_fits_and_shows_something(text: str, limit: int) -> None:
    for part in split(text, limit):
        assert 0 < len(part.text) <= limit
        assert part.text.strip()


@given(anything, limits)
def test_fences_are_even_in_every_part(text: str, limit: int) -> None:
    for part in split(text, limit):
        assert part.text.count(FENCE) % 2 == 0


@given(markdown, limits)
def test_nothing_is_lost_or_doubled(text: str, limit: int) -> None:
    assert "".join(map(content, texts(split(text, limit)))) == content(text)


@given(st.text(alphabet="ab `\n[]()<>.", max_size=600), limits)
def test_no_letter_is_lost_or_doubled_in_any_text(text: str, limit: int) -> None:
    def letters(value: str) -> str:
        return re.sub(r"[`\s]", "", value)

    assert "".join(map(letters, texts(split(text, limit)))) == letters(text)


@given(anything, st.integers(0, 600), limits)
def test_a_full_part_never_changes_while_text_grows(text: str, shown: int, limit: int) -> None:
    full = texts(split(text[:shown], limit))[:-1]

    assert texts(split(text, limit))[: len(full)] == full


@given(anything, st.integers(0, 600), st.integers(0, 600), limits)
def test_the_growing_text_of_a_part_is_only_ever_extended(
    text: str, one: int, other: int, limit: int
) -> None:
    earlier = split(text[: min(one, other)], limit)
    later = split(text[: max(one, other)], limit)

    if earlier and len(earlier) == len(later):
        assert later[-1].growing.startswith(earlier[-1].growing)


@given(prose, limits)
def test_markers_and_links_are_never_cut(text: str, limit: int) -> None:
    tokens = re.compile(r"\[\d+\](?!\()|\[doc\]\(\S+?\)|<https\S+?>")

    found = [token for part in split(text, limit) for token in tokens.findall(part.text)]

    assert found == tokens.findall(text)


def test_a_short_text_is_one_part() -> None:
    assert texts(split("Refunds take five days [1].", 2000)) == ["Refunds take five days [1]."]


@pytest.mark.parametrize("text", ["", " \n \n", "\n"])
def test_nothing_to_show_gives_no_part(text: str) -> None:
    assert split(text, 2000) == []


def test_a_paragraph_is_preferred_to_a_line_a_sentence_and_a_word() -> None:
    text = "a" * 50 + "\n\n" + "b" * 10 + "\n" + "c. d e " + "f" * 60

    assert texts(split(text, 100))[0] == "a" * 50


def test_a_line_is_preferred_to_a_sentence() -> None:
    text = "a" * 50 + "\n" + "c. d e " + "f" * 60

    assert texts(split(text, 100))[0] == "a" * 50


def test_a_sentence_keeps_its_markers_and_is_preferred_to_a_word() -> None:
    text = "a" * 50 + " five days. [1] And then " + "f" * 60

    assert texts(split(text, 100))[0].endswith("five days. [1]")


def test_text_without_gaps_is_cut_where_it_must_be() -> None:
    assert texts(split("漢" * 200, 100)) == ["漢" * 96, "漢" * 96, "漢" * 8]


def test_two_thousand_and_one_characters_are_two_messages() -> None:
    parts = texts(split("word " * 400 + "!", 2000))

    assert len(parts) == 2
    assert all(len(part) <= 2000 for part in parts)


def test_a_block_of_three_hundred_lines_has_its_fence_and_language_in_every_part() -> None:
    lines = [f"value_{number} = {number}" for number in range(300)]
    text = "Here:\n```python\n" + "\n".join(lines) + "\n```\nDone [1]."

    parts = texts(split(text, 2000))

    assert len(parts) > 2
    for part in parts[1:-1]:
        assert part.startswith("```python\n")
        assert part.endswith("\n```")
    assert [line for part in parts for line in part.splitlines() if line.startswith("value_")] == lines
    assert parts[-1].endswith("Done [1].")


def test_a_fence_that_would_open_at_the_end_of_a_part_moves_to_the_next() -> None:
    parts = texts(split("a" * 150 + "\n```py\n" + "b = 1\n" * 40 + "```", 200))

    assert parts[0] == "a" * 150
    assert parts[1].startswith("```py\n")


def test_a_fence_that_closes_right_behind_a_cut_is_not_opened_again() -> None:
    code = "".join(f"{n:06d}\n" for n in range(11))
    text = "```\n" + code + "123\n```\nAfter."

    for limit in range(SMALLEST, 110):
        parts = texts(split(text, limit))
        assert not any(re.search(r"```\s*```", part) for part in parts)
        assert parts[-1].endswith("After.")


def test_an_open_fence_is_closed_for_showing_and_left_open_for_growing() -> None:
    (part,) = split("```py\nx = 1", 200)

    assert part.text == "```py\nx = 1\n```"
    assert part.growing == "```py\nx = 1"


def test_code_on_the_line_of_an_open_fence_is_not_taken_for_a_language() -> None:
    (part,) = split("Type ```make demo", 200)

    assert part.text == "Type ```make demo```"


def test_a_limit_that_holds_no_fence_is_refused() -> None:
    with pytest.raises(ValueError, match="too small"):
        split("text", SMALLEST - 1)
