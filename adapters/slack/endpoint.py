"""HTTP mode: Slack sends its events to this program's own address."""

from __future__ import annotations

import asyncio
import re
from typing import TYPE_CHECKING

from aiohttp import web
from slack_bolt.adapter.aiohttp import to_aiohttp_response
from slack_bolt.request.async_request import AsyncBoltRequest
from slack_sdk.signature import SignatureVerifier

from adapters.slack.manifest import EVENTS_PATH

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aiohttp.web import AbstractRouteDef
    from slack_bolt.async_app import AsyncApp

MAX_BODY = 2**20
READ_S = 10.0
"""How long a body may take to arrive."""
_SECONDS = re.compile(r"[0-9]{1,12}", re.ASCII)


class Endpoint:
    """One address for events, buttons, forms, shortcuts and commands; only Slack gets past the door."""

    def __init__(self, app: AsyncApp, signing_secret: str) -> None:
        self._app = app
        self._verifier = SignatureVerifier(signing_secret)
        self._open = False

    def __str__(self) -> str:
        return f"HTTP at {EVENTS_PATH}"

    @property
    def routes(self) -> Sequence[AbstractRouteDef]:
        """What a web server must serve for it."""
        return [web.post(EVENTS_PATH, self._receive)]

    async def connect(self) -> None:
        """Take events from now on."""
        self._open = True

    async def alive(self) -> int:
        """Return whether events are taken."""
        return int(self._open)

    async def watch(self) -> None:
        """Do nothing, until cancelled: it is Slack who connects."""
        await asyncio.Event().wait()

    async def close(self) -> None:
        """Take no more events: Slack will deliver them again, to another process or later."""
        self._open = False

    async def _receive(self, request: web.Request) -> web.Response:
        if not self._open:
            return web.Response(status=503, headers={"Retry-After": "10"})
        body = await _read(request)
        if not self._is_genuine(body, request.headers):
            return web.json_response({"error": "invalid signature"}, status=401)
        try:
            # the signature is over these very bytes
            asked = AsyncBoltRequest(
                body=body.decode("utf-8"),
                query=request.query_string,
                headers={name: [value] for name, value in request.headers.items()},
            )
        except (ValueError, TypeError, AttributeError):
            return web.json_response({"error": "unreadable"}, status=400)
        if not _says_something(asked.body):
            return web.json_response({"error": "unreadable"}, status=400)
        return await to_aiohttp_response(await self._app.async_dispatch(asked))

    def _is_genuine(self, body: bytes, headers: Mapping[str, str]) -> bool:
        stamp = headers.get("X-Slack-Request-Timestamp", "")
        signature = headers.get("X-Slack-Signature", "")
        if not (_SECONDS.fullmatch(stamp) and signature.isascii()):
            return False
        try:
            return self._verifier.is_valid(body, stamp, signature)
        except UnicodeDecodeError:
            return False


def _says_something(body: object) -> bool:
    """Tell whether a body is of a kind that Slack sends: an object, and the event in it one too."""
    if not isinstance(body, dict):
        return False
    event = body.get("event", {})
    return isinstance(event, dict) and ("event" not in body or isinstance(event.get("type"), str))


async def _read(request: web.Request) -> bytes:
    """Return the body. Raises aiohttp's answers for one that is too long or too slow."""
    if (request.content_length or 0) > MAX_BODY:
        raise web.HTTPRequestEntityTooLarge(MAX_BODY, request.content_length or 0)
    body = bytearray()
    try:
        async with asyncio.timeout(READ_S):
            async for piece in request.content.iter_any():
                body += piece
                if len(body) > MAX_BODY:
                    raise web.HTTPRequestEntityTooLarge(MAX_BODY, len(body))
    except TimeoutError as error:
        raise web.HTTPRequestTimeout from error
    return bytes(body)
