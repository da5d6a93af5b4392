"""What a channel chose is kept by name, and goes with the channel."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from pipeline.domain import Scope
from pipeline.storage.preferences import ChannelChoices

if TYPE_CHECKING:
    from pipeline.storage.sql import Database

SCOPE = Scope("slack", "T1", "C1")
OTHER = Scope("slack", "T1", "C2")


@pytest.fixture
def choices(database: Database) -> ChannelChoices:
    return ChannelChoices(database)


async def test_a_channel_that_changed_nothing_has_no_choices(choices: ChannelChoices) -> None:
    assert await choices.find(SCOPE) == {}


async def test_a_choice_replaces_the_earlier_and_leaves_the_others(choices: ChannelChoices) -> None:
    await choices.save(SCOPE, {"follow_ups": "always", "other": 1})
    await choices.save(SCOPE, {"follow_ups": "mention"})
    assert await choices.find(SCOPE) == {"follow_ups": "mention", "other": 1}
    assert await choices.find(OTHER) == {}


async def test_choices_made_at_once_are_all_kept(choices: ChannelChoices) -> None:
    await asyncio.gather(*(choices.save(SCOPE, {str(number): number}) for number in range(10)))
    assert await choices.find(SCOPE) == {str(number): number for number in range(10)}


async def test_a_lost_channel_leaves_no_choices(choices: ChannelChoices) -> None:
    for scope in (SCOPE, OTHER):
        await choices.save(scope, {"follow_ups": "always"})
    await choices.forget_scope(SCOPE)
    assert await choices.find(SCOPE) == {}
    assert await choices.find(OTHER) == {"follow_ups": "always"}
