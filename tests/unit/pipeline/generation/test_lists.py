"""Lists are found with what leads in to them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.generation.lists import find_lists


def found(text: str) -> list[tuple[str, list[str]]]:
    return [(each.lead, [" ".join(item) for item in each.items]) for each in find_lists(text)]


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        ("You need:\n- a name\n- a date", [("You need:", ["a name", "a date"])]),
        ("Ask us. **You need:**\n\n* a name\n\n* a date", [("**You need:**", ["a name", "a date"])]),
        ("Steps:\n1. Do it.\n   With care.\n2) Rest.", [("Steps:", ["1. Do it. With care.", "2) Rest."])]),
        ("## Needed\n- a name\n- a date", [("", ["a name", "a date"])]),
        ("需要：\n• 姓名\n• 日期", [("需要：", ["姓名", "日期"])]),
        ("You need:\n- a name\n\nOr:\n- this\n- that", [("Or:", ["this", "that"])]),
        ("You need: a name\n- and nothing else", []),
        ("", []),
    ],
)
def test_a_list_has_a_lead_in_and_items(text: str, lists: list[tuple[str, list[str]]]) -> None:
    assert found(text) == lists


def test_its_parts_are_told_by_their_sentences() -> None:
    [whole] = find_lists("Steps:\n1. Do it. Rest.\n2. Go.\n\nAt last.")

    assert [whole.holds(said) for said in ("Steps:", "Rest.", "2. Go.", "At last.")] == [
        True,
        True,
        True,
        False,
    ]
    assert whole.is_numbered


@given(st.text(alphabet="ab.:-1) \n", max_size=80))
def test_no_text_breaks_it(text: str) -> None:
    assert all(len(each.items) > 1 for each in find_lists(text))


@pytest.mark.parametrize(
    ("items", "is_brief", "is_short", "shown"),
    [
        (["a" * 50] * 12, True, True, 12),
        (["a" * 50] * 13, True, False, 12),
        (["a" * 150] * 5, True, False, 4),
        (["a" * 161, "b"], False, False, 2),
        (["a " * 400, "b"], False, False, 1),
    ],
)
def test_a_list_is_short_by_its_items_and_their_length(
    items: list[str], is_brief: bool, is_short: bool, shown: int
) -> None:
    [whole] = find_lists("\n".join(f"- {item}" for item in items))

    assert (whole.is_brief, whole.is_short, len(whole.beginning())) == (is_brief, is_short, shown)


def test_an_item_without_text_does_not_end_a_list() -> None:
    [found] = find_lists("Chores in the office:\n- \n- Water the plants\n-\n- Empty the bins")

    assert (found.lead, found.items) == (
        "Chores in the office:",
        (("Water the plants",), ("Empty the bins",)),
    )


def test_items_of_items_belong_to_them() -> None:
    steps = (
        "How to reset it:\n1. First, unplug it:\n   - wait a minute\n   - press the button\n2. Plug it in."
    )

    [found] = find_lists(steps)

    assert found.items == (("1. First, unplug it:", "wait a minute", "press the button"), ("2. Plug it in.",))
