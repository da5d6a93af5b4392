from __future__ import annotations

import asyncio
import json
import re
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from aiohttp import web
from slack_bolt.adapter.socket_mode.aiohttp import AsyncSocketModeHandler
from slack_bolt.async_app import AsyncApp
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import ANNA, BEN, ROBOT, Serving, SlackServer

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

GENERAL, DIRECT = "C0GENERAL", "D0ANNA"


class Bot:
    """A bot that keeps what it hears."""

    def __init__(self, slack: SlackServer) -> None:
        self.heard: list[dict[str, Any]] = []
        client = AsyncWebClient(token=slack.team.token, base_url=slack.base_url)
        self.app = AsyncApp(client=client, signing_secret=slack.signing_secret)
        self.app.event(re.compile(".*"))(self._hear)
        self.app.action(re.compile(".*"))(self._act)
        self.app.view(re.compile(".*"))(self._view)
        self.app.command("/footnote")(self._command)
        self.app.shortcut("index_file")(self._act)
        self.handler: AsyncSocketModeHandler | None = None

    async def connect(self, slack: SlackServer) -> None:
        self.handler = AsyncSocketModeHandler(self.app, slack.app_token, ping_interval=1)
        await self.handler.connect_async()  # type: ignore[no-untyped-call]
        await slack.sockets.connected()

    async def close(self) -> None:
        if self.handler is not None:
            await self.handler.close_async()  # type: ignore[no-untyped-call]

    def kinds(self) -> list[str]:
        return [event.get("subtype") or event["type"] for event in self.heard]

    async def _hear(self, event: dict[str, Any]) -> None:
        self.heard.append(event)

    async def _act(self, ack: Any, body: dict[str, Any]) -> None:
        await ack()
        self.heard.append(body)

    async def _view(self, ack: Any, body: dict[str, Any]) -> None:
        values = body["view"]["state"]["values"]
        await ack() if values else await ack(response_action="errors", errors={"why": "Say why."})

    async def _command(self, ack: Any, command: dict[str, Any], client: AsyncWebClient) -> None:
        await ack(text=f"heard {command['text']}")
        view = {
            "type": "modal",
            "title": {"type": "plain_text", "text": "Why"},
            "blocks": [
                {
                    "type": "input",
                    "block_id": "why",
                    "label": {"type": "plain_text", "text": "Why"},
                    "element": {"type": "plain_text_input", "action_id": "note"},
                }
            ],
        }
        await client.views_open(trigger_id=command["trigger_id"], view=view)


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        server.ack_seconds = 0.3
        yield server


@pytest.fixture
async def bot(slack: SlackServer) -> AsyncIterator[Bot]:
    bot = Bot(slack)
    await bot.connect(slack)
    yield bot
    await bot.close()


async def post(slack: SlackServer, **content: Any) -> None:
    client = AsyncWebClient(token=slack.team.token, base_url=slack.base_url)
    await client.chat_postMessage(channel=GENERAL, **content)


async def test_a_mention_is_told_twice_with_different_event_ids(slack: SlackServer, bot: Bot) -> None:
    slack.say(GENERAL, ANNA, "<@U0BOT> when?", events=("app_mention", "message"))
    await slack.until(lambda: len(bot.heard) == 2)
    assert bot.kinds() == ["app_mention", "message"]
    assert len({event["ts"] for event in bot.heard}) == 1
    assert len({delivery.payload["event_id"] for delivery in slack.deliveries}) == 2


async def test_an_event_without_acknowledgement_comes_again(slack: SlackServer, bot: Bot) -> None:
    slack.sockets.lose_acks = 2
    slack.say(GENERAL, ANNA, "hello")
    await slack.settled()
    [delivery] = slack.deliveries
    assert (delivery.acked, delivery.attempts, len(bot.heard)) == (True, 3, 3)
    assert 0 < slack.slowest_ack < slack.ack_seconds


async def test_an_acknowledgement_that_is_too_late_harms_nothing(slack: SlackServer) -> None:
    bot = Bot(slack)
    gate = asyncio.Event()

    @bot.app.use
    async def wait(next_: Any) -> None:
        await gate.wait()
        await next_()

    await bot.connect(slack)
    slack.say(GENERAL, ANNA, "hello")
    await slack.until(lambda: slack.deliveries[0].attempts == 2)
    gate.set()
    await slack.settled()
    await slack.until(lambda: slack.sockets.late_acks == 1)
    assert slack.deliveries[0].acked
    await bot.close()


