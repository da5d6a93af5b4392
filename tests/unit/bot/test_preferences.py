from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from bot.preferences import FollowUps, KeptPreferences, Preferences
from tests.fakes.room import SCOPE

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pipeline.domain import Scope


class FakeChoices:
    """`Choices` of one channel."""

    def __init__(self, **chosen: Any) -> None:
        self.chosen = dict(chosen)

    async def find(self, scope: Scope) -> Mapping[str, Any]:
        return self.chosen

    async def save(self, scope: Scope, chosen: Mapping[str, Any]) -> None:
        self.chosen.update(chosen)


async def test_a_channel_that_chose_nothing_has_the_defaults() -> None:
    assert await KeptPreferences(FakeChoices()).read(SCOPE) == Preferences(follow_ups=FollowUps.ASKER)


@pytest.mark.parametrize("follow_ups", list(FollowUps))
async def test_what_was_written_is_read(follow_ups: FollowUps) -> None:
    kept = KeptPreferences(FakeChoices())

    await kept.write(SCOPE, Preferences(follow_ups=follow_ups))

    assert await kept.read(SCOPE) == Preferences(follow_ups=follow_ups)


async def test_what_a_newer_program_chose_is_left_alone_and_read_as_the_default(
    caplog: pytest.LogCaptureFixture,
) -> None:
    choices = FakeChoices(follow_ups="telepathy", mood="sunny")

    with caplog.at_level(logging.WARNING):
        assert await KeptPreferences(choices).read(SCOPE) == Preferences()

    assert "telepathy" not in caplog.text
    await KeptPreferences(choices).write(SCOPE, Preferences())
    assert choices.chosen["mood"] == "sunny"
