from __future__ import annotations

from bot.owners import Owners
from tests.fakes.library import FakeChoices


async def test_the_bot_that_was_there_last_is_known_over_restarts() -> None:
    choices = FakeChoices()
    owners = Owners(choices, "fake")
    assert await owners.last("w") is None
    await owners.note("w", "one")
    await owners.note("w2", "one")

    later = Owners(choices, "fake")
    assert await later.other("w", "one") is None
    assert await later.others(["w", "w2", "w3"], "two") == {"w": "one", "w2": "one"}

    await later.note("w", "two")
    assert await Owners(choices, "fake").last("w") == "two"


async def test_what_is_removed_with_its_workspace_is_looked_up_anew() -> None:
    choices = FakeChoices()
    owners = Owners(choices, "fake")
    await owners.note("w", "one")
    choices.kept.clear()
    owners.forget("w")

    assert await owners.last("w") is None
    await owners.note("w", "one")
    assert choices.kept
