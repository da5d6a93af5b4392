from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import pytest

from adapters.slack.transport import SocketMode
from bot.incoming import ChannelLost, IncomingMessage, MessageDeleted, MessageEdited, StopRequested
from bot.library import SystemClock
from tests.fakes.slack import ANNA, ROBOT, STRANGER, SlackServer, http, slow
from tests.integration.adapters.slack.counter import Counter

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.slack.deliveries import Kind

CHANNEL, DIRECT, SHARED = "C0GENERAL", "D0ANNA", "C0SHARED"


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        server.ack_seconds = 1.0
        yield server


@pytest.fixture
async def counter(slack: SlackServer) -> AsyncIterator[Counter]:
    counter = Counter(slack)
    sockets = SocketMode(counter.app(slack.base_url), slack.app_token, clock=SystemClock(), ping=1.0)
    await sockets.connect()
    yield counter
    await sockets.close()
    await counter.desk.tasks.settled()
    await counter.desk.arrivals.settled()
    await counter.workspaces.close()


def mention(slack: SlackServer, text: str) -> str:
    return f"<@{slack.team.bot}> {text}"


async def test_a_question_is_handed_over_and_acknowledged_at_once(
    slack: SlackServer, counter: Counter
) -> None:
    message = slack.say(CHANNEL, ANNA, mention(slack, "how many days?"))
    await slack.settled()

    assert [
        (event.message_id, event.text) for event in counter.events if isinstance(event, IncomingMessage)
    ] == [
        (message.ts, "how many days?"),
        (message.ts, "how many days?"),  # the message itself, and the mention in it
    ]
    assert [delivery.attempts for delivery in slack.deliveries] == [1, 1]
    assert slack.slowest_ack < 1


async def test_messages_of_a_thread_keep_their_order(slack: SlackServer, counter: Counter) -> None:
    for number in range(50):
        slack.say(DIRECT, ANNA, f"question {number}")
    await slack.settled()

    assert counter.texts == [f"question {number}" for number in range(50)]


async def test_messages_keep_their_order_while_slack_is_asked_who_the_bot_is(
    slack: SlackServer, counter: Counter
) -> None:
    slack.ack_seconds = 5.0
    slack.fail("auth.test", slow(0.3))
    for number in range(5):
        slack.say(DIRECT, ANNA, f"question {number}")
    await slack.until(lambda: slack.called("auth.test"))
    for number in range(5, 10):
        slack.say(DIRECT, ANNA, f"question {number}")
    await slack.settled()

    assert counter.texts == [f"question {number}" for number in range(10)]
    assert len(slack.called("auth.test")) == 1


async def test_no_event_costs_a_call_once_the_bot_is_known(slack: SlackServer, counter: Counter) -> None:
    for number in range(20):
        slack.say(DIRECT, ANNA, f"question {number}")
    await slack.settled()

    assert {call.method for call in slack.calls} == {"apps.connections.open", "auth.test"}


async def test_what_only_arrives_when_it_is_sent_again_counts(slack: SlackServer, counter: Counter) -> None:
    slack.say(DIRECT, ANNA, "how many days?", attempt=1)
    await slack.settled()

    assert counter.texts == ["how many days?"]


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("events_api", {"type": "app_rate_limited", "team_id": "T0ACME", "minute_rate_limited": 1}),
        ("events_api", {"type": "event_callback", "team_id": "T0ACME"}),
        ("interactive", {"type": "block_actions", "actions": [{"action_id": "theirs", "block_id": "b"}]}),
        ("interactive", {"type": "shortcut", "callback_id": "theirs"}),
        ("interactive", {"type": "message_action", "callback_id": "theirs"}),
        ("interactive", {"type": "view_submission", "view": {"callback_id": "theirs", "type": "modal"}}),
        ("interactive", {"type": "view_closed", "view": {"callback_id": "theirs", "type": "modal"}}),
        ("interactive", {"type": "block_suggestion", "action_id": "theirs", "block_id": "b", "value": ""}),
        ("slash_commands", {"command": "/theirs", "text": "", "team_id": "T0ACME", "user_id": ANNA}),
    ],
)
async def test_what_nobody_listens_to_is_acknowledged_all_the_same(
    slack: SlackServer, counter: Counter, kind: Kind, payload: dict[str, Any]
) -> None:
    place = (
        {"team": {"id": "T0ACME"}, "user": {"id": ANNA}, "trigger_id": "1.2"} if kind == "interactive" else {}
    )

    delivery = await slack.deliver(kind, {**place, **payload}).settled()

    assert (delivery.acked, delivery.attempts) == (True, 1)
    assert counter.events == []


@pytest.mark.parametrize("kind", ["user_change", "team_join", "channel_rename", "invented_in_the_future"])
async def test_events_that_mean_nothing_here_are_acknowledged(
    slack: SlackServer, counter: Counter, kind: str
) -> None:
    delivery = await slack.event({"type": kind, "user": {"id": ANNA}}).settled()

    assert (delivery.acked, delivery.attempts) == (True, 1)


async def test_that_slack_holds_events_back_is_logged(
    slack: SlackServer, counter: Counter, caplog: pytest.LogCaptureFixture
) -> None:
    await slack.deliver("events_api", {"type": "app_rate_limited", "team_id": "T0ACME"}).settled()

    assert "Slack holds events back" in caplog.text


