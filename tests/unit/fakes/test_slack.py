from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from slack_sdk.errors import SlackApiError
from slack_sdk.web.async_client import AsyncWebClient

from tests.fakes.slack import (
    ADAM,
    ANNA,
    BEN,
    GINA,
    STRANGER,
    SlackServer,
    error,
    held,
    http,
    rate_limited,
    reset_after,
    reset_before,
)

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable

GENERAL, DIRECT = "C0GENERAL", "D0ANNA"
FEEDBACK = {
    "type": "context_actions",
    "elements": [
        {
            "type": "feedback_buttons",
            "action_id": "judge",
            "positive_button": {"text": {"type": "plain_text", "text": "Good"}, "value": "1"},
            "negative_button": {"text": {"type": "plain_text", "text": "Bad"}, "value": "0"},
        }
    ],
}


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
async def slack(clock: Clock) -> AsyncIterator[SlackServer]:
    async with SlackServer(clock=clock) as server:
        yield server


@pytest.fixture
def client(slack: SlackServer) -> AsyncWebClient:
    return AsyncWebClient(token=slack.team.token, base_url=slack.base_url, retry_handlers=[])


async def refusal(call: Awaitable[Any]) -> str:
    with pytest.raises(SlackApiError) as caught:
        await call
    return str(caught.value.response["error"])


def section(text: str, kind: str = "mrkdwn") -> dict[str, Any]:
    return {"type": "section", "text": {"type": kind, "text": text}}


def button(label: str, action: str, **more: Any) -> dict[str, Any]:
    return {
        "type": "button",
        "text": {"type": "plain_text", "text": label},
        "action_id": action,
        **more,
    }


async def stream(client: AsyncWebClient, **arguments: Any) -> Any:
    recipient = {"recipient_team_id": "T0ACME", "recipient_user_id": ANNA}
    thread = {"channel": GENERAL, "thread_ts": "1700000000.000100"}
    return await client.chat_startStream(**{**thread, **recipient, **arguments})


async def test_the_token_says_who_calls(slack: SlackServer, client: AsyncWebClient) -> None:
    other = slack.add_workspace("T0OTHER", "other")
    calls = [await client.auth_test(), await client.auth_test(token=other.token)]

    assert [(call["team_id"], call["user_id"]) for call in calls] == [
        ("T0ACME", "U0BOT"),
        ("T0OTHER", other.bot),
    ]
    assert "chat:write" in calls[0].headers["x-oauth-scopes"].split(",")
    assert [call.workspace for call in slack.called("auth.test")] == ["T0ACME", "T0OTHER"]


async def test_each_method_takes_its_own_kind_of_token(slack: SlackServer, client: AsyncWebClient) -> None:
    assert await refusal(client.auth_test(token="xoxb-unknown")) == "invalid_auth"
    assert await refusal(client.auth_test(token=slack.app_token)) == "not_allowed_token_type"
    assert await refusal(client.apps_connections_open(app_token=slack.team.token)) == "not_allowed_token_type"
    assert await refusal(client.api_call("no.such")) == "unknown_method"
    slack.team.scopes.remove("users:read")
    assert await refusal(client.users_info(user=ANNA)) == "missing_scope"
    slack.team.installed = False
    assert await refusal(client.auth_test()) == "account_inactive"


async def test_a_message_stands_where_it_was_posted(slack: SlackServer, client: AsyncWebClient) -> None:
    question = slack.say(GENERAL, ANNA, "when?")
    posted = await client.chat_postMessage(
        channel=GENERAL, thread_ts=question.ts, text="short", blocks=[section("*soon*"), FEEDBACK]
    )
    [message] = slack.replies(GENERAL, question.ts)
    assert (message.ts, message.shown, message.buttons) == (posted["ts"], "*soon*", ["Good", "Bad"])

    link = await client.chat_getPermalink(channel=GENERAL, message_ts=message.ts)
    assert link["permalink"].endswith(f"p{message.ts.replace('.', '')}?thread_ts={question.ts}&cid={GENERAL}")

    await client.chat_update(channel=GENERAL, ts=message.ts, text="later")
    assert message.history == ["*soon*", "later"] and not message.blocks

    await client.chat_delete(channel=GENERAL, ts=message.ts)
    assert not slack.replies(GENERAL, question.ts)


