"""A server on this machine that speaks Ollama's HTTP API, faults included. It is not Ollama."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from aiohttp import web

from tests.fakes.models import hash_words

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Sequence

    from aiohttp.typedefs import Handler

CREATED = "2026-01-05T09:00:00Z"


@dataclass(slots=True, kw_only=True)
class Answer:
    """One answer to come from ``/api/chat``."""

    pieces: Sequence[str] = ("Refunds take ", "five days [1].")
    thinking: Sequence[str] = ()
    """Sent in the field of that name, before the pieces."""
    status: int = 200
    """Anything else is an error answered at once."""
    gate: asyncio.Event | None = None
    """Awaited before the first token: a model that loads."""
    step: asyncio.Semaphore | None = None
    """Taken before each piece: a test lets them through one by one."""
    error_after: int | None = None
    """An error object takes the place of the rest after so many pieces."""
    reset_after: int | None = None
    """The connection is reset after so many pieces."""
    ends_without_done: bool = False
    done_reason: str = "stop"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What the server was sent."""

    path: str
    body: dict[str, Any]
    headers: dict[str, str]


@dataclass(slots=True, kw_only=True)
class FakeOllama:
    """Serves scripted answers in turn, the last one for ever, and records what it was sent.

    A prompt over the context window is cut as the real server does it: silently, from the front.
    """

    chat_models: dict[str, int] = field(default_factory=lambda: {"llama3.2": 8192})
    """Name and context length of each."""
    embedding_models: dict[str, int] = field(default_factory=lambda: {"nomic-embed-text": 48})
    """Name and dimension of each."""
    capabilities: Sequence[str] = ("completion", "tools")
    answers: list[Answer] = field(default_factory=lambda: [Answer()])
    embed_status: int = 200
    down: bool = False
    """Whoever asks is told that the service is unavailable, as a proxy before it does."""
    requests: list[Request] = field(default_factory=list)
    prompts: list[list[str]] = field(default_factory=list)
    """The tokens the model read of each chat, after the cut."""
    hung_up: int = 0
    """Clients that went away before their answer ended."""
    running: int = 0
    most_running: int = 0
    url: str = ""
    _runner: web.AppRunner | None = None
    _started: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=32 * 2**20, middlewares=[self._gate])
        app.router.add_get("/", self._root)
        app.router.add_get("/api/version", self._version)
        app.router.add_get("/api/tags", self._tags)
        app.router.add_get("/api/ps", self._tags)
        app.router.add_post("/api/show", self._show)
        app.router.add_post("/api/chat", self._chat)
        app.router.add_post("/api/embed", self._embed)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def stop(self) -> None:
        """Stop listening; whoever asks now is refused."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None

    async def until(self, *, running: int | None = None, hung_up: int | None = None) -> None:
        """Wait until so many answers are being written, or so many clients have gone."""

        def reached() -> bool:
            return self.running == running if running is not None else self.hung_up == hung_up

        async with self._started:
            await self._started.wait_for(reached)

    def chats(self) -> list[dict[str, Any]]:
        """Return the bodies sent to ``/api/chat``."""
        return [request.body for request in self.requests if request.path == "/api/chat"]

    @web.middleware
    async def _gate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        return web.Response(status=503) if self.down else await handler(request)

    async def _root(self, _: web.Request) -> web.Response:
        return web.Response(text="Ollama is running")

    async def _version(self, _: web.Request) -> web.Response:
        return web.json_response({"version": "0.0.0-fake"})

    async def _tags(self, request: web.Request) -> web.Response:
        await self._record(request)
        names = [*self.chat_models, *self.embedding_models]
        rows = [{"name": _tagged(name), "model": _tagged(name), "modified_at": CREATED} for name in names]
        return web.json_response({"models": rows})

    async def _show(self, request: web.Request) -> web.Response:
        body = await self._record(request)
        name = str(body.get("model", "")).removesuffix(":latest")
        if name in self.chat_models:
            info = {"general.architecture": "fake", "fake.context_length": self.chat_models[name]}
        elif name in self.embedding_models:
            info = {"fake.context_length": 2048, "fake.embedding_length": self.embedding_models[name]}
        else:
            return _missing(name)
        return web.json_response({"model_info": info, "capabilities": list(self.capabilities)})

    async def _embed(self, request: web.Request) -> web.Response:
        body = await self._record(request)
        name = str(body["model"]).removesuffix(":latest")
        if self.embed_status != 200:
            return web.json_response({"error": "no"}, status=self.embed_status)
        if name not in self.embedding_models:
            return _missing(name)
        texts = [body["input"]] if isinstance(body["input"], str) else body["input"]
        # not of length 1, as the vectors of some models are not
        rows = [(3 * hash_words(text, self.embedding_models[name])).tolist() for text in texts]
        return web.json_response({"model": name, "embeddings": rows, "prompt_eval_count": len(texts)})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await self._record(request)
        name = str(body["model"]).removesuffix(":latest")
        if name not in self.chat_models:
            return _missing(name)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if answer.status != 200:
            return web.json_response({"error": "the model runner broke"}, status=answer.status)
        await self._count(running=1)
        try:
            if body.get("stream", True):
                return await self._stream(request, body, answer)
            return await self._whole(body, answer)
        except (asyncio.CancelledError, ConnectionError):
            await self._count(hung_up=1)
            raise
        finally:
            await self._count(running=-1)

    async def _stream(self, request: web.Request, body: dict[str, Any], answer: Answer) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "application/x-ndjson"})
        await response.prepare(request)
        sent = 0
        async for message in _messages(answer):
            if sent == answer.reset_after:
                if request.transport is not None:
                    request.transport.abort()
                return response
            if sent == answer.error_after:
                await response.write(_line({"error": "llama runner process has terminated"}))
                return response
            await response.write(_line({"model": body["model"], "message": message, "done": False}))
            sent += "thinking" not in message
        if not answer.ends_without_done:
            await response.write(_line(self._done(body, answer, "")))
        await response.write_eof()
        return response

    async def _whole(self, body: dict[str, Any], answer: Answer) -> web.Response:
        content = "".join([message["content"] async for message in _messages(answer)])
        return web.json_response(self._done(body, answer, content))

    def _done(self, body: dict[str, Any], answer: Answer, content: str) -> dict[str, Any]:
        read = self._read(body)
        return {
            "model": body["model"],
            "created_at": CREATED,
            "message": {"role": "assistant", "content": content},
            "done": True,
            "done_reason": answer.done_reason,
            "total_duration": 1,
            "load_duration": 1,
            "prompt_eval_count": len(read),
            "prompt_eval_duration": 1,
            "eval_count": max(1, len(answer.pieces)),
            "eval_duration": 1,
        }

    def _read(self, body: dict[str, Any]) -> list[str]:
        """Return what the model read: over its window, the front half of it is gone and nobody is told."""
        text = "\n".join(message["content"] for message in body["messages"])
        tokens = re.findall(r"\w{1,6}|[^\w\s]", text)
        window = min(body.get("options", {}).get("num_ctx", 2048), self._window(body))
        if len(tokens) > window:
            tokens = tokens[-(window // 2) :]
        self.prompts.append(tokens)
        return tokens

    def _window(self, body: dict[str, Any]) -> int:
        return self.chat_models[str(body["model"]).removesuffix(":latest")]

    async def _record(self, request: web.Request) -> dict[str, Any]:
        body: dict[str, Any] = await request.json() if request.can_read_body else {}
        self.requests.append(Request(path=request.path, body=body, headers=dict(request.headers)))
        return body

    async def _count(self, *, running: int = 0, hung_up: int = 0) -> None:
        async with self._started:
            self.running += running
            self.hung_up += hung_up
            self.most_running = max(self.most_running, self.running)
            self._started.notify_all()


async def _messages(answer: Answer) -> AsyncIterator[dict[str, str]]:
    if answer.gate is not None:
        await answer.gate.wait()
    for thought in answer.thinking:
        yield {"role": "assistant", "content": "", "thinking": thought}
    for piece in answer.pieces:
        if answer.step is not None:
            await answer.step.acquire()
        yield {"role": "assistant", "content": piece}
    if answer.reset_after == len(answer.pieces) or answer.error_after == len(answer.pieces):
        yield {"role": "assistant", "content": ""}


def _tagged(name: str) -> str:
    return name if ":" in name else f"{name}:latest"


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps({"created_at": CREATED, **value}).encode() + b"\n"


def _missing(name: str) -> web.Response:
    return web.json_response({"error": f"model '{name}' not found"}, status=404)
