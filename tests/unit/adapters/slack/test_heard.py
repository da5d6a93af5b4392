from __future__ import annotations

from typing import Any

import pytest

from adapters.slack.heard import Heard, kind_of
from adapters.slack.manifest import EVENTS
from pipeline.errors import StorageError
from tests.fakes.calendar import FakeCalendar

WEEK_S = 7 * 86_400


class Memory:
    def __init__(self) -> None:
        self.keys: list[str] = []
        self.broken = False

    async def first_time(self, key: str) -> bool:
        if self.broken:
            raise StorageError
        self.keys.append(key)
        return True

    async def named(self, prefix: str) -> list[str]:
        return [key for key in self.keys if key.startswith(prefix)]


async def test_a_kind_is_written_once_a_week_and_remembered_as_what_it_is_called() -> None:
    memory, calendar = Memory(), FakeCalendar()
    heard = Heard(memory, calendar)
    for _ in range(3):
        await heard.note("message.channels")
        await heard.note("app_mention")
    assert len(memory.keys) == 2

    calendar.advance(WEEK_S)
    await heard.note("app_mention")

    assert len(memory.keys) == 3
    assert await heard.kinds() == {"message.channels", "app_mention"}


async def test_a_memory_that_fails_keeps_no_event_from_being_worked_on_and_is_tried_again() -> None:
    memory = Memory()
    heard = Heard(memory, FakeCalendar())
    memory.broken = True
    await heard.note("app_mention")
    memory.broken = False

    await heard.note("app_mention")

    assert await heard.kinds() == {"app_mention"}


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"event": {"type": "app_mention"}}, "app_mention"),
        ({"event": {"type": "message", "channel_type": "channel"}}, "message.channels"),
        ({"event": {"type": "message", "channel_type": "group"}}, "message.groups"),
        ({"event": {"type": "message", "channel_type": "mpim"}}, "message.mpim"),
        ({"event": {"type": "message", "channel_type": "im"}}, "message.im"),
        ({"event": {"type": "message", "channel_type": "app_home"}}, "message.im"),
        ({"event": {"type": "file_deleted"}}, "file_deleted"),
        ({"type": "block_actions"}, "interactivity"),
        ({"type": "view_submission"}, "interactivity"),
        ({"type": "message_action"}, "shortcut"),
        ({"command": "/footnote", "text": "docs"}, "slash command"),
        ({"type": "app_rate_limited"}, None),
        ({"type": "event_callback"}, None),
    ],
)
def test_a_body_is_called_as_the_manifest_calls_it(body: dict[str, Any], kind: str | None) -> None:
    assert kind_of(body) == kind


def test_every_kind_of_message_that_is_subscribed_can_be_heard() -> None:
    types = ("channel", "group", "im", "mpim")
    heard = {kind_of({"event": {"type": "message", "channel_type": one}}) for one in types}

    assert {need.name for need in EVENTS if need.name.startswith("message.")} == heard
