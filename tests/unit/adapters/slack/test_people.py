from __future__ import annotations

from typing import Any

import pytest

from adapters.slack.calls import Refused
from adapters.slack.people import FRESH, KEPT_MEMBERS, PAGES, People
from bot.chat import RateLimited, Unreachable
from tests.fakes.clock import FakeClock
from tests.fakes.slackweb import FakeWeb

MEMBER = {"id": "U1", "team_id": "T1"}
ADMIN = {"id": "U1", "team_id": "T1", "is_admin": True}


def channel(**fields: Any) -> dict[str, Any]:
    return {"channel": {"id": "C1", "creator": "U9", **fields}}


class Office:
    def __init__(self, user: Any = MEMBER, about: Any = None, members: Any = None) -> None:
        self.clock = FakeClock()
        self.web = FakeWeb(
            users_info=user if isinstance(user, Exception) else {"user": user},
            conversations_info=about or channel(),
            conversations_members=members or {"members": ["U1", "U2"]},
        )
        self.people = People(self.web, self.clock.monotonic)

    async def manages(self, user: str = "U1") -> bool:
        return await self.people.manages("T1", "C1", user)

    async def is_member(self, user: str = "U1", channel: str = "C1") -> bool | None:
        return await self.people.is_member("T1", channel, user)

    def asked(self, method: str) -> int:
        return sum(called == method for _, called, _ in self.web.calls)


@pytest.mark.parametrize("role", ["is_admin", "is_owner", "is_primary_owner"])
async def test_whoever_runs_the_workspace_manages_its_channels(role: str) -> None:
    assert await Office({**MEMBER, role: True}).manages()


async def test_whoever_made_the_channel_manages_it() -> None:
    office = Office(about=channel(creator="U1"))

    assert await office.manages("U1")
    assert not await office.manages("U2")


async def test_everybody_manages_their_own_conversation_with_the_bot() -> None:
    office = Office(about=channel(creator="U2", is_im=True, user="U1"))

    assert await office.manages("U1")
    assert not await office.manages("U2")


async def test_other_members_manage_nothing() -> None:
    assert not await Office().manages()
    assert await Office().people.belongs("T1", "U1")


@pytest.mark.parametrize(
    "outside",
    [
        {"is_restricted": True},
        {"is_ultra_restricted": True},
        {"is_stranger": True},
        {"team_id": "T2"},
        {"team_id": None},
        {"deleted": True},
        {"is_bot": True},
        {"team_id": "E1", "enterprise_user": {"teams": ["T2"]}},
    ],
)
async def test_guests_and_strangers_manage_nothing_whatever_they_are_at_home(outside: dict[str, Any]) -> None:
    office = Office({**ADMIN, **outside}, channel(creator="U1"))

    assert not await office.manages()
    assert not await office.people.belongs("T1", "U1")


@pytest.mark.parametrize("organisation", [{"teams": ["T2", "T1"]}, {"enterprise_id": "T1"}])
async def test_people_of_an_organisation_belong_to_each_of_their_workspaces(
    organisation: dict[str, Any],
) -> None:
    office = Office({**ADMIN, "team_id": "T2", "enterprise_user": organisation})

    assert await office.manages()


@pytest.mark.parametrize("error", [Refused("user_not_found"), RateLimited(1), Unreachable()])
async def test_where_slack_does_not_say_nobody_may_do_anything(error: Exception) -> None:
    office = Office(error, error, error)

    assert not await office.manages()
    assert await office.is_member() is None
    assert not await office.people.belongs("T1", "U1")


async def test_a_channel_that_slack_does_not_show_is_managed_by_admins_only() -> None:
    assert await Office(ADMIN, Unreachable()).manages()
    assert not await Office(MEMBER, Unreachable()).manages()


@pytest.mark.parametrize("answer", [{}, {"user": None}, {"user": {}}])
async def test_an_answer_that_says_nothing_is_a_no(answer: dict[str, Any]) -> None:
    people = People(FakeWeb(users_info=answer, conversations_info={}), FakeClock().monotonic)

    assert not await people.manages("T1", "C1", "U1")
    assert not await people.manages("T1", "C1", "")


async def test_members_are_looked_for_on_every_page() -> None:
    first = {"members": ["U1"], "response_metadata": {"next_cursor": "more"}}
    office = Office(members=[first, {"members": ["U2"], "response_metadata": {"next_cursor": ""}}])

    assert await office.is_member("U2")
    assert await office.is_member("U1")
    assert await office.is_member("U3") is False
    assert office.web.calls[1][2]["cursor"] == "more"
    assert office.asked("conversations.members") == 2


async def test_pages_without_end_are_left_at_some_point_and_nobody_knows_of_the_others() -> None:
    office = Office(members={"members": ["U1"], "response_metadata": {"next_cursor": "more"}})

    assert await office.is_member("U2") is None
    assert await office.is_member("U1")
    assert office.asked("conversations.members") == PAGES


async def test_an_answer_counts_for_some_minutes_and_is_then_asked_for_anew() -> None:
    office = Office(ADMIN)
    for _ in range(3):
        assert await office.manages()
        assert await office.is_member()
    office.clock.advance(FRESH - 1)
    assert await office.is_member()
    assert (office.asked("users.info"), office.asked("conversations.members")) == (1, 1)

    office.clock.advance(1)

    assert await office.manages()
    assert await office.is_member()
    assert (office.asked("users.info"), office.asked("conversations.members")) == (2, 2)


async def test_an_error_is_not_remembered() -> None:
    office = Office(members=[Unreachable(), {"members": ["U1"]}])

    assert not await office.is_member()
    assert await office.is_member()


async def test_who_left_a_channel_is_seen_at_once_where_slack_tells() -> None:
    office = Office(members=[{"members": ["U1"]}, {"members": []}])
    assert await office.is_member()

    office.people.changed("T1", "C1")

    assert not await office.is_member()


async def test_workspaces_are_told_apart() -> None:
    office = Office(ADMIN)

    assert await office.manages()
    assert not await office.people.manages("T2", "C1", "U1")


async def test_what_is_remembered_is_bounded() -> None:
    office = Office()
    for number in range(KEPT_MEMBERS + 1):
        await office.is_member(channel=f"C{number}")
    await office.is_member(channel="C0")

    assert office.asked("conversations.members") == KEPT_MEMBERS + 2