@pytest.mark.parametrize(
    ("channel", "code"),
    [
        ("C0NOWHERE", "channel_not_found"),
        ("C0WITHOUT", "not_in_channel"),
        ("C0ARCHIVED", "is_archived"),
    ],
)
async def test_the_bot_writes_only_where_it_may(client: AsyncWebClient, channel: str, code: str) -> None:
    assert await refusal(client.chat_postMessage(channel=channel, text="hello")) == code


async def test_only_own_messages_can_be_changed(slack: SlackServer, client: AsyncWebClient) -> None:
    ts = slack.say(GENERAL, ANNA, "mine").ts
    gone = "1700000000.000001"
    assert await refusal(client.chat_update(channel=GENERAL, ts=ts, text="x")) == "cant_update_message"
    assert await refusal(client.chat_delete(channel=GENERAL, ts=ts)) == "cant_delete_message"
    assert await refusal(client.chat_update(channel=GENERAL, ts=gone, text="x")) == "message_not_found"


async def test_long_texts_are_cut_on_posting_and_refused_on_updating(
    slack: SlackServer, client: AsyncWebClient
) -> None:
    posted = await client.chat_postMessage(channel=GENERAL, text="x" * 40_001)
    assert len(slack.message(GENERAL, posted["ts"]).text) == 40_000
    refused = client.chat_update(channel=GENERAL, ts=posted["ts"], text="x" * 4_001)
    assert await refusal(refused) == "msg_too_long"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"text": ""}, "no_text"),
        ({"markdown_text": "x" * 12_001}, "msg_too_long"),
        ({"markdown_text": "x", "text": "x"}, "markdown_text_conflict"),
        ({"text": "", "blocks": [section("x" * 3_001)]}, "invalid_blocks"),
        (
            {"blocks": [{"type": "header", "text": {"type": "plain_text", "text": "x" * 151}}]},
            "invalid_blocks",
        ),
        ({"blocks": [section("x")] * 51}, "msg_blocks_too_many"),
        ({"blocks": [section("x" * 2_700)] * 5}, "msg_blocks_too_long"),
        ({"blocks": [{"type": "markdown", "text": "x" * 6_001}] * 2}, "msg_blocks_too_long"),
        ({"blocks": [{"type": "actions", "elements": [button("x" * 76, "a")]}]}, "invalid_blocks"),
        (
            {"blocks": [{"type": "actions", "elements": [button("x", "a", value="x" * 2_001)]}]},
            "invalid_blocks",
        ),
        ({"blocks": [{"type": "actions", "elements": [button("x", "a" * 256)]}]}, "invalid_blocks"),
        (
            {"blocks": [{"type": "actions", "elements": [button("x", "a"), button("y", "a")]}]},
            "invalid_blocks",
        ),
        (
            {"blocks": [{"type": "actions", "elements": [button("x", f"{n}") for n in range(26)]}]},
            "invalid_blocks",
        ),
        ({"blocks": [{"type": "context_actions", "elements": [button("x", "a")]}]}, "invalid_blocks"),
        ({"blocks": [{"type": "unheard_of"}]}, "invalid_blocks"),
        ({"text": "x", "metadata": {"event_type": "x"}}, "invalid_metadata_format"),
    ],
)
async def test_the_limits_of_messages_hold(
    client: AsyncWebClient, arguments: dict[str, Any], code: str
) -> None:
    refused = client.api_call("chat.postMessage", json={"channel": GENERAL, **arguments})
    assert await refusal(refused) == code


async def test_a_stream_grows_and_ends_with_its_blocks(slack: SlackServer, client: AsyncWebClient) -> None:
    ts = (await stream(client, markdown_text="one "))["ts"]
    chunk = {"type": "markdown_text", "text": "two "}
    await client.chat_appendStream(channel=GENERAL, ts=ts, chunks=[chunk])
    conflict = client.chat_update(channel=GENERAL, ts=ts, text="x")
    assert await refusal(conflict) == "streaming_state_conflict"
    kept = {"event_type": "answer", "event_payload": {"n": 1}}
    await client.chat_stopStream(
        channel=GENERAL, ts=ts, markdown_text="three", blocks=[FEEDBACK], metadata=kept
    )

    message = slack.message(GENERAL, ts)
    assert (message.shown, message.buttons) == ("one two three", ["Good", "Bad"])
    ended = client.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="x")
    assert await refusal(ended) == "message_not_in_streaming_state"
    found = await client.conversations_replies(channel=GENERAL, ts=ts, include_all_metadata=True)
    assert found["messages"][0]["metadata"] == kept
    without = await client.conversations_replies(channel=GENERAL, ts=ts)
    assert "metadata" not in without["messages"][0]


