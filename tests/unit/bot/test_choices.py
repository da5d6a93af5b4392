from __future__ import annotations

import pytest

from bot.choices import CHOICES, ChannelSettings
from bot.preferences import FollowUps, Preferences
from bot.records import Caller, Customs
from pipeline.domain import Scope
from pipeline.verdicts import Mode
from tests.fakes.library import FakePreferences

SCOPE = Scope("fake", "w", "c")
ANN = Caller(author="ann")
BOSS = Caller(author="boss", manages=True)


@pytest.fixture
def store() -> FakePreferences:
    return FakePreferences()


async def run(store: FakePreferences, args: str, caller: Caller = BOSS) -> str:
    customs = Customs(prefix="/x ", managers="the channel's owners")
    return (await ChannelSettings(store, customs).run(SCOPE, args, caller)).text


async def test_all_settings_are_shown_with_their_meaning_and_how_to_change_them(
    store: FakePreferences,
) -> None:
    text = await run(store, "", ANN)

    assert "`follow-ups` is `asker`" in text
    assert "- `/x settings follow-ups asker`: those of people who asked" in text
    assert text.count("← now") == len(CHOICES)
    assert "the channel's owners" in text


async def test_every_value_of_a_setting_has_a_meaning() -> None:
    follow_ups, answers = CHOICES

    assert list(follow_ups.meanings) == list(FollowUps)
    assert list(answers.meanings) == list(Mode)


@pytest.mark.parametrize("args", ["follow-ups always", "Follow_Ups = ALWAYS", "followups always"])
async def test_those_who_manage_a_channel_change_its_settings(store: FakePreferences, args: str) -> None:
    text = await run(store, args)

    assert text.startswith("Done. `follow-ups` is `always` from now on")
    assert await store.read(SCOPE) == Preferences(follow_ups=FollowUps.ALWAYS)
    assert "`follow-ups` is `always`" in await run(store, "follow-ups")


async def test_several_settings_are_changed_at_once(store: FakePreferences) -> None:
    text = await run(store, "follow-ups always answers=verified")

    assert text.count("Done.") == 2
    assert await store.read(SCOPE) == Preferences(follow_ups=FollowUps.ALWAYS, answers=Mode.VERIFIED)


async def test_others_are_told_who_may_and_what_stays(store: FakePreferences) -> None:
    text = await run(store, "follow-ups mention", ANN)

    assert "can be changed only by the channel's owners" in text
    assert "stays `asker`" in text
    assert store.kept == {}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ("colour blue", "There is no setting “colour”."),
        ("follow-ups loudly", "“loudly” is no value of `follow-ups`."),
        ("follow-ups", "`follow-ups` is `asker`"),
    ],
)
async def test_what_is_no_setting_is_answered_with_what_is(
    store: FakePreferences, args: str, words: str
) -> None:
    text = await run(store, args)

    assert text.startswith(words)
    assert "`/x settings follow-ups mention`" in text
    assert store.kept == {}
