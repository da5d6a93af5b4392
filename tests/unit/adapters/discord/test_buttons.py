"""The buttons of a message."""

from __future__ import annotations

from typing import Any

from adapters.discord.buttons import LONGEST_LABEL, MOST, view
from adapters.discord.components import parse_custom_id
from bot.chat import Button
from bot.controls import STOP, under_answer, while_writing

DANGER, SECONDARY = 4, 2


def rows(*buttons: Button) -> list[list[dict[str, Any]]]:
    shown = view(buttons)
    assert shown is not None
    return [row["components"] for row in shown.to_components()]


async def test_no_buttons_are_no_view() -> None:
    assert view(()) is None


async def test_what_was_pressed_can_be_read_from_its_id() -> None:
    (row,) = rows(*under_answer("17"))

    assert [parse_custom_id(one["custom_id"]) for one in row] == [
        (button.action, button.value) for button in under_answer("17")
    ]
    assert [one["label"] for one in row] == ["👍", "👎", "Sources", "Why this answer"]


async def test_only_what_takes_something_away_looks_dangerous() -> None:
    ((stop,),) = rows(*while_writing("17"))
    styles = {one["style"] for row in rows(*under_answer("17")) for one in row}

    assert parse_custom_id(stop["custom_id"]) == (STOP, "17")
    assert stop["style"] == DANGER
    assert styles == {SECONDARY}


async def test_five_stand_in_a_row_and_no_more_than_discord_takes_are_shown() -> None:
    buttons = [Button(label=f"Choice {n}", action="forget", value=f"d{n}") for n in range(MOST + 5)]

    assert [len(row) for row in rows(*buttons)] == [5] * 5


async def test_a_long_label_is_cut() -> None:
    ((button,),) = rows(Button(label="w" * 200, action="forget", value="d"))

    assert len(button["label"]) == LONGEST_LABEL


async def test_a_view_is_over_before_it_is_sent() -> None:
    """Or discord.py would keep it for as long as the program runs."""
    shown = view(while_writing("17"))

    assert shown is not None
    assert shown.is_finished()
