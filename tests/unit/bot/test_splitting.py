from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from bot.blocks import read
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
    "`` ``` ``",
]
gaps = ["alpha", "Übung", "a.", "end. [2]", "\n", "\n\n", "- item\n", "``", "|a|b|\n", " \n \n"]
words = st.sampled_from(tokens) | st.sampled_from(gaps)
prose = st.lists(words, max_size=40).map(" ".join)
plain_prose = st.lists(
    st.sampled_from(["alpha", "`code`", "Use `` ``` ``", "a. [1]", "\n", "~~gone~~"]), max_size=40
).map(" ".join)
lines_of_code = st.integers(0, 70).map(lambda size: "y" * size) | st.sampled_from(
    ['fence = "```"', "    ```py", "> ```", "a | b", "~~"]
)
code = st.builds(
    lambda sign, info, lines, end: f"\n{sign}{info}\n" + "\n".join(lines) + end(sign) + "\n",
    st.sampled_from(["```", "````", "~~~", "~~~~~"]),
    st.sampled_from(["python", "", "c++", "a very long info string that is no language"]),
    st.lists(lines_of_code, max_size=12),
    st.sampled_from([lambda sign: f"\n{sign}", lambda sign: f"\n{sign}  ", lambda _: ""]),
)
odd_code = st.builds(
    lambda info, lines, end: f" {FENCE}{info}" + "\n".join("y" * n for n in lines) + end,
    st.sampled_from(["python\n", "\n", "c++\n", " ", "a very long info string that is no language\n"]),
    st.lists(st.integers(0, 70), max_size=12),
    st.sampled_from([f"\n{FENCE}\n", FENCE, f"\n{FENCE}", "\n"]),
)
table = st.builds(
    lambda columns, rows: (
        "\n\n"
        + "|".join(["", *(f" T{n} " for n in range(columns)), "\n"])
        + "|".join(["", *["---"] * columns, "\n"])
        + "".join("|".join(["", *[f" {cell} "] * columns, "\n"]) for cell in rows)
        + "\n"
    ),
    st.integers(1, 3),
    st.lists(st.sampled_from(["1", "wide cell [3]", "ü" * 30]), max_size=20),
)
markdown = st.lists(prose | code | table, max_size=8).map("".join)
anything = (
    markdown
    | st.lists(prose | odd_code | code, max_size=8).map("".join)
    | st.text(alphabet="ab `~\n[]()<>.|-", max_size=600)
)
limits = st.sampled_from([SMALLEST, 120, 200, 500])


prose_of_numbers = st.lists(
    st.sampled_from(["N N", "N.", "N [1]", "[N](https://e.org)", "`N`", "`` ``` ``", "\n", "\n- N\n"]),
    max_size=40,
).map(" ".join)
code_of_numbers = st.builds(
    lambda sign, lines: f"{sign}python\n" + "\n".join(lines) + f"\n{sign}",
    st.sampled_from(["```", "````", "~~~"]),
    st.lists(st.sampled_from(["N = N", 'N = "```"', "", "    N", "N-+-N"]), max_size=20),
)
table_of_numbers = st.lists(st.sampled_from(["| N | N |", "| N N N N N | N |"]), max_size=20).map(
    lambda rows: "\n".join(["| One | Two |", "|:--|--:|", *rows])
)


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
@example("Use `` ``` `` to begin, and\n" + "more words " * 30, SMALLEST)
@example("````md\n```py\nx\n```\n" + "more\n" * 30 + "````\n" + "text " * 30, SMALLEST)
@example("~~~\n```\n" + "more\n" * 30 + "~~~\n" + "text " * 30, SMALLEST)
@example('```py\nfence = "```"\n' + "more\n" * 30 + "```\n" + "text " * 30, SMALLEST)
def test_no_part_leaves_a_block_of_code_open(text: str, limit: int) -> None:
    for part in split(text, limit):
        # a fence behind code counts where nothing else can be meant, which only the whole text tells
        readings = [read(part.text, whole=whole).block.fence for whole in (False, True)]
        assert None in readings


@given(st.lists(plain_prose | code_of_numbers | table, max_size=8).map("\n\n".join), limits)
def test_commonmark_sees_each_block_of_code_end(text: str, limit: int) -> None:
    for part in split(text, limit):
        lines = part.text.split("\n")
        for token in MarkdownIt("commonmark").parse(part.text):
            if token.type == "fence" and token.map:
                last = lines[token.map[1] - 1].strip()
                assert token.map[1] - token.map[0] > 1
                assert last.startswith(token.markup)
                assert not last.strip(token.markup[0])


