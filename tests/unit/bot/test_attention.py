"""A follow-up is a question without naming the bot, as far as the channel's people chose."""

from __future__ import annotations

import pytest

from bot.preferences import FollowUps, Preferences
from pipeline.errors import StorageError
from tests.fakes.library import FakePreferences
from tests.fakes.pipeline import answer
from tests.fakes.room import ONE, SCOPE, TWO, Room


def room(follow_ups: FollowUps | None = None) -> Room:
    preferences = FakePreferences()
    if follow_ups is not None:
        preferences.kept[SCOPE.key] = Preferences(follow_ups=follow_ups)
    return Room(answer("Answer."), preferences=preferences)


async def heard(room: Room, *, author: str = "u1") -> bool:
    """Tell whether a follow-up in a thread that u1 asked in is answered."""
    room.say("first")
    await room.settled()
    room.say("second", author=author, mentioned=False)
    await room.settled()
    return room.asked == ["first", "second"]


@pytest.mark.parametrize(
    ("follow_ups", "author", "answered"),
    [
        (None, "u1", True),
        (None, "u2", False),
        (FollowUps.ASKER, "u1", True),
        (FollowUps.ASKER, "u2", False),
        (FollowUps.ALWAYS, "u1", True),
        (FollowUps.ALWAYS, "u2", True),
        (FollowUps.MENTION, "u1", False),
    ],
)
async def test_who_may_follow_up_is_the_channels_choice(
    follow_ups: FollowUps | None, author: str, answered: bool
) -> None:
    assert await heard(room(follow_ups), author=author) is answered


@pytest.mark.parametrize("follow_ups", list(FollowUps))
async def test_a_message_that_names_the_bot_is_always_for_it(follow_ups: FollowUps) -> None:
    asking = room(follow_ups)

    asking.say("first")
    asking.say("second", author="u2")
    await asking.settled()

    assert asking.asked == ["first", "second"]


@pytest.mark.parametrize("follow_ups", list(FollowUps))
async def test_people_who_talk_among_themselves_are_left_alone(follow_ups: FollowUps) -> None:
    asking = room(follow_ups)
    asking.say("question", thread=TWO)
    await asking.settled()

    asking.say("lunch?", thread=ONE, mentioned=False)
    await asking.settled()

    assert asking.asked == ["question"]
    assert [entry.id for entry in asking.ledger.entries] == ["question"]


async def test_a_follow_up_right_behind_its_question_is_heard() -> None:
    asking = room()

    asking.say("first")
    asking.say("second", mentioned=False)
    await asking.settled()

    assert asking.asked == ["first", "second"]


async def test_a_follow_up_after_a_restart_is_heard() -> None:
    before = room()
    before.say("first")
    await before.settled()
    after = await before.successor(answer("Answer."))

    after.say("second", mentioned=False)
    await after.settled()

    assert after.asked == ["second"]


async def test_who_took_a_question_back_follows_up_on_nothing() -> None:
    asking = room()
    asking.say("first")
    await asking.settled()
    asking.delete("first")
    await asking.settled()

    asking.say("second", mentioned=False)
    await asking.settled()

    assert asking.asked == ["first"]


@pytest.mark.parametrize(("author", "answered"), [("u1", True), ("u2", False)])
async def test_without_the_ledger_what_this_process_knows_counts(author: str, answered: bool) -> None:
    asking = room()
    asking.ledger.error = StorageError()

    assert await heard(asking, author=author) is answered


async def test_without_the_settings_the_defaults_count() -> None:
    asking = Room(answer("Answer."), preferences=BrokenPreferences())

    assert await heard(asking)


@pytest.mark.parametrize("follow_ups", list(FollowUps))
async def test_thanks_among_people_are_left_alone_and_those_to_the_bot_are_not(follow_ups: FollowUps) -> None:
    asking = room(follow_ups)
    asking.say("first")
    await asking.settled()

    asking.say("thanks!", mentioned=False)
    asking.say("Thank you", mentioned=True)
    await asking.settled()

    assert asking.asked == ["first", "Thank you"]


class BrokenPreferences(FakePreferences):
    """A store that cannot be read."""

    async def read(self, scope: object) -> Preferences:
        raise StorageError