async def test_streams_are_for_somebody_except_in_direct_messages(
    slack: SlackServer, client: AsyncWebClient
) -> None:
    assert await refusal(stream(client, recipient_team_id=None)) == "missing_recipient_team_id"
    assert await refusal(stream(client, recipient_user_id=None)) == "missing_recipient_user_id"
    await client.chat_startStream(channel=DIRECT, thread_ts="1700000000.000100")
    assert await refusal(stream(client, markdown_text="x" * 12_001)) == "msg_too_long"
    slack.streams_supported = False
    assert await refusal(stream(client)) == "channel_type_not_supported"


async def test_a_stream_dies_after_its_time_and_can_then_be_updated(
    slack: SlackServer, client: AsyncWebClient, clock: Clock
) -> None:
    ts = (await stream(client, markdown_text="half"))["ts"]
    clock.now += slack.stream_seconds
    for late in (client.chat_appendStream, client.chat_stopStream):
        refused = late(channel=GENERAL, ts=ts, markdown_text="x")
        assert await refusal(refused) == "message_not_in_streaming_state"
    message = slack.message(GENERAL, ts)
    assert (message.shown, message.broken) == ("half", True)
    await client.chat_update(channel=GENERAL, ts=ts, markdown_text="whole")
    assert (message.shown, message.broken) == ("whole", False)


async def test_a_stream_that_somebody_stopped_says_so(slack: SlackServer, client: AsyncWebClient) -> None:
    ts = (await stream(client, markdown_text="half"))["ts"]
    slack.stop_session(slack.message(GENERAL, ts))
    assert (
        await refusal(client.chat_appendStream(channel=GENERAL, ts=ts, markdown_text="x"))
        == "stopped_by_user"
    )


async def test_faults_happen_once_each_and_in_order(slack: SlackServer, client: AsyncWebClient) -> None:
    for fault in (rate_limited(7), error("fatal_error"), http(503), reset_before(), reset_after()):
        slack.fail("chat.postMessage", fault)
    with pytest.raises(SlackApiError) as limited:
        await client.chat_postMessage(channel=GENERAL, text="1")
    assert (limited.value.response.status_code, limited.value.response.headers["Retry-After"]) == (429, "7")
    assert await refusal(client.chat_postMessage(channel=GENERAL, text="2")) == "fatal_error"
    with pytest.raises(SlackApiError) as down:
        await client.chat_postMessage(channel=GENERAL, text="3")
    assert down.value.response.status_code == 503
    for text in ("4", "5"):
        with pytest.raises(aiohttp.ClientError):
            await client.chat_postMessage(channel=GENERAL, text=text)
    await client.chat_postMessage(channel=GENERAL, text="6")

    assert [message.text for message in slack.messages(GENERAL)] == ["5", "6"]
    assert [call.status for call in slack.called("chat.postMessage")] == [429, 200, 503, 0, 0, 200]


async def test_a_call_can_be_held(slack: SlackServer, client: AsyncWebClient) -> None:
    gate = asyncio.Event()
    slack.fail("chat.postMessage", held(gate), when=lambda arguments: arguments["text"] == "slow")
    task = asyncio.ensure_future(client.chat_postMessage(channel=GENERAL, text="slow"))
    await slack.until(lambda: slack.called("chat.postMessage"))
    await client.chat_postMessage(channel=GENERAL, text="quick")
    gate.set()
    await task
    assert [message.text for message in slack.messages(GENERAL)] == ["quick", "slow"]


async def test_calls_are_counted_and_limited_when_asked(
    slack: SlackServer, client: AsyncWebClient, clock: Clock
) -> None:
    slack.rates.enforced = True
    ts = (await client.chat_postMessage(channel=GENERAL, text="x"))["ts"]
    for _ in range(50):
        await client.chat_update(channel=GENERAL, ts=ts, text="x")
    assert not slack.rates.over()
    clock.now += 50
    with pytest.raises(SlackApiError) as limited:
        await client.chat_update(channel=GENERAL, ts=ts, text="x")
    assert limited.value.response.headers["Retry-After"] == "10"
    assert slack.rates.over() == {"chat.update": 51}
    clock.now += 10
    await client.chat_update(channel=GENERAL, ts=ts, text="x")


