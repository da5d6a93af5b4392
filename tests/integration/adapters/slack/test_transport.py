from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from adapters.slack.transport import SocketMode
from bot.chat import NotAllowed, Unreachable
from bot.library import SystemClock
from tests.fakes.clock import FakeClock
from tests.fakes.slack import ANNA, SlackServer, error, http
from tests.fakes.waiting import eventually
from tests.integration.adapters.slack.counter import Counter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.pacing import Clock

DIRECT = "D0ANNA"


class Line:
    """Sockets to one server, and what came over them."""

    def __init__(self, slack: SlackServer) -> None:
        self.slack = slack
        self.counter = Counter(slack)
        self._sockets: list[SocketMode] = []

    def sockets(
        self, *, token: str | None = None, url: str | None = None, clock: Clock | None = None, number: int = 1
    ) -> SocketMode:
        app = self.counter.app(url or self.slack.base_url)
        sockets = SocketMode(
            app, token or self.slack.app_token, clock=clock or SystemClock(), connections=number, ping=1.0
        )
        self._sockets.append(sockets)
        return sockets

    async def close(self) -> None:
        for sockets in self._sockets:
            await sockets.close()
        await self.counter.desk.tasks.settled()
        await self.counter.workspaces.close()


@pytest.fixture
async def line() -> AsyncIterator[Line]:
    async with SlackServer() as slack:
        line = Line(slack)
        yield line
        await line.close()


async def kill(sockets: SocketMode) -> None:
    """Let the connection end in such a way that it does not come back by itself."""
    (handler,) = sockets._open
    await handler.client.close()  # type: ignore[no-untyped-call] # as the SDK has it


async def test_every_event_comes_over_one_of_several_connections(line: Line) -> None:
    sockets = line.sockets(number=3)
    await sockets.connect()
    await line.slack.sockets.connected(3)
    for number in range(9):
        line.slack.say(DIRECT, ANNA, f"question {number}")
    await line.slack.settled()

    assert await sockets.alive() == 3
    assert sorted(line.counter.texts) == [f"question {number}" for number in range(9)]


@pytest.mark.parametrize(
    ("token", "code", "remedy"),
    [
        ("xapp-wrong", None, "make an app-level token"),
        ("xoxb-wrong", None, "another kind of token"),
        (None, "missing_scope", "connections:write"),
        (None, "token_revoked", "It was revoked"),
        (None, "socket_mode_is_off", "turn it on"),
    ],
)
async def test_a_token_that_slack_refuses_ends_the_attempt_with_what_to_do(
    line: Line, token: str | None, code: str | None, remedy: str
) -> None:
    if code is not None:
        line.slack.fail("apps.connections.open", error(code))

    with pytest.raises(NotAllowed, match=remedy) as refused:
        await line.sockets(token=token).connect()

    assert "FOOTNOTE_SLACK__APP_TOKEN" in str(refused.value)
    assert (token or line.slack.app_token) not in str(refused.value)


async def test_a_slack_that_is_not_there_is_said_to_be_unreachable(line: Line) -> None:
    with pytest.raises(Unreachable, match="cannot be reached"):
        await line.sockets(url="http://127.0.0.1:9/api/").connect()


async def test_a_slack_that_fails_is_said_to_be_unreachable(line: Line) -> None:
    line.slack.fail("apps.connections.open", http(500), times=None)

    with pytest.raises(Unreachable, match="cannot be reached"):
        await line.sockets().connect()


async def test_a_proxy_of_the_machine_does_not_see_what_goes_to_the_machine_itself(
    line: Line, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    sockets = line.sockets()
    await sockets.connect()

    assert await sockets.alive() == 1


@pytest.mark.parametrize("reason", ["refresh_requested", "warning", "too_many_websockets"])
async def test_a_connection_that_slack_renews_goes_on(line: Line, reason: str) -> None:
    await line.sockets().connect()
    await line.slack.sockets.disconnect(reason)
    await line.slack.sockets.connected(1, opened=2)
    line.slack.say(DIRECT, ANNA, "still there?")
    await line.slack.settled()

    assert line.counter.texts == ["still there?"]


async def test_a_connection_that_broke_comes_back(line: Line) -> None:
    await line.sockets().connect()
    line.slack.sockets.drop()
    await line.slack.sockets.connected(1, opened=2)
    line.slack.say(DIRECT, ANNA, "still there?")
    await line.slack.settled()

    assert line.counter.texts == ["still there?"]


async def test_a_connection_that_stays_dead_is_replaced(line: Line) -> None:
    clock = FakeClock()
    sockets = line.sockets(clock=clock)
    await sockets.connect()
    await kill(sockets)
    watching = asyncio.create_task(sockets.watch())
    await eventually(sockets.alive)
    watching.cancel()
    line.slack.say(DIRECT, ANNA, "still there?")
    await line.slack.settled()

    assert line.counter.texts == ["still there?"]


async def test_a_dead_connection_is_tried_again_until_slack_is_back(line: Line) -> None:
    sockets = line.sockets(clock=FakeClock())
    await sockets.connect()
    line.slack.fail("apps.connections.open", http(503), times=3)
    await kill(sockets)
    watching = asyncio.create_task(sockets.watch())
    await eventually(sockets.alive)
    watching.cancel()

    assert len(line.slack.called("apps.connections.open")) == 5


async def test_a_token_that_was_revoked_ends_the_watch_with_what_to_do(line: Line) -> None:
    sockets = line.sockets(clock=FakeClock())
    await sockets.connect()
    line.slack.fail("apps.connections.open", error("token_revoked"), times=None)
    await kill(sockets)

    with pytest.raises(NotAllowed, match="FOOTNOTE_SLACK__APP_TOKEN"):
        await sockets.watch()


async def test_nothing_goes_on_after_it_was_closed(line: Line) -> None:
    before = asyncio.all_tasks()
    sockets = line.sockets(number=2)
    await sockets.connect()
    await line.slack.sockets.connected(2)
    await sockets.close()
    await line.slack.until(lambda: not line.slack.sockets.connections)

    assert await sockets.alive() == 0
    assert {task for task in asyncio.all_tasks() - before if "SocketMode" in repr(task.get_coro())} == set()


async def test_what_opens_a_connection_stays_out_of_the_log(
    line: Line, caplog: pytest.LogCaptureFixture
) -> None:
    sockets = line.sockets()
    await sockets.connect()
    line.slack.sockets.accepting = False
    line.slack.sockets.drop()
    await line.slack.until(lambda: "ticket=" in caplog.text)

    assert "ticket=…" in caplog.text
    assert not [ticket for ticket in line.slack.tickets if ticket in caplog.text]
