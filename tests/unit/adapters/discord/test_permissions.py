from __future__ import annotations

import discord
import pytest

from adapters.discord.clerk import CUSTOMS
from adapters.discord.permissions import LEAST, NAMES, listed, manages, missing, shortcomings, speaking


def without(*names: str) -> discord.Permissions:
    return discord.Permissions(**{name: True for name in NAMES if name not in names})


def test_the_invitation_asks_for_the_least_permissions() -> None:
    assert LEAST.value == 309237763136
    assert missing(LEAST) == []
    assert shortcomings(LEAST, thread=False) is None


def test_what_is_missing_is_named_as_in_discord() -> None:
    granted = without("send_messages", "read_message_history")

    assert missing(granted) == ["Send Messages", "Read Message History"]
    assert "**Send Messages**, **Read Message History**" in (shortcomings(granted, thread=False) or "")
    assert listed([]) == ""


def test_in_a_thread_the_permissions_of_threads_count() -> None:
    assert missing(without("send_messages", "create_public_threads"), thread=True) == []
    assert speaking(thread=True) == ("view_channel", "send_messages_in_threads")


@pytest.mark.parametrize(
    ("granted", "expected"),
    [
        ({"manage_channels": True}, True),
        ({"manage_guild": True}, True),
        ({"administrator": True}, True),
        ({"manage_messages": True, "manage_threads": True}, False),
        ({}, False),
    ],
)
def test_those_manage_a_channel_who_manage_it_or_its_server(granted: dict[str, bool], expected: bool) -> None:
    assert manages(discord.Permissions(**granted)) is expected


@pytest.mark.parametrize(
    ("command", "written"),
    [
        ("docs", "`/docs`"),
        ("forget ID", "`/forget document:ID`"),
        ("forget all", "`/forget document:all`"),
        ("settings follow-ups always", "`/settings follow-ups:always`"),
        ("settings follow-ups", "`/settings follow-ups`"),
    ],
)
def test_commands_are_written_with_the_names_of_their_options(command: str, written: str) -> None:
    assert CUSTOMS.code(command) == written
