"""The program as people run it, between a chat platform and a model server on this machine."""

from __future__ import annotations

import asyncio
import re
import signal
import sqlite3
from asyncio.subprocess import PIPE
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from tests.acceptance.conftest import PROGRAM, Program, Result
from tests.acceptance.model import FIVE
from tests.conftest import PROXIES

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import AsyncIterator, Callable, Sequence
    from pathlib import Path

    from tests.acceptance.model import Model

CURSOR = "▌"
STOP = "Stop"
"""The button of an answer that is being written."""
STARTS_S = 90.0
ENDS_S = 40.0
"""On a machine that does much else; it takes five seconds, and one."""


class Platform(Protocol):
    """A server that the program connects to."""

    @property
    def environment(self) -> dict[str, str]: ...

    async def until(self, condition: Callable[[], Any], seconds: float = ...) -> Any: ...


class Said(Protocol):
    """A message, as people see it."""

    @property
    def shown(self) -> str: ...
    @property
    def buttons(self) -> Sequence[str]: ...


M = TypeVar("M", bound=Said)


class Service(Generic[M]):
    """One data folder, and the program that is started on it again and again."""

    COMMAND: str
    READY: str
    """What it says first when it is connected."""

    def __init__(self, server: Platform, model: Model, folder: Path, **settings: str) -> None:
        self.model = model
        self.out: list[str] = []
        self.err: list[str] = []
        self._server = server
        self._program = Program(data=folder)
        self._settings = {
            **server.environment,
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

    def configure(self, **settings: str) -> None:
        """Let the next start have other settings."""
        self._settings |= settings

    async def start(self) -> None:
        """Start the program and wait until it is connected."""
        process = await self._launch()
        await self._server.until(lambda: self._is_connected() or process.returncode is not None, STARTS_S)
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

    @asynccontextmanager
    async def served(self) -> AsyncIterator[None]:
        """Run the program for the length of the block; it complains of nothing and keeps secrets."""
        try:
            await self.start()
            yield
            assert await self.stop() == 0
            assert self.err == []
            assert "refund" not in self.log().lower()  # it holds ids and counts
        finally:
            await self.close()

    async def command(self, *arguments: str, **settings: str) -> Result:
        """Run another command of the program with the same settings, but for those that are given."""
        environment = {**dict.fromkeys(PROXIES, ""), **self._settings, **settings}
        return await asyncio.to_thread(self._program, *arguments, **environment)

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

    def key(self, message: M) -> str:
        """Return the id by which the program knows a message."""
        raise NotImplementedError

    def replies(self, message: M) -> list[M]:
        """Return what the bot said in answer to *message*, or in its thread."""
        raise NotImplementedError

    def is_finished(self, reply: M) -> bool:
        """Tell whether a reply is an answer that is written to its end."""
        return bool(reply.buttons) and STOP not in reply.buttons

    def shown(self, message: M) -> list[str]:
        """Return what people read there."""
        return [reply.shown for reply in self.replies(message)]

    async def shows(self, message: M, text: str) -> None:
        """Wait until people read *text* in answer to *message*, finished or not."""
        await self._server.until(lambda: any(text in shown for shown in self.shown(message)))

    async def replied(self, message: M) -> M:
        """Wait for a finished reply to *message*, the first one."""
        reply: M = await self._server.until(
            lambda: next((one for one in self.replies(message) if self.is_finished(one)), None)
        )
        return reply

    async def answered(self, message: M, text: str = FIVE, seconds: float = 60.0) -> M:
        """Wait for a finished reply to *message* that says *text*."""

        def found() -> M | None:
            finished = filter(self.is_finished, self.replies(message))
            return next((one for one in finished if text in one.shown), None)

        try:
            reply: M = await self._server.until(found, seconds)
        except TimeoutError:
            raise AssertionError(f"no finished reply says {text!r}: {self.shown(message)}") from None
        return reply

    async def remembered(self, question: M) -> None:
        """Wait until the answer to *question* is kept; that comes after it is shown."""
        query = "SELECT id FROM turns WHERE question_key = ?"
        await self._server.until(lambda: self.rows(query, self.key(question)))

    def judgements(self, question: M) -> set[tuple[str, str, str | None]]:
        """Return who thinks what of an answer."""
        query = (
            "SELECT user, verdict, note FROM feedback JOIN turns ON turns.id = turn_id WHERE question_key = ?"
        )
        return {(user, verdict, note) for user, verdict, note in self.rows(query, self.key(question))}

    async def _launch(self) -> Process:
        self.out.clear()
        environment = self._program.environment(self._settings)
        process = self._process = await asyncio.create_subprocess_exec(
            PROGRAM,
            self.COMMAND,
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
        return any(line.startswith(self.READY) for line in self.out)


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
