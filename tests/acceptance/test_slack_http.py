"""The other ways in: signed events over HTTP, and workspaces that install the app themselves."""

from __future__ import annotations

import asyncio
import json
import time
from typing import TYPE_CHECKING

import pytest
import pytest_asyncio

from tests.acceptance.model import MONTHLY, Model, about
from tests.acceptance.slack import GENERAL, MANY, Bot, running
from tests.fakes.slack import SlackServer
from tests.fakes.slack.http_events import FORM, signature
from tests.fakes.slack.state import SIGNING_SECRET

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.timeout(180)]

OTHER = "C0GENERALBETA"
OVER_HTTP = {"FOOTNOTE_SLACK__APP_TOKEN": "", "FOOTNOTE_SLACK__SIGNING_SECRET": SIGNING_SECRET}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bot(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Bot]:
    async with running(tmp_path_factory.mktemp("data"), **MANY, **OVER_HTTP) as bot:
        bot.slack.request_url = f"{bot.address}/slack/events"
        bot.slack.team.installed = False
        for space in (bot.slack.team, bot.slack.add_workspace("T0BETA", "beta", installed=False)):
            await bot.install(space)
        await bot.upload()
        await bot.upload("refunds.md", "# Refunds\n\nA refund for a monthly plan takes nine weeks.\n", OTHER)
        yield bot


async def test_slack_is_told_that_the_address_is_the_bots(bot: Bot) -> None:
    reply = await bot.slack.events_api.verify_url()

    assert reply.status == 200
    assert "challenge-accepted" in reply.text


async def test_only_what_slack_signed_just_now_is_heard(bot: Bot) -> None:
    slack, events = bot.slack, bot.slack.events_api
    asked = about("Aachen")
    unheard = slack.say(GENERAL, "U0ANNA", f"<@{slack.team.bot}> {asked}", events=())
    event = {
        "type": "app_mention",
        "channel": GENERAL,
        "user": "U0ANNA",
        "text": unheard.text,
        "ts": unheard.ts,
    }
    body = json.dumps(slack.callback(event, slack.team))
    old = str(int(time.time()) - 600)
    forged = [
        await events.post(body, secret="somebody else's"),
        await events.post(body, age=600),
        await events.post(body, headers={"X-Slack-Signature": signature(SIGNING_SECRET, old, body)}),
        await events.post(body, headers={"X-Slack-Signature": ""}),
        await events.post(body, headers={"X-Slack-Request-Timestamp": "now"}),
        await events.post(f"payload={body}", kind=FORM, secret="somebody else's"),
    ]
    assert {reply.status for reply in forged} == {401}
    assert not bot.model.asked(asked)

    assert (await events.post(body)).status == 200
    await bot.answered(unheard)


async def test_each_workspace_is_answered_from_its_own_files_and_by_its_own_bot(bot: Bot) -> None:
    for channel, weeks in ((GENERAL, False), (OTHER, True)):
        asked = about(channel)
        question = bot.ask(asked, channel, copies=3)
        reply = await bot.answered(question)
        await bot.slack.settled()

        (prompt,) = bot.model.asked(asked)
        assert ("nine weeks" in prompt, "five working days" in prompt) == (weeks, not weeks)
        assert bot.replies(question) == [reply]
        assert reply.user == bot.slack.home_of(channel).bot
    assert all(one.acked for one in bot.slack.deliveries)


async def test_buttons_and_commands_come_the_same_way(bot: Bot) -> None:
    question = bot.ask(MONTHLY, OTHER)
    reply = await bot.answered(question)
    await bot.remembered(question)

    assert "refunds.md" in await bot.told("docs", question.user, OTHER)
    sources = await bot.whispered(lambda: bot.slack.press(reply, "Sources", question.user), question.user)
    assert "nine weeks" in sources


async def test_tokens_are_sealed_where_they_are_kept(bot: Bot) -> None:
    kept = b"".join(path.read_bytes() for path in bot.data.rglob("*") if path.is_file())

    assert b"T0BETA" in kept  # so that the search says something
    for space in bot.slack.workspaces.values():
        assert space.token.encode() not in kept


async def test_a_workspace_that_removes_the_app_is_forgotten_and_the_others_are_not(bot: Bot) -> None:
    bot.slack.uninstall("T0BETA")
    await bot.slack.until(lambda: not bot.rows("SELECT name FROM vault WHERE name LIKE '%T0BETA%'"))
    await bot.install(bot.slack.workspaces["T0BETA"])
    while "no indexed files" not in (await bot.replied(bot.ask(MONTHLY, OTHER))).shown:
        pass

    await bot.answered(bot.ask(MONTHLY))


WRONG = {
    "app token": ({"FOOTNOTE_SLACK__APP_TOKEN": "xapp-wrong"}, 1),
    "tokens exchanged": ({"FOOTNOTE_SLACK__BOT_TOKEN": "xapp-wrong"}, 2),
}


async def test_settings_that_cannot_work_are_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    async with SlackServer() as slack, Model() as model:
        bots = {name: Bot(slack, model, tmp_path / name, **settings) for name, (settings, _) in WRONG.items()}
        for bot in bots.values():
            bot.data.mkdir()
        statuses = dict(zip(bots, await asyncio.gather(*(bot.run() for bot in bots.values())), strict=True))

    assert statuses == {name: status for name, (_, status) in WRONG.items()}
    for bot in bots.values():
        said = "\n".join(bot.err)
        assert "FOOTNOTE_SLACK__" in said
        assert "Traceback" not in said
        assert "wrong" not in said
