from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from adapters.discord.components import LONGEST, PATTERN, custom_id, parse_custom_id
from bot import controls
from bot.controls import under_answer, while_writing

ACTIONS = [
    controls.FORGET,
    controls.STOP,
    controls.GOOD,
    controls.BAD,
    controls.NOTE,
    controls.SOURCES,
    controls.WHY,
]
MESSAGE = "9" * 20
DOCUMENT = "d" + "f" * 20


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("value", [MESSAGE, DOCUMENT, ""])
def test_every_button_of_ours_fits(action: str, value: str) -> None:
    kept = custom_id(action, value)

    assert len(kept) <= LONGEST
    assert parse_custom_id(kept) == (action, value)


def test_the_buttons_of_an_answer_are_told_apart() -> None:
    buttons = [*under_answer(MESSAGE), *while_writing(MESSAGE)]

    assert len({custom_id(button.action, button.value) for button in buttons}) == len(buttons)


@given(st.sampled_from(ACTIONS), st.text(max_size=60))
def test_what_is_kept_comes_back(action: str, value: str) -> None:
    assert parse_custom_id(custom_id(action, value)) == (action, value)


@given(st.text(max_size=LONGEST))
def test_of_what_others_keep_nothing_is_ours(text: str) -> None:
    parsed = parse_custom_id(text)

    assert parsed is None or custom_id(*parsed) == text


@pytest.mark.parametrize(
    "text", ["", "good:1", "fn:", "fn:2:good:1", "fn:1:good", "fn:1::1", "xfn:1:good:1", "FN:1:good:1"]
)
def test_other_versions_and_other_bots_are_not_ours(text: str) -> None:
    assert parse_custom_id(text) is None


@pytest.mark.parametrize(
    ("action", "value"), [("good", "9" * 100), ("", "1"), ("good:bad", "1"), ("Good", "1"), ("g d", "1")]
)
def test_what_could_not_be_kept_or_read_again_is_refused(action: str, value: str) -> None:
    with pytest.raises(ValueError, match=r"Discord keeps|the name"):
        custom_id(action, value)


def test_the_pattern_is_one_that_a_persistent_button_can_be_found_by() -> None:
    found = re.compile(PATTERN).fullmatch(custom_id(controls.GOOD, MESSAGE))

    assert found is not None
    assert found.groupdict() == {"action": controls.GOOD, "value": MESSAGE}