async def test_posts_are_limited_per_channel(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.rates.enforced = True
    for channel in (GENERAL, "C0SECOND"):
        for _ in range(10):
            await client.chat_postMessage(channel=channel, text="x")
        assert await refusal(client.chat_postMessage(channel=channel, text="x")) == "ratelimited"
    assert slack.rates.worst("chat.postMessage") == 11


async def test_people_have_roles_and_strangers_hide_theirs(client: AsyncWebClient) -> None:
    admin, guest, stranger = [(await client.users_info(user=user))["user"] for user in (ADAM, GINA, STRANGER)]
    assert admin["is_admin"] and guest["is_restricted"]
    assert stranger["is_stranger"] and "is_admin" not in stranger


async def test_members_come_in_pages(slack: SlackServer, client: AsyncWebClient) -> None:
    found: list[str] = []
    async for page in await client.conversations_members(channel=GENERAL, limit=3):
        found += page["members"]
    assert found == slack.channel(GENERAL).members
    mine = await client.users_conversations(user=BEN, types="public_channel,im", exclude_archived=True)
    assert [one["id"] for one in mine["channels"]] == [GENERAL, "C0SECOND", "C0THIRD", "D0BEN", "C0SHARED"]


async def test_reactions_are_set_once(slack: SlackServer, client: AsyncWebClient) -> None:
    ts = slack.say(GENERAL, ANNA, "hello").ts
    eyes = {"channel": GENERAL, "timestamp": ts, "name": "eyes"}
    await client.reactions_add(**eyes)
    assert await refusal(client.reactions_add(**eyes)) == "already_reacted"
    assert slack.message(GENERAL, ts).reactions == {"eyes": ["U0BOT"]}
    await client.reactions_remove(**eyes)
    assert await refusal(client.reactions_remove(**eyes)) == "no_reaction"


async def test_a_status_stands_until_a_message_comes(slack: SlackServer, client: AsyncWebClient) -> None:
    ts = slack.say(GENERAL, ANNA, "hello").ts
    await client.assistant_threads_setStatus(channel_id=GENERAL, thread_ts=ts, status="is thinking…")
    assert slack.statuses == {(GENERAL, ts): "is thinking…"}
    await client.chat_postMessage(channel=GENERAL, thread_ts=ts, text="here")
    assert not slack.statuses
    prompts = [{"title": "a", "message": "b"}]
    slack.team.scopes.add("assistant:write")
    refused = client.assistant_threads_setSuggestedPrompts(channel_id=DIRECT, prompts=prompts)
    assert await refusal(refused) == "not_agent_app"


@pytest.mark.filterwarnings("ignore:BasicAuth is deprecated:DeprecationWarning")  # the SDK uses it
async def test_an_installation_is_exchanged_once(slack: SlackServer) -> None:
    client = AsyncWebClient(base_url=slack.base_url)
    slack.add_workspace("T0NEW", "new", installed=False)
    code = slack.grant("T0NEW")
    given = {"client_id": slack.client_id, "client_secret": slack.client_secret}
    installed = await client.oauth_v2_access(code=code, **given)
    assert (installed["team"]["id"], installed["bot_user_id"]) == ("T0NEW", "U0BOTNEW")
    assert (await client.auth_test(token=installed["access_token"]))["team_id"] == "T0NEW"
    assert await refusal(client.oauth_v2_access(code=code, **given)) == "invalid_code"
    given["client_secret"] = "other"
    assert await refusal(client.oauth_v2_access(code=code, **given)) == "bad_client_secret"


async def test_the_manifest_of_the_app_is_exported(slack: SlackServer, client: AsyncWebClient) -> None:
    slack.manifest = {"settings": {"socket_mode_enabled": True}}
    exported = await client.apps_manifest_export(app_id=slack.app_id, token=slack.config_token)
    assert exported["manifest"] == slack.manifest
    refused = client.apps_manifest_export(app_id=slack.app_id)
    assert await refusal(refused) == "not_allowed_token_type"
