"""Files are parsed in processes of their own, which may crash, hang or fill up without harm to ours."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Self

import pipeline
from pipeline.domain import IngestReason
from pipeline.errors import IngestError, PipelineError
from pipeline.ingestion.loaders.bundles import Member
from pipeline.ingestion.wire import (
    LENGTH,
    MAX_REPLY_BYTES,
    OUT_OF_MEMORY,
    Listed,
    Parsed,
    ParseLimits,
    Reply,
    frame,
    pack_request,
    unpack_reply,
)

if TYPE_CHECKING:
    from asyncio.subprocess import Process
    from collections.abc import Awaitable, Callable, Sequence
    from types import TracebackType

    Take = Callable[[Member], Awaitable[None]]

__all__ = ["ParseLimits", "Parsed", "Sandbox"]

logger = logging.getLogger(__name__)

START_SECONDS = 30.0
"""A start takes 0.2 s; a machine that needs longer than this is out of memory."""
PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
"""The only variables a parser inherits: no token and no key is among them."""
PARSER = (sys.executable, "-P", "-m", "pipeline.ingestion.parser")
_MEGABYTE = 1_000_000
_PDF, _HEAD_BYTES = b"%PDF-", 1024
_LABELS = b"/PageLabels"


class Sandbox:
    """A few warm parser processes; each reads one file at a time and is replaced when it misbehaves.

    Belongs to one event loop. Close it, or use it as an async context manager.
    """

    def __init__(
        self, *, processes: int = 1, limits: ParseLimits | None = None, command: Sequence[str] = PARSER
    ) -> None:
        self._limits = limits or ParseLimits()
        self._command = command
        self._slots = asyncio.Semaphore(processes)
        self._idle: list[_Parser] = []

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """End the processes that are idle; busy ones end with the task that waits for them."""
        while self._idle:
            await self._idle.pop().end()

    async def parse(self, data: bytes, name: str, *, limits: ParseLimits | None = None) -> Parsed:
        """Read a file and cut it into pieces; *name* is its display name. Cancelling ends its process.

        A PDF with pages that are only pictures is read once more where the limits allow text recognition.
        Raises `IngestError` with any `IngestReason`; `PipelineError` where no process can be started.
        """
        allowed = limits or self._limits
        _check_size(data, allowed)
        parsed: Parsed | IngestError
        try:
            parsed = await self._parse(data, name, replace(allowed, recognize=0))
        except IngestError as error:
            parsed = error
        if allowed.recognize and _lacks_text(parsed, data):
            try:
                return await self._parse(data, name, allowed.recognizing())
            except IngestError as error:
                # half a document is better than none
                parsed = error if isinstance(parsed, IngestError) else parsed
        if isinstance(parsed, IngestError):
            raise parsed
        return parsed

    async def unpack(self, data: bytes, name: str, take: Take, *, limits: ParseLimits | None = None) -> None:
        """Take an archive apart and give its files to *take*, by name, holding one of them at a time.

        Raises as `parse` does.
        """
        allowed = limits or self._limits
        _check_size(data, allowed)
        reply = await self._ask(data, name, allowed, take)
        if not isinstance(reply.outcome, Listed):
            raise reply.outcome if isinstance(reply.outcome, IngestError) else _damaged()

    async def _parse(self, data: bytes, name: str, limits: ParseLimits) -> Parsed:
        try:
            reply = await self._ask(data, name, limits)
        except IngestError:  # the process ended: maybe only because of what the pages are called
            if _LABELS not in data or not limits.page_labels:
                raise
            return await self._parse(data, name, replace(limits, page_labels=False))
        if not isinstance(reply.outcome, Parsed):
            raise reply.outcome if isinstance(reply.outcome, IngestError) else _damaged()
        return reply.outcome

    async def _ask(self, data: bytes, name: str, limits: ParseLimits, take: Take | None = None) -> Reply:
        async with self._slots:
            parser = await self._take()
            fit = False
            try:
                reply = await parser.ask(data, name, limits, take)
                fit = not reply.retire
            finally:
                if fit:
                    self._idle.append(parser)
                else:
                    await parser.end()
        if reply.cause:
            logger.warning("a parser raised %s on a file of %d bytes", reply.cause, len(data))
        return reply

    async def _take(self) -> _Parser:
        while self._idle:
            parser = self._idle.pop()
            if parser.alive:
                return parser
            await parser.end()
        return await _Parser.start(self._command)


class _Parser:
    """One process at the other end of two pipes."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, command: Sequence[str]) -> Self:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # never pause in the middle of a reply: an end could not be noticed then
            limit=MAX_REPLY_BYTES,
            env=_environment(),
            # Ctrl-C in a terminal is for us; we then end the process ourselves
            start_new_session=True,
        )
        parser = cls(process)
        try:
            async with asyncio.timeout(START_SECONDS):
                await parser._receive()
        except (TimeoutError, asyncio.IncompleteReadError, ConnectionError) as exc:
            await parser.end()
            raise PipelineError("The process that reads files could not be started.") from exc
        except asyncio.CancelledError:
            await parser.end()
            raise
        return parser

    @property
    def alive(self) -> bool:
        return self._process.returncode is None

    async def ask(self, data: bytes, name: str, limits: ParseLimits, take: Take | None) -> Reply:
        """Have one file read or, with *take*, an archive taken apart, whose files it is given.

        Raises `IngestError` when the process does not survive it or takes too long.
        """
        request = frame(pack_request(name, limits, unpack=take is not None))
        try:
            async with asyncio.timeout(limits.wall_seconds):
                payload = await self._exchange(request, LENGTH.pack(len(data)), data)
                reply = await asyncio.to_thread(unpack_reply, payload)
                if take is not None and isinstance(reply.outcome, Listed):
                    await self._pass_on(reply.outcome, take)
                return reply
        except TimeoutError as exc:
            raise _too_slow() from exc
        except (asyncio.IncompleteReadError, ConnectionError) as exc:
            raise _death(await self._process.wait()) from exc
        except (ValueError, KeyError, TypeError, IndexError) as exc:
            raise _damaged() from exc

    async def end(self) -> None:
        """Kill the process; it holds nothing that would be lost."""
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()

    async def _pass_on(self, listed: Listed, take: Take) -> None:
        for name, state in listed.members:
            await take(await self._member(name, state))  # which holds the only reference to its bytes

    async def _member(self, name: str, state: int | IngestError) -> Member:
        content = state if isinstance(state, IngestError) else await self._exchange(frame(b""))
        return Member(name=name, content=content)

    async def _exchange(self, *request: bytes) -> bytes:
        stdin = self._process.stdin
        if stdin is None:
            raise BrokenPipeError
        stdin.writelines(request)
        await stdin.drain()
        return await self._receive()

    async def _receive(self) -> bytes:
        stdout = self._process.stdout
        if stdout is None:
            raise BrokenPipeError
        (length,) = LENGTH.unpack(await stdout.readexactly(LENGTH.size))
        if length > MAX_REPLY_BYTES:
            raise BrokenPipeError
        return await stdout.readexactly(length)


