"""Questions that were asked by command are read again from what the bot showed."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.discord.events import Room
from adapters.discord.recital import recited, shown
from bot.chat import Thread
from pipeline.domain import Scope
from tests.unit.adapters.discord.objects import ANNA, BOT, GENERAL, PEOPLE, SERVER, World

ROOM = Room(id=GENERAL, scope=Scope("discord", str(SERVER), str(GENERAL)))
COMMAND = 20


def use(user: int = ANNA) -> dict[str, Any]:
    return {"id": "77", "type": 2, "user": PEOPLE[user], "authorizing_integration_owners": {}}


@pytest.mark.parametrize(
    "question",
    [
        "How long?",
        "What is 2*3_4 in `code`, ~~x~~ # y?",
        "First\n\nsecond > third",
        "Who is @everyone and <@1>?",
    ],
)
@pytest.mark.parametrize("name", ["Anna", "**x** asks:", "a_b"])
def test_it_reads_as_it_was_asked(question: str, name: str) -> None:
    message = World().message(text=shown(name, question), by=BOT, type=COMMAND, interaction_metadata=use())

    asked = recited(message, ROOM, BOT)

    assert asked is not None
    assert (asked.text, asked.author, asked.event_id) == (question, str(ANNA), "77")
    assert (asked.thread, asked.mentioned) == (Thread(ROOM.scope, str(message.id)), True)


@pytest.mark.parametrize(
    "other",
    [
        {"type": 0},
        {"by": ANNA},
        {"interaction_metadata": None},
        {"text": "**Anna** adds a file:"},
        {"text": "**Anna** asks:\n\n> How long?\n\nFive days."},
    ],
)
def test_nothing_else_is_taken_for_one(other: dict[str, Any]) -> None:
    said = {
        "text": shown("Anna", "How long?"),
        "by": BOT,
        "type": COMMAND,
        "interaction_metadata": use(),
    }

    given = {key: value for key, value in {**said, **other}.items() if value is not None}
    assert recited(World().message(**given), ROOM, BOT) is None
