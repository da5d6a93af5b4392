from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING

import aiohttp
import pytest

from adapters.health import serve_health
from adapters.slack.endpoint import MAX_BODY, Endpoint
from adapters.slack.manifest import EVENTS_PATH
from tests.fakes.slack import ANNA, SlackServer
from tests.integration.adapters.slack.counter import Counter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

DIRECT = "D0ANNA"


class Place:
    def __init__(self, slack: SlackServer, counter: Counter, endpoint: Endpoint) -> None:
        self.slack, self.counter, self.endpoint = slack, counter, endpoint


async def nothing_missing() -> str | None:
    return None


@pytest.fixture
async def place() -> AsyncIterator[Place]:
    async with SlackServer() as slack:
        counter = Counter(slack)
        app = counter.app(slack.base_url, secret=slack.signing_secret)
        endpoint = Endpoint(app, slack.signing_secret)
        async with serve_health("127.0.0.1", 0, nothing_missing, endpoint.routes) as port:
            slack.request_url = f"http://127.0.0.1:{port}{EVENTS_PATH}"
            await endpoint.connect()
            yield Place(slack, counter, endpoint)
        await counter.desk.tasks.settled()
        await counter.workspaces.close()


def event(text: str = "how many days?") -> str:
    said = {"type": "message", "channel": DIRECT, "user": ANNA, "text": text, "ts": "1.1"}
    return json.dumps({"type": "event_callback", "event_id": "Ev1", "team_id": "T0ACME", "event": said})


async def test_events_arrive_over_http(place: Place) -> None:
    place.slack.say(DIRECT, ANNA, "how many days?")
    await place.slack.settled()

    assert place.counter.texts == ["how many days?"]
    assert place.slack.deliveries[0].attempts == 1


async def test_the_address_proves_itself_to_slack(place: Place) -> None:
    reply = await place.slack.events_api.verify_url()

    assert (reply.status, reply.json) == (200, {"challenge": "challenge-accepted"})


@pytest.mark.parametrize("text", ["how many days?", "wie viele Tage? äöü 日本 🎈"])
async def test_the_signature_is_over_the_very_bytes(place: Place, text: str) -> None:
    body = event(text).encode().decode("unicode_escape") if text.isascii() else event(text)

    assert (await place.slack.events_api.post(body)).status == 200
    assert place.counter.texts == [text]


@pytest.mark.parametrize(
    "headers",
    [
        {"X-Slack-Signature": "v0=00"},
        {"X-Slack-Signature": ""},
        {"X-Slack-Request-Timestamp": "yesterday"},
        {"X-Slack-Request-Timestamp": ""},
        {"X-Slack-Request-Timestamp": "9" * 5000},
        {"X-Slack-Request-Timestamp": "-1"},
    ],
)
async def test_a_request_that_is_not_signed_well_is_refused(place: Place, headers: dict[str, str]) -> None:
    reply = await place.slack.events_api.post(event(), headers=headers)

    assert reply.status == 401
    assert place.counter.events == []


async def test_another_secret_is_refused(place: Place) -> None:
    assert (await place.slack.events_api.post(event(), secret="another")).status == 401


@pytest.mark.parametrize("age", [360.0, -360.0])
async def test_an_old_request_is_refused(place: Place, age: float) -> None:
    assert (await place.slack.events_api.post(event(), age=age)).status == 401


async def test_an_unsigned_question_for_the_address_is_refused(place: Place) -> None:
    async with (
        aiohttp.ClientSession() as session,
        session.post(place.slack.request_url or "", json={"type": "url_verification"}) as response,
    ):
        assert response.status == 401


async def test_a_body_that_is_no_json_is_refused(place: Place) -> None:
    assert (await place.slack.events_api.post("{ never closed")).status == 400


@pytest.mark.parametrize(
    "body", ["[1, 2]", "null", '"x"', "5", '{"event": 5}', '{"type": "event_callback", "event": {}}']
)
async def test_a_body_of_no_kind_that_slack_sends_is_refused(place: Place, body: str) -> None:
    assert (await place.slack.events_api.post(body)).status == 400


async def test_bytes_that_are_no_text_are_refused(place: Place) -> None:
    headers = {"X-Slack-Request-Timestamp": str(int(place.slack.wall())), "X-Slack-Signature": "v0=00"}
    async with (
        aiohttp.ClientSession() as session,
        session.post(place.slack.request_url or "", data=b"\xff\xfe", headers=headers) as response,
    ):
        assert response.status == 401


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_that_is_too_long_is_not_read(place: Place, declared: bool) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(MAX_BODY // 65536 + 1):
            yield b"x" * 65536

    body = io.BytesIO(b"x" * (MAX_BODY + 1)) if declared else pieces()
    async with (
        aiohttp.ClientSession() as session,
        session.post(place.slack.request_url or "", data=body) as response,
    ):
        assert response.status == 413


async def test_buttons_forms_and_commands_come_to_the_same_address(place: Place) -> None:
    pressed = {
        "type": "block_actions",
        "team": {"id": "T0ACME"},
        "user": {"id": ANNA},
        "actions": [{"action_id": "theirs", "block_id": "b"}],
    }
    command = {"command": "/theirs", "text": "", "team_id": "T0ACME", "user_id": ANNA}

    assert (await place.slack.deliver("interactive", pressed).settled()).acked
    assert (await place.slack.deliver("slash_commands", command).settled()).acked


async def test_once_closed_slack_is_asked_to_come_again_later(place: Place) -> None:
    await place.endpoint.close()

    assert (await place.slack.events_api.post(event())).status == 503
    assert place.counter.events == []
