"""The Events API over HTTP: signed requests to the bot's own address."""

from __future__ import annotations

import hashlib
import hmac
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import aiohttp

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.fakes.slack.deliveries import Deliverer, Delivery

FORM, JSON = "application/x-www-form-urlencoded", "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What the bot's address answered."""

    status: int
    text: str
    headers: Mapping[str, str]

    @property
    def json(self) -> Any:
        return json.loads(self.text) if self.text.startswith("{") else None


class EventsApi:
    """Sends what Socket Mode would send, signed, to ``state.request_url``."""

    def __init__(self, state: Deliverer) -> None:
        self._state = state
        self.replies: list[Reply] = []

    async def attempt(self, delivery: Delivery, retry: int) -> bool:
        """Send *delivery* once. Says whether it was acknowledged in time."""
        headers = {"x-slack-retry-num": str(retry), "x-slack-retry-reason": "http_timeout"} if retry else {}
        body, kind = _body(delivery)
        sent = self._state.clock()
        try:
            reply = await self.post(body, kind=kind, headers=headers, seconds=self._state.ack_seconds)
        except (TimeoutError, aiohttp.ClientError):
            return False
        plain = {"text": reply.text} if reply.text and delivery.kind == "slash_commands" else None
        delivery.answer, delivery.latency = reply.json or plain, self._state.clock() - sent
        no_retry = reply.headers.get("x-slack-no-retry") == "1"
        return 200 <= reply.status < 300 or no_retry

    async def post(
        self,
        body: str,
        *,
        kind: str = JSON,
        headers: Mapping[str, str] | None = None,
        secret: str | None = None,
        age: float = 0.0,
        seconds: float = 3.0,
    ) -> Reply:
        """Send *body*, signed *age* seconds ago, with another *secret* if one is given."""
        stamp = str(int(self._state.wall() - age))
        signed = signature(secret or self._state.signing_secret, stamp, body)
        sent = {
            "Content-Type": kind,
            "X-Slack-Request-Timestamp": stamp,
            "X-Slack-Signature": signed,
            **(headers or {}),
        }
        timeout = aiohttp.ClientTimeout(total=seconds)
        async with (
            aiohttp.ClientSession(timeout=timeout) as session,
            session.post(self._state.request_url or "", data=body.encode(), headers=sent) as response,
        ):
            reply = Reply(status=response.status, text=await response.text(), headers=dict(response.headers))
        self.replies.append(reply)
        return reply

    async def verify_url(self) -> Reply:
        """Ask the bot's address whether it is the bot, as Slack does once when it is entered."""
        body = {"type": "url_verification", "token": "t", "challenge": "challenge-accepted"}
        return await self.post(json.dumps(body))


def signature(secret: str, stamp: str, body: str) -> str:
    """Return Slack's signature of *body*."""
    digest = hmac.new(secret.encode(), f"v0:{stamp}:{body}".encode(), hashlib.sha256)
    return f"v0={digest.hexdigest()}"


def _body(delivery: Delivery) -> tuple[str, str]:
    if delivery.kind == "events_api":
        return json.dumps(delivery.payload), JSON
    if delivery.kind == "interactive":
        return urlencode({"payload": json.dumps(delivery.payload)}), FORM
    fields = {key: value for key, value in delivery.payload.items() if value is not None}
    return urlencode(fields), FORM
