"""Small servers that speak the streaming protocols of OpenAI-compatible servers and of Anthropic."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from aiohttp import web

from tests.fakes.models import hash_words

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(slots=True, kw_only=True)
class FakeHosted:
    """Answers both protocols with the same words and records what it was sent."""

    pieces: Sequence[str] = ("Refunds take ", "five days [1].")
    models: Sequence[str] = ("small-model",)
    status: int = 200
    finishes: bool = True
    """False: the stream ends before the server said so."""
    finish_reason: str = "stop"
    """As OpenAI names it."""
    reasoning: str | None = None
    """Sent in ``reasoning_content`` before the answer, as vLLM and llama.cpp do."""
    requests: list[tuple[str, dict[str, Any], dict[str, str]]] = field(default_factory=list)
    """Path, body, headers."""
    url: str = ""
    _runner: web.AppRunner | None = None

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._openai)
        app.router.add_post("/v1/embeddings", self._embeddings)
        app.router.add_post("/v1/messages", self._anthropic)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _models(self, request: web.Request) -> web.Response:
        self.requests.append((request.path, {}, dict(request.headers)))
        return web.json_response({"data": [{"id": name, "object": "model"} for name in self.models]})

    async def _embeddings(self, request: web.Request) -> web.Response:
        body = await self._record(request)
        rows = [
            {"object": "embedding", "index": index, "embedding": hash_words(text, 24).tolist()}
            for index, text in enumerate(body["input"])
        ]
        usage = {"prompt_tokens": 1, "total_tokens": 1}
        return web.json_response({"object": "list", "data": rows, "model": body["model"], "usage": usage})

    async def _openai(self, request: web.Request) -> web.StreamResponse:
        body = await self._record(request)
        if self.status != 200:
            return web.json_response({"error": {"message": "no", "type": "x"}}, status=self.status)
        deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
        if self.reasoning is not None:
            deltas.append({"reasoning_content": self.reasoning})
        deltas += [{"content": piece} for piece in self.pieces]
        chunks: list[dict[str, Any]] = [
            {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas
        ]
        if self.finishes:
            chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish_reason}]})
            usage = {"prompt_tokens": 300, "completion_tokens": 7, "total_tokens": 307}
            chunks.append({"choices": [], "usage": usage})
        frame = {"id": "c", "object": "chat.completion.chunk", "model": body["model"]}
        events = [f"data: {json.dumps({**frame, **chunk})}" for chunk in chunks]
        return await _send(request, [*events, "data: [DONE]"] if self.finishes else events)

    async def _anthropic(self, request: web.Request) -> web.StreamResponse:
        body = await self._record(request)
        if self.status != 200:
            error = {"type": "error", "error": {"type": "x", "message": "no"}}
            return web.json_response(error, status=self.status)
        message = {
            "id": "m",
            "type": "message",
            "role": "assistant",
            "model": body["model"],
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": {"input_tokens": 300, "output_tokens": 1},
        }
        events: list[dict[str, Any]] = [
            {"type": "message_start", "message": message},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        ]
        events += [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in self.pieces
        ]
        if self.finishes:
            events += [
                {"type": "content_block_stop", "index": 0},
                {
                    "type": "message_delta",
                    "delta": {"stop_reason": "end_turn", "stop_sequence": None},
                    "usage": {"input_tokens": 300, "output_tokens": 7},
                },
                {"type": "message_stop"},
            ]
        return await _send(
            request, [f"event: {event['type']}\ndata: {json.dumps(event)}" for event in events]
        )

    async def _record(self, request: web.Request) -> dict[str, Any]:
        body: dict[str, Any] = await request.json()
        self.requests.append((request.path, body, dict(request.headers)))
        return body


async def _send(request: web.Request, events: Sequence[str]) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
    await response.prepare(request)
    for event in events:
        await response.write(f"{event}\n\n".encode())
    await response.write_eof()
    return response