async def test_events_come_in_copies_and_as_redeliveries_on_demand(slack: SlackServer, bot: Bot) -> None:
    slack.say(GENERAL, ANNA, "hello", copies=3)
    await slack.settled()
    assert len(bot.heard) == 3
    await slack.again(slack.deliveries[0], attempt=2).settled()
    assert len({delivery.payload["event_id"] for delivery in slack.deliveries}) == 1


async def test_a_connection_that_is_dropped_or_refreshed_comes_back(slack: SlackServer, bot: Bot) -> None:
    slack.sockets.drop()
    await slack.sockets.connected(opened=2)
    await slack.sockets.disconnect("refresh_requested")
    await slack.sockets.connected(opened=3)
    slack.say(GENERAL, ANNA, "hello")
    await slack.settled()
    assert bot.kinds() == ["message"]


async def test_any_of_several_connections_gets_an_event(slack: SlackServer, bot: Bot) -> None:
    other = Bot(slack)
    await other.connect(slack)
    await slack.sockets.connected(2)
    for _ in range(4):
        slack.say(GENERAL, ANNA, "hello")
    await slack.settled()
    assert (len(bot.heard), len(other.heard)) == (2, 2)
    await other.close()


async def test_the_bot_hears_only_where_it_is_and_also_of_other_bots(slack: SlackServer, bot: Bot) -> None:
    slack.say("C0WITHOUT", ANNA, "<@U0BOT> hello")
    slack.say(GENERAL, ROBOT, "beep")
    await slack.settled()
    assert [(event["subtype"], event["bot_id"]) for event in bot.heard] == [("bot_message", "B0ROBOT")]


async def test_the_bot_is_told_of_its_own_messages(slack: SlackServer, bot: Bot) -> None:
    await post(slack, text="mine")
    await slack.settled()
    assert [delivery.payload["event"]["bot_id"] for delivery in slack.deliveries] == ["B0BOT"]
    assert not bot.heard, "the SDK drops them"


async def test_an_upload_is_told_as_message_and_as_file(slack: SlackServer, bot: Bot) -> None:
    file = slack.upload(GENERAL, BEN, "Rules.md", "# Rules", "<@U0BOT> what is in it?")
    await slack.settled()
    assert bot.kinds() == ["file_shared", "file_share", "app_mention"]
    assert bot.heard[0]["file_id"] == bot.heard[1]["files"][0]["id"] == file.id
    slack.upload("C0SHARED", BEN, "Rules.md", "# Rules", events=("message",))
    await slack.settled()
    assert bot.heard[-1]["files"][0].keys() == {"id", "mode", "file_access"}


async def test_what_people_change_is_told(slack: SlackServer, bot: Bot) -> None:
    message = slack.say(DIRECT, ANNA, "one")
    file = slack.upload(GENERAL, ANNA, "a.txt", "a", events=())
    slack.unfurl(message)
    slack.edit_message(message, "two")
    slack.react(message, "eyes", BEN)
    slack.delete_message(message)
    slack.change_file(file, "b")
    slack.unshare_file(file, GENERAL)
    slack.delete_file(file)
    await slack.settled()
    assert bot.kinds() == [
        "message",
        "message_changed",
        "message_changed",
        "reaction_added",
        "message_deleted",
        "file_change",
        "file_unshared",
        "file_deleted",
    ]
    texts = [event["message"]["text"] for event in bot.heard[1:3]]
    assert (texts, bot.heard[2]["previous_message"]["text"]) == (["one", "two"], "one")


async def test_the_bot_is_told_where_it_is_not_any_more(slack: SlackServer, bot: Bot) -> None:
    slack.leave_channel(GENERAL)
    slack.leave_channel("C0PRIVATE")
    await slack.settled()
    slack.uninstall()
    await slack.settled()
    assert bot.kinds() == [
        "channel_left",
        "member_left_channel",
        "group_left",
        "member_left_channel",
        "tokens_revoked",
        "app_uninstalled",
    ]


async def test_buttons_are_pressed_as_they_were_posted(slack: SlackServer, bot: Bot) -> None:
    element = {
        "type": "button",
        "action_id": "forget:1",
        "text": {"type": "plain_text", "text": "Forget it"},
        "value": "d1",
    }
    await post(slack, text="x", blocks=[{"type": "actions", "elements": [element]}])
    [message] = slack.messages(GENERAL)
    for name in ("Forget it", "d1", "forget:1"):
        assert (await slack.press(message, name, BEN).settled()).acked
    pressed = [body for body in bot.heard if body["type"] == "block_actions"]
    assert [(body["user"]["id"], body["actions"][0]["value"]) for body in pressed] == [(BEN, "d1")] * 3
    with pytest.raises(LookupError):
        slack.press(message, "No such button")


