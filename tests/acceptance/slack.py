"""``footnote slack`` as people run it, between a Slack and a model server on this machine."""

from __future__ import annotations

import asyncio
import re
import signal
from asyncio.subprocess import PIPE
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from tests.acceptance.conftest import PROGRAM, Program
from tests.conftest import PROXIES
from tests.fakes.ollama import Answer, FakeOllama
from tests.fakes.slack import ANNA, SlackServer

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Sequence
    from pathlib import Path

    from aiohttp import web

    from tests.fakes.slack import Message

GENERAL, SECOND, THIRD, PRIVATE, DIRECT = "C0GENERAL", "C0SECOND", "C0THIRD", "C0PRIVATE", "D0ANNA"
REFUNDS = (
    "# Refunds\n\nA refund for a monthly plan takes five working days.\n"
    "\n## Annual plans\n\nA refund for an annual plan takes fifteen working days.\n"
)
MONTHLY = "How long does a refund for a monthly plan take?"
ANNUAL = "How long does a refund for an annual plan take?"
FIVE = "A refund for a monthly plan takes five working days [1]."

CURSOR = "▌"
STARTS_S = 40.0
ENDS_S = 20.0

_QUESTION = re.compile(r"<question>\n(.*)\n</question>", re.DOTALL)
_MENTION = re.compile(r"<[!@#]|&lt;[!@#]")


class Model(FakeOllama):
    """Answers each question with what was scripted for it, and keeps memories as short as they can be."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts: dict[str, list[Answer]] = {}
        self.answer = Answer(pieces=pieces(FIVE))
        """To every question that nothing was scripted for."""

    def script(self, question: str, *answers: Answer | str) -> None:
        """Answer *question* with *answers* in turn, with the last one for ever."""
        self.scripts[question] = [
            Answer(pieces=pieces(one)) if isinstance(one, str) else one for one in answers
        ]

    def asked(self, question: str) -> list[str]:
        """Return the prompts, each whole, in which *question* was to be answered."""
        return [prompt for prompt in self._prompts() if _question(prompt) == question]

    def _prompts(self) -> list[str]:
        bodies = [body["messages"] for body in self.chats()]
        return [messages[-1]["content"] for messages in bodies if not _is_memory(messages)]

    async def _record(self, request: web.Request) -> dict[str, Any]:
        """Note what comes, and have the answer to it ready."""
        body = await super()._record(request)
        if request.path == "/api/chat":
            self.answers = [self._answer_to(body["messages"])]
        return body

    def _answer_to(self, messages: Sequence[dict[str, str]]) -> Answer:
        question = _question(messages[-1]["content"])
        if _is_memory(messages):
            return Answer(pieces=[f"They asked: {question}"])
        scripted = self.scripts.get(question, [self.answer])
        return scripted.pop(0) if len(scripted) > 1 else scripted[0]


def pieces(text: str, size: int = 12) -> list[str]:
    """Return *text* as a model would send it."""
    return [text[start : start + size] for start in range(0, len(text), size)]


def held(text: str, *, after: int | None = None) -> Answer:
    """Return an answer that comes when its gate or, *after* so many pieces, its step allows it."""
    if after is None:
        return Answer(pieces=pieces(text), gate=asyncio.Event())
    return Answer(pieces=pieces(text), step=asyncio.Semaphore(after))


def release(answer: Answer) -> None:
    """Let the rest of an answer come."""
    if answer.gate is not None:
        answer.gate.set()
    if answer.step is not None:
        for _ in answer.pieces:
            answer.step.release()


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
        await self.slack.until(lambda: self._is_connected() or process.returncode is not None, STARTS_S)
        assert process.returncode is None, self.err

    async def stop(self, number: int = signal.SIGTERM) -> int:
        """Send a signal, wait for the end, and return the exit status."""
        assert self._process is not None
        self._process.send_signal(number)
        return await self._ended()

    async def close(self) -> None:
        """Leave nothing running."""
        if self._process is not None:
            self._process.kill()
            await self._ended()

    async def _ended(self) -> int:
        assert self._process is not None
        async with asyncio.timeout(ENDS_S):
            status = await self._process.wait()
            await asyncio.gather(*self._readers)
        self._process = None
        return status

    def _is_connected(self) -> bool:
        return any(line.startswith("Slack: connected") for line in self.out)

    def log(self) -> str:
        """Return what the program wrote to its log files."""
        return "".join(path.read_text() for path in self.data.rglob("*.log*"))

    def ask(
        self, text: str, channel: str = GENERAL, user: str = ANNA, thread: str | None = None, **how: Any
    ) -> Message:
        """Let somebody mention the bot."""
        bot = self.slack.home_of(channel).bot
        return self.slack.say(channel, user, f"<@{bot}> {text}", thread, **how)

    def replies(self, message: Message) -> list[Message]:
        """Return what stands in the thread of *message* because of the bot."""
        return self.slack.replies(message.channel, message.thread)

    def shown(self, message: Message) -> list[str]:
        """Return what people read there."""
        return [reply.shown for reply in self.replies(message)]

    async def answered(self, message: Message, text: str = FIVE, seconds: float = 20.0) -> Message:
        """Wait for a finished reply in the thread of *message* that says *text*."""

        def found() -> Message | None:
            finished = (one for one in self.replies(message) if not one.streaming and one.buttons)
            return next((one for one in finished if text in one.shown and "Stop" not in one.buttons), None)

        reply: Message = await self.slack.until(found, seconds)
        return reply

    async def upload(
        self, name: str = "refunds.md", content: bytes | str = REFUNDS, channel: str = GENERAL, **how: Any
    ) -> Message:
        """Let somebody upload a file, wait until it is ready, and return the message that carries it."""
        file = self.slack.upload(channel, how.pop("user", ANNA), name, content, **how)
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
            assert_well_behaved(bot.slack)
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


def words(value: Any) -> Sequence[str]:
    """Return every text in the arguments of a call."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in words(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in words(inner)]
    return [value] if isinstance(value, str) else []


def _is_memory(messages: Sequence[dict[str, str]]) -> bool:
    return messages[0]["content"].startswith("You keep the memory")


def _question(prompt: str) -> str:
    found = _QUESTION.search(prompt)
    return found.group(1) if found else ""


async def _read(stream: asyncio.StreamReader, lines: list[str]) -> None:
    while line := await stream.readline():
        lines.append(line.decode().rstrip())
