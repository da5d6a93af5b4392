from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any

import aiohttp
import pytest
from slack_sdk.oauth.installation_store import Installation

from adapters.slack.installations import Installations
from bot.chat import NotAllowed, Unreachable
from pipeline.domain import Scope
from tests.fakes.models import Reply, ScriptedReader
from tests.fakes.slack import ANNA, BEN, SlackServer, error, held, http
from tests.fakes.waiting import eventually
from tests.integration.adapters.slack.serving import Serving

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from bot.bootstrap import Service

CHANNEL, DIRECT = "C0GENERAL", "D0ANNA"
REFUNDS = "# Refunds\n\nA refund for a monthly plan takes five working days.\n"
QUESTION = "How long does a refund for a monthly plan take?"
ANSWER = "It takes five working days [1]."


@pytest.fixture
async def slack() -> AsyncIterator[SlackServer]:
    async with SlackServer() as server:
        yield server


def mention(slack: SlackServer, text: str = QUESTION) -> str:
    return f"<@{slack.team.bot}> {text}"


def answers(slack: SlackServer, channel: str, thread: str) -> list[str]:
    return [message.shown for message in slack.replies(channel, thread)]


async def answered(slack: SlackServer, channel: str, thread: str, text: str = ANSWER) -> None:
    await slack.until(lambda: any(text in shown for shown in answers(slack, channel, thread)))


async def uploaded(slack: SlackServer, channel: str = CHANNEL, name: str = "refunds.md") -> str:
    """Let somebody upload the handbook, and wait until it is ready. Returns the ts of its message."""
    someone = slack.channel(channel).creator
    file = slack.upload(channel, someone, name, REFUNDS)
    ts = file.shares[channel]
    await answered(slack, channel, ts, "is ready")
    return ts


@pytest.mark.parametrize("mode", ["sockets", "http"])
async def test_an_upload_and_a_question_end_in_one_answer_with_its_source(
    slack: SlackServer, tmp_path: Path, mode: str
) -> None:
    way: dict[str, Any] = (
        {"app_token": None, "signing_secret": slack.signing_secret} if mode == "http" else {}
    )
    async with Serving(slack, tmp_path, **way).running():
        await uploaded(slack)
        question = slack.say(CHANNEL, ANNA, mention(slack))
        await answered(slack, CHANNEL, question.ts)
        await slack.settled()
        assert all(delivery.acked and delivery.attempts == 1 for delivery in slack.deliveries)

    (shown,) = answers(slack, CHANNEL, question.ts)
    assert "refunds.md" in shown


async def test_it_says_where_it_is_connected_and_is_ready_only_then(
    slack: SlackServer, tmp_path: Path
) -> None:
    async with (
        Serving(slack, tmp_path, connections=2, signing_secret="unused").running() as serving,
        aiohttp.ClientSession() as session,
        session.get(f"http://127.0.0.1:{serving.port}/readyz") as response,
    ):
        assert response.status == 200

    assert serving.said == [
        "Slack: both an app token and a signing secret are set; events come over Socket Mode, not over HTTP.",
        "Slack: connected to Acme as @footnote, Socket Mode, 2 connections.",
    ]


@pytest.mark.parametrize(
    ("settings", "setting"),
    [
        ({"bot_token": "xoxb-wrong"}, "FOOTNOTE_SLACK__BOT_TOKEN"),
        ({"app_token": "xapp-wrong"}, "FOOTNOTE_SLACK__APP_TOKEN"),
        ({"app_token": None}, "FOOTNOTE_SLACK__SIGNING_SECRET"),
        ({"app_token": None, "bot_token": None, "signing_secret": "s"}, "FOOTNOTE_SLACK__BOT_TOKEN"),
    ],
)
async def test_a_setting_that_cannot_work_ends_the_program_at_once_with_its_name(
    slack: SlackServer, tmp_path: Path, settings: dict[str, Any], setting: str
) -> None:
    with pytest.raises(NotAllowed, match=setting):
        await Serving(slack, tmp_path, **settings).run()


async def test_a_removed_app_ends_the_program_at_once(slack: SlackServer, tmp_path: Path) -> None:
    slack.fail("auth.test", error("account_inactive"))

    with pytest.raises(NotAllowed, match="removed from its workspace"):
        await Serving(slack, tmp_path).run()


