from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.markers import CODE_CHARS
from pipeline.streaming import FLUSH_FLOOR, Sanitizer, sanitized

LABELS = frozenset({"1", "2", "3"})

PIECES = st.lists(
    st.sampled_from(
        [
            "[",
            "]",
            "1",
            "2",
            "9",
            ",",
            " ",
            "`",
            "```",
            "\n",
            "text",
            "【",
            "】",
            "[1]",
            " [7]",
            "rows[0]",
            "[1, 2]",
            "\t",
        ]
    ),
    max_size=40,
)


def sanitize(pieces: list[str]) -> tuple[str, int]:
    sanitizer = Sanitizer(labels=LABELS)
    shown = "".join([*map(sanitizer.feed, pieces), sanitizer.finish()])
    return shown, sanitizer.removed


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("Five days [1].", "Five days [1]."),
        ("Five days [7].", "Five days."),
        ("Five days [1, 7][2].", "Five days [1][2]."),
        ("Five days【2】.", "Five days[2]."),
        ("Use `rows[9]` [1].", "Use `rows[9]` [1]."),
        ("```python\nrows[9]\n``` done [9]", "```python\nrows[9]\n``` done"),
        ("An open [ bracket", "An open [ bracket"),
        ("See [the page](https://example.org) [2]", "See [the page](https://example.org) [2]"),
        ("[01] leads", "[1] leads"),
        ("ends with a blank ", "ends with a blank "),
        ("a stray ` tick [9] here\nnext", "a stray ` tick here\nnext"),
        ("[" + " " * 60 + "1]", "[" + " " * 60 + "1]"),
        ("`" + "x" * (CODE_CHARS - 3) + "[9]` is code", "`" + "x" * (CODE_CHARS - 3) + "[9]` is code"),
        ("`" + "x" * (CODE_CHARS - 2) + " [9]` is none", "`" + "x" * (CODE_CHARS - 2) + "` is none"),
    ],
)
def test_only_issued_markers_outside_code_survive(raw: str, shown: str) -> None:
    assert sanitize([raw])[0] == shown
    assert sanitize(list(raw))[0] == shown


@given(PIECES)
def test_the_result_does_not_depend_on_how_the_answer_was_cut_up(pieces: list[str]) -> None:
    whole = "".join(pieces)

    assert sanitize(pieces) == sanitize([whole]) == sanitize(list(whole))


@given(PIECES)
def test_what_was_shown_is_never_taken_back(pieces: list[str]) -> None:
    sanitizer = Sanitizer(labels=LABELS)
    shown = ""
    for piece in pieces:
        shown += sanitizer.feed(piece)

    assert sanitize(pieces)[0].startswith(shown)


@given(PIECES)
def test_a_whole_answer_is_sanitised_to_what_was_released_of_it(pieces: list[str]) -> None:
    shown, removed = sanitize(pieces)
    whole = sanitized("".join(pieces).strip(), LABELS)

    assert (whole.text, whole.removed) == (shown.strip(), removed)


def test_text_before_an_open_bracket_is_released_while_the_bracket_waits() -> None:
    sanitizer = Sanitizer(labels=LABELS)

    assert sanitizer.feed("Refunds take five working days [") == "Refunds take five working days"
    assert sanitizer.feed("1") == ""
    assert sanitizer.feed("] and not a day longer.") == " [1] and not a day longer."


def test_an_open_bracket_is_let_go_when_it_can_no_longer_be_a_marker() -> None:
    sanitizer = Sanitizer(labels=LABELS)
    sanitizer.feed("x" * FLUSH_FLOOR)

    assert sanitizer.feed("[" + "1" * 40).startswith("[1111")


def test_removed_labels_are_counted() -> None:
    assert sanitize(["a [4] b [1, 9] c"])[1] == 2