@given(st.lists(prose_of_numbers | code_of_numbers | table_of_numbers, max_size=8), limits)
def test_no_word_is_lost_doubled_or_moved(pieces: list[str], limit: int) -> None:
    count = itertools.count()
    text = re.sub("N", lambda _: f"w{next(count)}", "\n\n".join(pieces))

    found = [word for part in split(text, limit) for word in re.findall(r"w\d+", part.text)]

    assert found == [f"w{number}" for number in range(next(count))]


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
    assert texts(split("漢" * 200, 100)) == ["漢" * 83, "漢" * 83, "漢" * 34]


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


@pytest.mark.parametrize("text", ["Type ```make demo", "```make demo``` builds it", "Use `` ``` `` for code"])
def test_backticks_in_a_line_of_text_are_no_fence(text: str) -> None:
    assert texts(split(text, 200)) == [text]


@pytest.mark.parametrize("sign", ["````", "~~~", "~~~~~"])
def test_a_block_is_opened_and_closed_again_as_it_was_written(sign: str) -> None:
    code = "".join(f"line {number}\n```\n" for number in range(20))

    parts = texts(split(f"{sign}md\n{code}{sign}\nAfter.", 120))

    assert len(parts) > 2
    for part in parts[:-1]:
        assert part.startswith(f"{sign}md\n")
        assert part.endswith(f"\n{sign}")
    assert parts[-1].endswith("After.")


def test_a_block_in_a_quotation_goes_on_in_a_quotation() -> None:
    parts = texts(split("> ```py\n" + "> x = 1\n" * 20 + "> ```\nAfter.", SMALLEST))

    assert all(part.startswith("> ```py\n> x = 1\n") for part in parts[:-1])
    assert all(part.endswith("\n> ```") for part in parts[:-1])
    assert len(parts) > 3
    assert parts[-1] == "After."


def test_a_quotation_that_ends_ends_its_block_of_code() -> None:
    (part,) = split("> ```py\n> x = 1\nAfter.", 200)

    assert part.text == "> ```py\n> x = 1\nAfter."


ROWS = [f"| {number} | the value of row {number} [1] |" for number in range(40)]
HEADING = "| Number | Value |\n|---:|:---|\n"


def test_a_table_has_its_heading_in_every_part() -> None:
    parts = texts(split(f"Values:\n\n{HEADING}" + "\n".join(ROWS) + "\n\nDone [1].", 300))

    assert len(parts) > 3
    assert parts[0].startswith(f"Values:\n\n{HEADING}")
    assert all(part.startswith(HEADING) for part in parts[1:])
    assert [line for part in parts for line in part.splitlines() if line in ROWS] == ROWS
    assert parts[-1].endswith("\n\nDone [1].")


def test_a_heading_is_not_repeated_where_its_table_is_over() -> None:
    for size in range(1, 12):
        text = HEADING + "\n".join(ROWS[:size]) + "\n\n| A | B |\n|---|---|\n| c | d |\n\nDone. " + "e " * 100
        for part in texts(split(text, 200)):
            assert not part.startswith(f"{HEADING}| A |")
            assert not part.startswith(f"{HEADING}Done")


def test_a_heading_does_not_stand_at_the_end_without_a_row() -> None:
    for size in range(40, 150):
        text = "a" * size + f"\n\n{HEADING}" + "\n".join(ROWS)
        first = texts(split(text, 150))[0]
        assert HEADING.strip() not in first or ROWS[0] in first
        assert not first.endswith("| Number | Value |")


def test_a_heading_that_fills_a_message_is_not_repeated() -> None:
    heading = f"| {'long ' * 20} | Value |\n|---|---|\n"

    parts = texts(split(heading + "\n".join(ROWS), 200))

    assert [part.count("Value") for part in parts] == [1, *[0] * (len(parts) - 1)]


def test_a_table_that_is_drawn_in_a_block_of_code_has_its_heading_in_every_part() -> None:
    drawn = "Number | Value\n-------+------\n" + "".join(f"{n:6} | {n:5}\n" for n in range(40))

    parts = texts(split(f"```\n{drawn}```", 150))

    assert len(parts) > 3
    assert all(part.startswith("```\nNumber | Value\n-------+------\n") for part in parts)


def test_a_limit_that_holds_no_fence_is_refused() -> None:
    with pytest.raises(ValueError, match="too small"):
        split("text", SMALLEST - 1)