async def test_a_slack_that_does_not_answer_ends_the_program_at_once(
    slack: SlackServer, tmp_path: Path
) -> None:
    slack.fail("auth.test", http(503), times=None)

    with pytest.raises(Unreachable, match="cannot be reached"):
        await Serving(slack, tmp_path).run()


async def test_fifty_questions_at_once_are_acknowledged_within_a_second(
    slack: SlackServer, tmp_path: Path
) -> None:
    gate = asyncio.Event()
    reader = ScriptedReader(*[Reply(pieces=["It takes five ", "working days [1]."], gate=gate)] * 50)
    channels = [slack.add_channel(f"C0ROOM{number}").id for number in range(10)]
    async with Serving(slack, tmp_path, reader=reader).running():
        for channel in channels:
            await uploaded(slack, channel)
        questions = [slack.say(channel, ANNA, mention(slack)) for channel in channels * 5]
        await slack.until(lambda: len(reader.reads) == len(questions))
        slack.say(DIRECT, BEN, "And while all of them are being answered?")
        await slack.settled()
        assert slack.slowest_ack < 1.0
        assert {delivery.attempts for delivery in slack.deliveries} == {1}
        gate.set()
        for question in questions:
            await answered(slack, question.channel, question.ts)

    assert {len(answers(slack, question.channel, question.ts)) for question in questions} == {1}


async def test_a_question_that_is_delivered_again_and_again_is_answered_once(
    slack: SlackServer, tmp_path: Path
) -> None:
    async with Serving(slack, tmp_path).running():
        await uploaded(slack)
        question = slack.say(CHANNEL, ANNA, mention(slack), copies=4)
        await answered(slack, CHANNEL, question.ts)
        for delivery in list(slack.deliveries):
            slack.again(delivery)
        await slack.settled()

    assert len(answers(slack, CHANNEL, question.ts)) == 1