async def test_a_command_opens_a_modal_that_is_checked_and_sent(slack: SlackServer, bot: Bot) -> None:
    await slack.command("/footnote", "docs").settled()
    assert [(one.user, one.shown) for one in slack.ephemerals] == [(ANNA, "heard docs")]
    [view] = await slack.until(lambda: slack.views)
    await slack.submit_modal(view, {}).settled()
    assert (view.open, view.errors) == (True, {"why": "Say why."})
    await slack.submit_modal(view, {"note": "wrong"}).settled()
    assert (view.open, view.user) == (False, ANNA)


async def test_a_shortcut_carries_its_message(slack: SlackServer, bot: Bot) -> None:
    file = slack.upload(GENERAL, ANNA, "a.txt", "a", events=())
    await slack.shortcut("index_file", slack.message(GENERAL, file.shares[GENERAL])).settled()
    assert bot.heard[0]["message"]["files"][0]["id"] == file.id


async def test_interactions_can_be_answered_five_times(slack: SlackServer) -> None:
    url = slack.response_url(GENERAL, ANNA)
    async with aiohttp.ClientSession() as session:
        statuses = [(await session.post(url, json={"text": "hello"})).status for _ in range(6)]
    assert statuses == [200] * 5 + [404]
    assert [one.text for one in slack.ephemerals] == ["hello"] * 5


async def test_events_are_signed_over_http(slack: SlackServer) -> None:
    bot = Bot(slack)
    app = bot.app.web_app(path="/slack/events")
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    slack.request_url = f"http://127.0.0.1:{runner.addresses[0][1]}/slack/events"
    try:
        assert (await slack.events_api.verify_url()).json == {"challenge": "challenge-accepted"}
        slack.say(GENERAL, ANNA, "hello")
        assert (await slack.command("/footnote", "docs").settled()).answer == {"text": "heard docs"}
        await slack.settled()
        assert (bot.kinds(), slack.ephemerals[0].text) == (["message"], "heard docs")
        body = json.dumps(slack.callback({"type": "message", "channel": GENERAL}, slack.team))
        assert (await slack.events_api.post(body, secret="other")).status == 401
        assert (await slack.events_api.post(body, age=600)).status == 401
    finally:
        await runner.cleanup()
    slack.retry_pauses = (0.0,)
    slack.say(GENERAL, ANNA, "nobody listens")
    await slack.settled()
    assert (slack.deliveries[-1].acked, slack.deliveries[-1].attempts) == (False, 4)


async def fetch(slack: SlackServer, url: str, token: str | None = None) -> tuple[int, str, bytes]:
    headers = {"Authorization": f"Bearer {token or slack.team.token}"}
    async with (
        aiohttp.ClientSession() as session,
        session.get(url, headers=headers, allow_redirects=False) as response,
    ):
        return response.status, response.content_type, await response.read()


async def test_files_are_served_to_those_who_may_read_them(slack: SlackServer) -> None:
    file = slack.upload(GENERAL, ANNA, "My rules.md", "# Rules", events=())
    assert await fetch(slack, file.download_url) == (200, "text/markdown", b"# Rules")
    status, kind, login = await fetch(slack, file.download_url, "xoxb-other")
    assert (status, kind, b"<title>Login" in login) == (200, "text/html", True)
    slack.team.scopes.remove("files:read")
    assert (await fetch(slack, file.download_url))[1] == "text/html"
    slack.team.scopes.add("files:read")
    slack.delete_file(file, told=False)
    assert (await fetch(slack, file.download_url))[0] == 410
    assert len(slack.downloads) == 4


async def test_files_can_be_served_badly(slack: SlackServer) -> None:
    file = slack.upload(GENERAL, ANNA, "a.txt", "a" * 10, events=(), size=10)
    file.serving = Serving(redirect=f"{slack.elsewhere}a.txt")
    assert (await fetch(slack, file.download_url))[0] == 302
    await fetch(slack, f"{slack.elsewhere}a.txt")
    assert [one.elsewhere for one in slack.downloads] == [False, True]
    file.serving = Serving(surplus=90)
    assert len((await fetch(slack, file.download_url))[2]) == 100
    file.serving = Serving(status=404)
    assert (await fetch(slack, file.download_url))[0] == 404
    file.serving = Serving(cut=5)
    with pytest.raises(aiohttp.ClientError):
        await fetch(slack, file.download_url)
