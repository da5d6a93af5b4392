"""What is remembered of installations, for how long, and what replaces what."""

from __future__ import annotations

import asyncio

import pytest
from slack_sdk.oauth.installation_store import Installation

from adapters.slack.installations import FRESH_S, MISSING_S, Installations

TOKEN = "xoxb-1"


class PlainVault:
    """A vault that seals nothing and counts how often it is asked."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.reads = 0
        self.slow: asyncio.Event | None = None

    async def put(self, name: str, text: str) -> None:
        self.kept[name] = text

    async def get(self, name: str) -> str | None:
        self.reads += 1
        found = self.kept.get(name)
        if self.slow is not None:
            await self.slow.wait()
        return found

    async def names(self, prefix: str) -> list[str]:
        return sorted(name for name in self.kept if name.startswith(prefix))

    async def delete(self, name: str) -> None:
        self.kept.pop(name, None)


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def vault() -> PlainVault:
    return PlainVault()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(vault: PlainVault, clock: Clock) -> Installations:
    return Installations(vault, clock=clock)


def installed(team: str | None, token: str = TOKEN, enterprise: str | None = None) -> Installation:
    return Installation(
        app_id="A1",
        enterprise_id=enterprise,
        team_id=team,
        bot_token=token,
        bot_id="B1",
        bot_user_id="U1",
        bot_scopes="chat:write,files:read",
        user_id="U9",
        user_token="xoxp-of-somebody",
        is_enterprise_install=team is None,
        custom_values={"url": "https://one.slack.com/"},
    )


async def test_what_is_kept_comes_back_without_the_token_of_the_person(
    store: Installations, vault: PlainVault
) -> None:
    given = installed("T1")
    await store.async_save(given)

    found = await store.of("T1")

    assert found is not None
    assert found.to_dict() == {**given.to_dict(), "user_token": None}
    assert "xoxp" not in str(vault.kept)


async def test_the_sdk_finds_it_as_an_installation_and_as_a_bot(store: Installations) -> None:
    await store.async_save(installed("T1"))

    bot = await store.async_find_bot(enterprise_id=None, team_id="T1")

    assert bot is not None
    assert (bot.bot_token, bot.bot_scopes) == ("xoxb-1", ["chat:write", "files:read"])
    assert await store.async_find_bot(enterprise_id=None, team_id="T2") is None
    bot.bot_token = "xoxb-2"
    await store.async_save_bot(bot)
    assert (await store.async_find_bot(enterprise_id=None, team_id="T1")).bot_token == "xoxb-2"  # type: ignore[union-attr]


async def test_many_events_cost_one_look_until_it_may_have_changed(
    store: Installations, vault: PlainVault, clock: Clock
) -> None:
    await store.async_save(installed("T1"))
    for _ in range(50):
        await store.of("T1")
    assert vault.reads == 1

    clock.now += FRESH_S
    await store.of("T1")
    assert vault.reads == 2


async def test_that_nothing_is_there_is_remembered_for_a_moment(
    store: Installations, vault: PlainVault, clock: Clock
) -> None:
    for _ in range(50):
        assert await store.of("T1") is None
    first = vault.reads
    vault.kept["slack/team/T1"] = '{"user_id": "U9", "bot_token": "xoxb-1"}'

    clock.now += MISSING_S
    assert await store.of("T1") is not None
    assert first == 3


async def test_a_read_that_began_before_a_change_is_not_remembered(
    store: Installations, vault: PlainVault
) -> None:
    await store.async_save(installed("T1", "xoxb-old"))
    vault.slow = asyncio.Event()
    reading = asyncio.create_task(store.of("T1"))
    await asyncio.sleep(0)
    await store.async_save(installed("T1", "xoxb-new"))
    vault.slow.set()
    await reading

    found = await store.of("T1")

    assert found is not None and found.bot_token == "xoxb-new"


async def test_what_a_person_revokes_leaves_the_bot_installed(store: Installations) -> None:
    await store.async_save(installed("T1"))

    await store.async_delete_installation(enterprise_id=None, team_id="T1", user_id="U9")
    assert await store.of("T1") is not None
    await store.async_delete_all(enterprise_id=None, team_id="T1")
    assert await store.of("T1") is None


async def test_an_organisations_installation_serves_its_workspaces_and_replaces_theirs(
    store: Installations, vault: PlainVault
) -> None:
    await store.async_save(installed("T1", "xoxb-one", enterprise="E1"))
    await store.async_save(installed("T2", "xoxb-other"))
    await store.async_save(installed(None, "xoxb-all", enterprise="E1"))

    found = await store.async_find_installation(enterprise_id="E1", team_id="T1", is_enterprise_install=True)

    assert found is not None and found.bot_token == "xoxb-all"
    assert (await store.of("T1")).bot_token == "xoxb-all"  # type: ignore[union-attr]
    assert (await store.of("T2")).bot_token == "xoxb-other"  # type: ignore[union-attr]
    assert await store.teams() == ["T2", "E1"]
    await store.async_delete_all(enterprise_id="E1", team_id=None)
    assert await store.of("T1") is None
    assert await store.of("E1") is None


async def test_a_workspace_of_an_organisation_may_be_installed_alone(store: Installations) -> None:
    await store.async_save(installed("T1", enterprise="E1"))

    assert await store.async_find_installation(enterprise_id="E1", team_id="T1") is not None
    assert await store.async_find_installation(enterprise_id="E1", team_id="T2") is None