async def test_to_be_told_to_stop_leaves_a_readable_message_that_the_next_run_completes(
    slack: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.platform.DRAIN_S", 0.1)
    async with Serving(slack, tmp_path).running():
        await uploaded(slack)
    never = ScriptedReader(Reply(pieces=["It takes ", "five"], gate=asyncio.Event()))
    async with Serving(slack, tmp_path, reader=never).running():
        question = slack.say(CHANNEL, ANNA, mention(slack))
        await slack.until(lambda: never.reads)

    (left,) = answers(slack, CHANNEL, question.ts)
    assert "restart" in left.lower()
    assert not any(message.streaming for message in slack.replies(CHANNEL, question.ts))

    async with Serving(slack, tmp_path).running():
        await answered(slack, CHANNEL, question.ts)

    assert len(answers(slack, CHANNEL, question.ts)) == 1


async def test_what_is_being_written_is_readable_before_the_file_in_work_has_ended(
    slack: SlackServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.platform.DRAIN_S", 0.1)
    begun, done = asyncio.Event(), asyncio.Event()

    async def long(_: object) -> None:
        begun.set()
        await done.wait()

    never = ScriptedReader(Reply(pieces=["It takes ", "five"], gate=asyncio.Event()))
    async with Serving(slack, tmp_path, reader=never).running() as serving:
        await uploaded(slack)
        question = slack.say(CHANNEL, ANNA, mention(slack))
        await slack.until(lambda: never.reads)
        monkeypatch.setitem(serving.service.worker.handlers, "ingest", long)
        slack.upload(CHANNEL, ANNA, "more.md", "# More\n\nOther words.\n")
        await begun.wait()

        serving.stop.set()
        await answered(slack, CHANNEL, question.ts, "restart")
        done.set()


async def test_a_question_is_followed_up_withdrawn_and_commanded_in_its_thread(
    slack: SlackServer, tmp_path: Path
) -> None:
    async with Serving(slack, tmp_path).running():
        await uploaded(slack)
        question = slack.say(CHANNEL, ANNA, mention(slack))
        await answered(slack, CHANNEL, question.ts)
        slack.say(CHANNEL, ANNA, "And for an annual plan?", question.ts)
        await slack.until(lambda: len(answers(slack, CHANNEL, question.ts)) == 2)
        slack.say(CHANNEL, BEN, "I see.", question.ts)
        slack.say(CHANNEL, ANNA, mention(slack, "help"), question.ts)
        await answered(slack, CHANNEL, question.ts, "How to use me")
        direct = slack.say(DIRECT, ANNA, QUESTION)
        await slack.until(lambda: answers(slack, DIRECT, direct.ts))
        slack.delete_message(direct)
        await slack.until(lambda: not answers(slack, DIRECT, direct.ts))

    assert len(answers(slack, CHANNEL, question.ts)) == 3


async def test_what_leaves_slack_leaves_the_index(slack: SlackServer, tmp_path: Path) -> None:
    scope = Scope("slack", slack.team.id, CHANNEL)
    async with Serving(slack, tmp_path).running() as serving:
        await uploaded(slack)
        assert len(await serving.service.stores.catalog.documents(scope)) == 1
        slack.delete_file(next(iter(slack.team.files.values())))
        await eventually(lambda: is_empty(serving.service, scope))


async def test_a_lost_channel_leaves_the_index(slack: SlackServer, tmp_path: Path) -> None:
    scope = Scope("slack", slack.team.id, CHANNEL)
    async with Serving(slack, tmp_path).running() as serving:
        await uploaded(slack)
        slack.event({"type": "channel_left", "channel": CHANNEL, "actor_id": ANNA})
        await eventually(lambda: is_empty(serving.service, scope))


async def test_a_file_whose_report_was_never_looked_up_is_indexed_by_the_next_run(
    slack: SlackServer, tmp_path: Path
) -> None:
    slack.fail("files.info", held(asyncio.Event()), times=None)
    async with Serving(slack, tmp_path).running():
        file = slack.upload(CHANNEL, ANNA, "refunds.md", REFUNDS)
        await slack.until(lambda: slack.called("files.info"))
    slack.heal("files.info")
    async with Serving(slack, tmp_path).running():
        await answered(slack, CHANNEL, file.shares[CHANNEL], "is ready")


async def test_to_be_told_to_stop_ends_a_start_that_does_not_come_about(
    slack: SlackServer, tmp_path: Path
) -> None:
    slack.fail("apps.connections.open", held(asyncio.Event()))
    serving = Serving(slack, tmp_path)
    running = asyncio.create_task(serving.run())
    await slack.until(lambda: slack.called("apps.connections.open"))
    serving.stop.set()
    await running

    assert serving.said == []


async def test_many_workspaces_are_served_until_they_remove_the_app(
    slack: SlackServer, tmp_path: Path
) -> None:
    other = slack.add_workspace("T0OTHER", "other")
    many: dict[str, Any] = {
        "bot_token": None,
        "client_id": slack.client_id,
        "client_secret": slack.client_secret,
        "encryption_key": base64.urlsafe_b64encode(bytes(32)).decode(),
    }
    async with Serving(slack, tmp_path, **many).running() as serving:
        assert serving.said == ["Slack: connected to 0 workspaces, Socket Mode, 1 connection."]
        vault = serving.service.stores.vault
        assert vault is not None
        installations = Installations(vault)
        for space in (slack.team, other):
            await installations.async_save(
                Installation(
                    user_id=ANNA,
                    team_id=space.id,
                    bot_token=space.token,
                    bot_id=space.bot_id,
                    bot_user_id=space.bot,
                )
            )
        await uploaded(slack, "C0GENERALOTHER")
        question = slack.say("C0GENERALOTHER", "U0ANNAOTHER", f"<@{other.bot}> {QUESTION}")
        await answered(slack, "C0GENERALOTHER", question.ts)
        slack.event({"type": "app_uninstalled"}, other)
        scope = Scope("slack", other.id, "C0GENERALOTHER")
        await eventually(lambda: is_empty(serving.service, scope))

        async def forgotten() -> bool:
            return await installations.teams() == [slack.team.id]

        await eventually(forgotten)


async def is_empty(service: Service, scope: Scope) -> bool:
    return not await service.stores.catalog.documents(scope)
