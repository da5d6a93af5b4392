"""One workspace, over the real client."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from aiohttp import ClientError
from slack_sdk.errors import SlackApiError

from adapters.slack.calls import Refused
from adapters.slack.workspaces import Line, OneWorkspace, is_direct
from bot.chat import NotAllowed, RateLimited, Unreachable
from tests.fakes.slack import SlackServer, error, http, rate_limited, reset_after, reset_before

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DEAD_PROXY = "http://127.0.0.1:9"


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


@pytest.fixture
async def workspace(slack: SlackServer) -> AsyncIterator[OneWorkspace]:
    one = OneWorkspace(slack.team.token, base_url=slack.base_url)
    yield one
    await one.close()


async def test_slack_is_asked_once_who_the_bot_is(slack: SlackServer, workspace: OneWorkspace) -> None:
    identity = await workspace.identity("T0ACME")
    await workspace.client("T0ACME")

    assert await workspace.own() == identity
    assert (identity.team, identity.user_id, identity.bot_id) == ("T0ACME", "U0BOT", "B0BOT")
    assert identity.url == "https://acme.slack.com/"
    assert len(slack.called("auth.test")) == 1


async def test_another_workspace_is_not_its_business(workspace: OneWorkspace) -> None:
    for ask in (workspace.client, workspace.identity):
        with pytest.raises(NotAllowed):
            await ask("T0ELSE")


async def test_a_token_that_slack_does_not_know_is_told_at_once(slack: SlackServer) -> None:
    one = OneWorkspace("xoxb-made-up", base_url=slack.base_url)
    with pytest.raises(Refused) as caught:
        await one.own()
    await one.close()

    assert caught.value.code == "invalid_auth"


@pytest.mark.parametrize(
    ("fault", "kind"),
    [(http(502), Unreachable), (rate_limited(3), RateLimited), (reset_before(), Unreachable)],
    ids=["server error", "rate", "reset"],
)
async def test_a_question_that_failed_is_asked_again(
    slack: SlackServer, workspace: OneWorkspace, fault: object, kind: type[Exception]
) -> None:
    slack.fail("auth.test", fault)  # type: ignore[arg-type]

    with pytest.raises(kind):
        await workspace.own()

    assert (await workspace.own()).user_id == "U0BOT"


async def test_an_organisation_stands_for_its_workspaces(slack: SlackServer, workspace: OneWorkspace) -> None:
    identity = await workspace.own()

    assert identity.enterprise is None
    assert await workspace.identity("") == identity
    with pytest.raises(NotAllowed):
        await workspace.identity("E0OTHER")


async def test_a_call_is_made_once_although_its_answer_is_lost(
    slack: SlackServer, workspace: OneWorkspace
) -> None:
    """The SDK would post again by itself."""
    slack.fail("chat.postMessage", reset_after(), times=None)
    client = await workspace.client("T0ACME")

    with pytest.raises(ClientError):
        await client.chat_postMessage(channel="C0GENERAL", text="Hello")

    assert len(slack.called("chat.postMessage")) == 1


async def test_connections_are_kept_between_calls(slack: SlackServer, workspace: OneWorkspace) -> None:
    sessions = {(await workspace.client("T0ACME")).session for _ in range(3)}

    assert len(sessions) == 1


async def test_a_closed_line_opens_again(slack: SlackServer, workspace: OneWorkspace) -> None:
    await workspace.own()
    await workspace.close()

    client = await workspace.client("T0ACME")

    assert (await client.auth_test())["ok"]


async def test_no_proxy_sees_what_is_said_on_this_machine(
    slack: SlackServer, workspace: OneWorkspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, DEAD_PROXY)

    assert (await workspace.own()).team == "T0ACME"


async def test_the_machines_proxy_is_used_for_slack_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", DEAD_PROXY)
    line = Line()

    client = line.client("xoxb-1")
    monkeypatch.setenv("NO_PROXY", "slack.com")
    exempt = line.client("xoxb-1")
    await line.close()

    assert client.proxy == DEAD_PROXY
    assert exempt.proxy is None


@pytest.mark.parametrize(
    ("url", "direct"),
    [
        ("http://127.0.0.1:8080/api/", True),
        ("http://[::1]:8080/api/", True),
        ("http://localhost/api/", True),
        ("https://slack.com/api/", False),
        ("https://10.0.0.5/api/", False),
        ("https://localhost.example.com/api/", False),
    ],
)
def test_only_this_machine_is_without_a_proxy(url: str, direct: bool) -> None:
    assert is_direct(url) is direct


async def test_the_sdk_writes_no_requests_into_the_log(
    slack: SlackServer, workspace: OneWorkspace, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    client = await workspace.client("T0ACME")

    await client.chat_postMessage(channel="C0GENERAL", text="a secret answer")
    slack.fail("chat.postMessage", error("not_in_channel"))
    with pytest.raises(SlackApiError):
        await client.chat_postMessage(channel="C0GENERAL", text="a secret answer")

    assert "a secret answer" not in caplog.text
