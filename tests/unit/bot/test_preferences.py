from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from bot.preferences import (
    FollowUps,
    KeptPreferences,
    Preferences,
    kept_preferences,
    known_preferences,
)
from pipeline.errors import StorageError
from pipeline.verdicts import Mode
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


@pytest.mark.parametrize("answers", list(Mode))
async def test_the_way_answers_are_shown_is_kept(answers: Mode) -> None:
    kept = KeptPreferences(FakeChoices())

    await kept.write(SCOPE, Preferences(answers=answers))

    assert (await kept.read(SCOPE)).answers is answers


async def test_a_channel_follows_the_settings_until_it_chooses_for_itself() -> None:
    choices = FakeChoices()

    await kept_preferences(choices, "verified").write(
        SCOPE, Preferences(follow_ups=FollowUps.ALWAYS, answers=Mode.VERIFIED)
    )

    assert choices.chosen == {"follow_ups": "always"}
    assert (await kept_preferences(choices, "verified").read(SCOPE)).answers is Mode.VERIFIED
    assert (await kept_preferences(choices, "streaming").read(SCOPE)).answers is Mode.STREAMING


async def test_where_nobody_can_tell_what_was_chosen_the_default_counts() -> None:
    class Broken(FakeChoices):
        async def find(self, scope: Scope) -> Mapping[str, Any]:
            raise StorageError("away")

    known = await known_preferences(kept_preferences(Broken(), "verified"), SCOPE)

    assert known.answers is Mode.VERIFIED
    assert await known_preferences(None, SCOPE) == Preferences()


async def test_what_a_newer_program_chose_is_left_alone_and_read_as_the_default(
    caplog: pytest.LogCaptureFixture,
) -> None:
    choices = FakeChoices(follow_ups="telepathy", mood="sunny")

    with caplog.at_level(logging.WARNING):
        assert await KeptPreferences(choices).read(SCOPE) == Preferences()

    assert "telepathy" not in caplog.text
    await KeptPreferences(choices).write(SCOPE, Preferences())
    assert choices.chosen["mood"] == "sunny"