async def test_an_event_that_cannot_be_read_is_acknowledged_and_its_text_stays_private(
    slack: SlackServer, counter: Counter, caplog: pytest.LogCaptureFixture
) -> None:
    event = {"type": "message", "user": ANNA, "text": "my secret", "ts": "1.1", "channel_type": "im"}
    caplog.set_level(logging.INFO)
    delivery = await slack.event(event).settled()

    assert (delivery.acked, delivery.attempts) == (True, 1)
    assert "an event could not be read: KeyError" in caplog.text
    assert "secret" not in caplog.text


async def test_an_event_waits_for_its_next_delivery_while_slack_does_not_say_who_the_bot_is(
    slack: SlackServer, counter: Counter
) -> None:
    slack.fail("auth.test", http(503))
    slack.say(DIRECT, ANNA, "how many days?")
    await slack.settled()

    assert counter.texts == ["how many days?"]
    assert slack.deliveries[0].attempts == 2


async def test_what_comes_from_a_workspace_without_the_app_is_acknowledged_and_left_alone(
    slack: SlackServer, counter: Counter
) -> None:
    other = slack.add_workspace("T0OTHER", "other")
    slack.say("C0GENERALOTHER", "U0ANNAOTHER", f"<@{other.bot}> how many days?")
    await slack.settled()

    assert counter.events == []
    assert all(delivery.acked and delivery.attempts == 1 for delivery in slack.deliveries)


async def test_programs_are_not_heard(slack: SlackServer, counter: Counter) -> None:
    slack.say(CHANNEL, ROBOT, mention(slack, "how many days?"))
    slack.say(CHANNEL, slack.team.bot, "Five days.")
    await slack.settled()

    assert counter.events == []


async def test_the_asker_of_a_shared_channel_is_noted_with_their_own_workspace(
    slack: SlackServer, counter: Counter
) -> None:
    slack.say(SHARED, STRANGER, mention(slack, "how many days?"), events=["message"])
    await slack.settled()

    assert counter.askers == [(STRANGER, "T9OTHER")]


async def test_an_upload_is_looked_up_and_its_kinds_of_events_are_noted(
    slack: SlackServer, counter: Counter
) -> None:
    file = slack.upload(CHANNEL, ANNA, "plan.md", "# Plan")
    await slack.settled()
    await counter.desk.arrivals.settled()
    await counter.desk.tasks.settled()

    assert {shared.file_id for shared in counter.shared} == {file.id}
    assert any(shared.ts for shared in counter.shared)
    assert counter.kinds == {"file_shared", "message.channels"}


async def test_edits_deletions_and_stops_are_handed_over(slack: SlackServer, counter: Counter) -> None:
    message = slack.say(CHANNEL, ANNA, mention(slack, "how many days?"), events=["message"])
    slack.edit_message(message, mention(slack, "how many half days?"))
    slack.unfurl(message)
    slack.delete_message(message)
    slack.event({"type": "agent_session_stopped", "channel": CHANNEL, "thread_ts": message.ts, "user": ANNA})
    await slack.settled()

    kinds = [type(event) for event in counter.events]
    assert kinds == [IncomingMessage, MessageEdited, MessageDeleted, StopRequested]


async def test_a_lost_channel_is_handed_over(slack: SlackServer, counter: Counter) -> None:
    slack.event({"type": "member_left_channel", "channel": CHANNEL, "user": slack.team.bot})
    await slack.settled()
    await counter.desk.tasks.settled()

    assert [type(removal) for removal in counter.removals] == [ChannelLost]


@pytest.mark.parametrize("kind", ["channel_left", "app_uninstalled"])
async def test_a_loss_that_is_delivered_again_takes_nothing_a_second_time(
    slack: SlackServer, counter: Counter, kind: str
) -> None:
    delivery = slack.event({"type": kind, "channel": CHANNEL})
    await slack.settled()
    slack.again(delivery)
    await slack.settled()
    await counter.desk.tasks.settled()

    assert len(counter.removals) == 1


async def test_an_edit_that_is_delivered_again_does_not_undo_a_later_one(
    slack: SlackServer, counter: Counter
) -> None:
    message = slack.say(CHANNEL, ANNA, mention(slack, "how many days?"), events=["message"])
    await slack.settled()
    slack.edit_message(message, mention(slack, "how many half days?"))
    await slack.settled()
    first = slack.deliveries[-1]
    slack.edit_message(message, mention(slack, "how many weeks?"))
    await slack.settled()
    slack.again(first)
    await slack.settled()

    assert [event.text for event in counter.events if isinstance(event, MessageEdited)] == [
        "how many half days?",
        "how many weeks?",
    ]


async def test_a_removed_app_is_told_although_its_token_is_dead(slack: SlackServer, counter: Counter) -> None:
    slack.team.installed = False
    await slack.event({"type": "app_uninstalled"}).settled()
    await counter.desk.tasks.settled()

    assert len(counter.removals) == 1


async def test_variables_of_other_programs_do_not_change_who_the_bot_is(
    slack: SlackServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("BOT_TOKEN", "CLIENT_ID", "CLIENT_SECRET", "SIGNING_SECRET"):
        monkeypatch.setenv(f"SLACK_{name}", "xoxb-theirs")
    counter = Counter(slack)
    sockets = SocketMode(counter.app(slack.base_url), slack.app_token, clock=SystemClock(), ping=1.0)
    await sockets.connect()
    slack.say(DIRECT, ANNA, "how many days?")
    await slack.settled()
    await sockets.close()
    await counter.desk.tasks.settled()
    await counter.workspaces.close()

    assert counter.texts == ["how many days?"]
    assert {call.token for call in slack.calls} == {slack.app_token, slack.team.token}
