"""``footnote slack`` as people run it, between a Slack and a model server on this machine."""

from __future__ import annotations

import base64
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from tests.acceptance.model import REFUNDS, Model
from tests.acceptance.program import CURSOR, STOP, Service, words
from tests.fakes.slack import ANNA, Message, SlackServer
from tests.fakes.slack.state import CLIENT_ID, CLIENT_SECRET

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable
    from pathlib import Path

    from tests.fakes.slack import Workspace

GENERAL, SECOND, THIRD, DIRECT = "C0GENERAL", "C0SECOND", "C0THIRD", "D0ANNA"

_MENTION = re.compile(r"<[!@#]|&lt;[!@#]")


MANY = {
    "FOOTNOTE_SLACK__BOT_TOKEN": "",
    "FOOTNOTE_SLACK__CLIENT_ID": CLIENT_ID,
    "FOOTNOTE_SLACK__CLIENT_SECRET": CLIENT_SECRET,
    "FOOTNOTE_SLACK__ENCRYPTION_KEY": base64.urlsafe_b64encode(bytes(32)).decode(),
}
"""The settings with which workspaces install the app themselves."""


class Bot(Service[Message]):
    """The program on one data folder, and the Slack that it is connected to."""

    COMMAND, READY = "slack", "Slack: connected"

    def __init__(self, slack: SlackServer, model: Model, folder: Path, **settings: str) -> None:
        super().__init__(slack, model, folder, **settings)
        self.slack = slack

    def key(self, message: Message) -> str:
        return message.ts

    def ask(
        self,
        text: str,
        channel: str = GENERAL,
        user: str | None = None,
        thread: str | None = None,
        **how: Any,
    ) -> Message:
        """Let somebody, by default who made the channel, mention the bot."""
        bot, author = self.slack.home_of(channel).bot, user or self.slack.channel(channel).creator
        return self.slack.say(channel, author, f"<@{bot}> {text}", thread, **how)

    def replies(self, message: Message) -> list[Message]:
        return self.slack.replies(message.channel, message.thread)

    def is_finished(self, reply: Message) -> bool:
        return not reply.streaming and super().is_finished(reply)

    async def install(self, space: Workspace) -> None:
        """Install the app in a workspace, as its admin does in a browser."""
        async with aiohttp.ClientSession(cookie_jar=aiohttp.DummyCookieJar()) as browser:
            install = f"{self.address}/slack/install"
            async with browser.get(install, allow_redirects=False) as consent:
                assert consent.status == 302
                state = parse_qs(urlsplit(consent.headers["Location"]).query)["state"][0]
                cookies = {name: morsel.value for name, morsel in consent.cookies.items()}
            back = {"code": self.slack.grant(space.id), "state": state}
            url = f"{self.address}/slack/oauth_redirect"
            async with browser.get(url, params=back, cookies=cookies) as page:
                assert page.status == 200, await page.text()

    async def told(self, command: str, user: str = ANNA, channel: str = GENERAL) -> str:
        """Return what a slash command shows, to whoever typed it and nobody else."""
        return await self.whispered(lambda: self.slack.command("/footnote", command, user, channel), user)

    async def whispered(self, act: Callable[[], object], user: str) -> str:
        """Return what *user* alone is shown because of what they do."""
        seen = len(self.slack.ephemerals)
        act()
        await self.slack.until(lambda: len(self.slack.ephemerals) > seen)
        (whisper,) = self.slack.ephemerals[seen:]
        assert whisper.user == user
        return whisper.shown

    async def upload(
        self, name: str = "refunds.md", content: bytes | str = REFUNDS, channel: str = GENERAL, **how: Any
    ) -> Message:
        """Let who made the channel upload a file, wait until it is ready, and return its message."""
        file = self.slack.upload(channel, self.slack.channel(channel).creator, name, content, **how)
        message = self.slack.message(channel, file.shares[channel])
        await self.slack.until(lambda: any("is ready" in shown for shown in self.shown(message)), 40)
        return message


@asynccontextmanager
async def running(folder: Path, **settings: str) -> AsyncIterator[Bot]:
    """Run the program for the length of the block, and look at all it has done in the end."""
    async with SlackServer() as slack, Model() as model:
        bot = Bot(slack, model, folder, **settings)
        async with bot.served():
            yield bot
        assert_well_behaved(slack)


def assert_well_behaved(slack: SlackServer) -> None:
    """Whatever was asked, nothing half-finished stands anywhere, and nobody was pinged or shown a token."""
    messages = [one for channel in slack.channels() for one in channel.messages.values() if not one.deleted]
    own = [one for one in messages if one.user in {space.bot for space in slack.workspaces.values()}]
    assert not [one.shown for one in own if one.streaming or one.broken or CURSOR in one.shown]
    assert not [one.shown for one in own if STOP in one.buttons]
    for call in slack.called("chat.postMessage"):
        assert (call.arguments["unfurl_links"], call.arguments["unfurl_media"]) == (False, False)
    said = [text for call in slack.calls if call.method.startswith("chat.") for text in words(call.arguments)]
    assert not [text for text in said if _MENTION.search(text)]
    tokens = [slack.app_token, *(space.token for space in slack.workspaces.values())]
    assert not [text for text in said if any(token in text for token in tokens)]
    assert slack.rates.over() == {}
