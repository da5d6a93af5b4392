"""``footnote slack`` as people run it, between a Slack and a model server on this machine."""

from __future__ import annotations

import asyncio
import base64
import re
import signal
import sqlite3
from asyncio.subprocess import PIPE
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

import aiohttp

from tests.acceptance.conftest import PROGRAM, Program
from tests.acceptance.model import FIVE, REFUNDS, Model
from tests.conftest import PROXIES
from tests.fakes.slack import ANNA, SlackServer
from tests.fakes.slack.state import CLIENT_ID, CLIENT_SECRET

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from tests.fakes.slack import Message, Workspace

GENERAL, SECOND, THIRD, DIRECT = "C0GENERAL", "C0SECOND", "C0THIRD", "D0ANNA"
CURSOR = "▌"
STARTS_S = 90.0
ENDS_S = 40.0
"""On a machine that does much else; it takes five seconds, and one."""

_MENTION = re.compile(r"<[!@#]|&lt;[!@#]")


MANY = {
    "FOOTNOTE_SLACK__BOT_TOKEN": "",
    "FOOTNOTE_SLACK__CLIENT_ID": CLIENT_ID,
    "FOOTNOTE_SLACK__CLIENT_SECRET": CLIENT_SECRET,
    "FOOTNOTE_SLACK__ENCRYPTION_KEY": base64.urlsafe_b64encode(bytes(32)).decode(),
}
"""The settings with which workspaces install the app themselves."""


class Bot:
    """One data folder, and the program that is started on it again and again."""

    def __init__(self, slack: SlackServer, model: Model, folder: Path, **settings: str) -> None:
        self.slack = slack
        self.model = model
        self.out: list[str] = []
        self.err: list[str] = []
        self._program = Program(data=folder)
        self._settings = {
            **slack.environment,
            "FOOTNOTE_HTTP__PORT": "0",
            "FOOTNOTE_LLM__PROVIDER": "ollama",
            "FOOTNOTE_LLM__BASE_URL": model.url,
            "FOOTNOTE_LLM__MAX_CONCURRENCY": "64",
            **settings,
        }
        self._process: Process | None = None
        self._readers: list[asyncio.Task[None]] = []

    @property
    def data(self) -> Path:
        return self._program.data

    @property
    def address(self) -> str:
        """Where its own web server listens."""
        found = re.search(r"http://\S+(?=/healthz)", "\n".join(self.out))
        assert found is not None
        return found.group()

    async def start(self) -> None:
        """Start the program and wait until it is connected to Slack."""
        process = await self._launch()
        await self.slack.until(lambda: self._is_connected() or process.returncode is not None, STARTS_S)
        assert process.returncode is None, self.err

    async def run(self) -> int:
        """Run the program to its end, which it has to find by itself, and return the exit status."""
        await self._launch()
        return await self._ended()

    async def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the end, and return the exit status."""
        assert self._process is not None
        self._process.send_signal(number)
        return await self._ended()

    async def close(self) -> None:
        """Leave nothing running."""
        if self._process is not None:
            with suppress(ProcessLookupError):
                self._process.kill()
            await self._ended()

    async def _launch(self) -> Process:
        self.out.clear()
        environment = self._program.environment(self._settings)
        process = self._process = await asyncio.create_subprocess_exec(
            PROGRAM,
            "slack",
            env={name: value for name, value in environment.items() if name.lower() not in PROXIES},
            cwd=self.data,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=PIPE,
            stderr=PIPE,
        )
        assert process.stdout is not None and process.stderr is not None
        self._readers = [
            asyncio.create_task(_read(process.stdout, self.out)),
            asyncio.create_task(_read(process.stderr, self.err)),
        ]
        return process

    async def _ended(self) -> int:
        assert self._process is not None
        async with asyncio.timeout(ENDS_S):
            status = await self._process.wait()
            await asyncio.gather(*self._readers)
        self._process = None
        return status

    def _is_connected(self) -> bool:
        return any(line.startswith("Slack: connected") for line in self.out)

    def rows(self, query: str, *values: str) -> list[tuple[Any, ...]]:
        """Look into the program's database while it runs."""
        database = sqlite3.connect(f"file:{self.data / 'footnote.sqlite3'}?mode=ro", uri=True)
        try:
            return database.execute(query, values).fetchall()
        finally:
            database.close()

    def log(self) -> str:
        """Return what the program wrote to its log files."""
        return "".join(path.read_text() for path in self.data.rglob("*.log*"))

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
        """Return what stands in the thread of *message* because of the bot."""
        return self.slack.replies(message.channel, message.thread)

    def shown(self, message: Message) -> list[str]:
        """Return what people read there."""
        return [reply.shown for reply in self.replies(message)]

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

    async def replied(self, message: Message) -> Message:
        """Wait for a finished reply to *message*, the first one in its thread."""
        reply: Message = await self.slack.until(
            lambda: next((one for one in self.replies(message) if one.buttons and not one.streaming), None)
        )
        return reply

    async def answered(self, message: Message, text: str = FIVE, seconds: float = 20.0) -> Message:
        """Wait for a finished reply in the thread of *message* that says *text*."""

        def found() -> Message | None:
            finished = (one for one in self.replies(message) if not one.streaming and one.buttons)
            return next((one for one in finished if text in one.shown and "Stop" not in one.buttons), None)

        try:
            reply: Message = await self.slack.until(found, seconds)
        except TimeoutError:
            raise AssertionError(f"no finished reply says {text!r}: {self.shown(message)}") from None
        return reply

    async def shows(self, message: Message, text: str) -> None:
        """Wait until people read *text* in the thread of *message*, finished or not."""
        await self.slack.until(lambda: any(text in shown for shown in self.shown(message)))

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

    async def remembered(self, question: Message) -> None:
        """Wait until the answer to *question* is kept; that comes after it is shown."""
        await self.slack.until(lambda: self.rows("SELECT id FROM turns WHERE question_key = ?", question.ts))

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
        try:
            await bot.start()
            yield bot
            assert await bot.stop() == 0
            assert bot.err == []
            assert_well_behaved(slack)
            assert "refund" not in bot.log().lower()  # it holds ids and counts
        finally:
            await bot.close()


def assert_well_behaved(slack: SlackServer) -> None:
    """Whatever was asked, nothing half-finished stands anywhere, and nobody was pinged or shown a token."""
    messages = [one for channel in slack.channels() for one in channel.messages.values() if not one.deleted]
    own = [one for one in messages if one.user in {space.bot for space in slack.workspaces.values()}]
    assert not [one.shown for one in own if one.streaming or one.broken or CURSOR in one.shown]
    assert not [one.shown for one in own if "Stop" in one.buttons]
    for call in slack.called("chat.postMessage"):
        assert (call.arguments["unfurl_links"], call.arguments["unfurl_media"]) == (False, False)
    said = [text for call in slack.calls if call.method.startswith("chat.") for text in words(call.arguments)]
    assert not [text for text in said if _MENTION.search(text)]
    tokens = [slack.app_token, *(space.token for space in slack.workspaces.values())]
    assert not [text for text in said if any(token in text for token in tokens)]
    assert slack.rates.over() == {}


def words(value: Any) -> Sequence[str]:
    """Return every text in the arguments of a call."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in words(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in words(inner)]
    return [value] if isinstance(value, str) else []


async def _read(stream: asyncio.StreamReader, lines: list[str]) -> None:
    while line := await stream.readline():
        lines.append(line.decode().rstrip())