def _lacks_text(parsed: Parsed | IngestError, data: bytes) -> bool:
    """Tell a PDF in which some page is only a picture."""
    if _PDF not in data[:_HEAD_BYTES]:
        return False
    return parsed.blank_pages > 0 if isinstance(parsed, Parsed) else parsed.reason is IngestReason.NO_TEXT


def _environment() -> dict[str, str]:
    """Return what the process may know: where libraries are, and nothing of ours."""
    inherited = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    return inherited | {"PYTHONPATH": str(Path(pipeline.__file__).parents[1])}


def _check_size(data: bytes, limits: ParseLimits) -> None:
    if not data:
        raise IngestError(IngestReason.EMPTY_FILE, "The file is empty.")
    if len(data) > limits.max_bytes:
        size, most = len(data) / _MEGABYTE, limits.max_bytes / _MEGABYTE
        raise IngestError(
            IngestReason.TOO_LARGE, f"The file has {size:,.1f} MB; at most {most:,.1f} MB can be read."
        )


def _death(status: int) -> IngestError:
    """Say what the end of a process means: negative numbers are signals."""
    if status == -signal.SIGXCPU:
        return _too_slow()
    # native code aborts when it is refused memory; on damaged data it faults (SIGSEGV, SIGILL, SIGTRAP)
    if status in (OUT_OF_MEMORY, -signal.SIGABRT, -signal.SIGKILL):
        return IngestError(IngestReason.TOO_LARGE, "The file needs more memory to read than there is.")
    return _damaged()


def _too_slow() -> IngestError:
    return IngestError(IngestReason.TIMED_OUT, "Reading the file took too long; upload it in parts.")


def _damaged() -> IngestError:
    return IngestError(
        IngestReason.CORRUPT,
        "The file is damaged so badly that reading it failed; save it anew and upload that.",
    )
