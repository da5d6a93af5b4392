"""The workspaces the app is installed in: how to speak to each, and who the bot is there."""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit
from urllib.request import proxy_bypass

import aiohttp
from slack_sdk.web.async_client import AsyncWebClient

from adapters.slack.calls import FAILURES, translate
from bot.chat import NotAllowed

if TYPE_CHECKING:
    from collections.abc import Mapping

SLACK = "https://slack.com/api/"
TIMEOUT = 15.0
"""Seconds for one call; Slack needs a fraction of one."""

_sdk = logging.getLogger(f"{__name__}.sdk")
_sdk.setLevel(logging.WARNING)  # below that the SDK quotes whole requests and answers


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """Who the bot is in one workspace."""

    team: str
    user_id: str
    bot_id: str
    url: str
    """The workspace's address, ``https://example.slack.com/``."""
    enterprise: str | None = None
    """The organisation that the workspace belongs to, if any."""

    @classmethod
    def read(cls, answer: Mapping[str, str]) -> Identity:
        """Read the answer of ``auth.test``. Raises `KeyError`."""
        return cls(
            team=answer["team_id"],
            user_id=answer["user_id"],
            bot_id=answer.get("bot_id") or "",
            url=answer.get("url") or "",
            enterprise=answer.get("enterprise_id"),
        )


class Workspaces(Protocol):
    """Where the app is installed."""

    async def client(self, team: str) -> AsyncWebClient:
        """Return the SDK's client for one workspace. Raises `NotAllowed` where the app is not installed."""

    async def identity(self, team: str) -> Identity:
        """Return who the bot is there. Raises `ChatError`, `NotAllowed` where the app is not installed."""


class Line:
    """Connections to Slack that are kept open between calls; it opens them when they are first used."""

    def __init__(self, *, base_url: str = SLACK, timeout: float = TIMEOUT) -> None:
        self.base_url = base_url
        self._timeout = aiohttp.ClientTimeout(total=timeout)
        self._session: aiohttp.ClientSession | None = None

    def client(self, token: str) -> AsyncWebClient:
        """Return a client that makes each call once, over these connections.

        The SDK's own way of trying again posts a second message when the first one's answer was lost.
        """
        if self._session is None or self._session.closed:
            self._session = aiohttp.ClientSession(timeout=self._timeout)
        client = AsyncWebClient(
            token, base_url=self.base_url, session=self._session, retry_handlers=[], logger=_sdk
        )
        if is_direct(self.base_url):
            client.proxy = None  # the SDK takes it from the environment, whatever NO_PROXY says
        return client

    async def close(self) -> None:
        """End all connections."""
        if self._session is not None:
            await self._session.close()


class OneWorkspace:
    """The one workspace that a bot token is for; satisfies `Workspaces`."""

    def __init__(self, token: str, *, base_url: str = SLACK, timeout: float = TIMEOUT) -> None:
        self._token = token
        self._line = Line(base_url=base_url, timeout=timeout)
        self._identity: Identity | None = None
        self._asking = asyncio.Lock()

    async def client(self, team: str) -> AsyncWebClient:
        await self.identity(team)
        return self._line.client(self._token)

    async def identity(self, team: str) -> Identity:
        identity = await self.own()
        if team not in {"", identity.team, identity.enterprise}:  # what does not say whence it comes is ours
            raise NotAllowed("the app is not installed in this workspace")
        return identity

    async def own(self) -> Identity:
        """Return who the token is for; Slack is asked once. Raises `ChatError`."""
        async with self._asking:
            if self._identity is None:
                self._identity = await identify(self._line.client(self._token))
        return self._identity

    async def close(self) -> None:
        """End the connections to Slack."""
        await self._line.close()


async def identify(client: AsyncWebClient) -> Identity:
    """Ask Slack who the client's token is for. Raises `ChatError`."""
    try:
        answer = await client.auth_test()
        return Identity.read(answer.data)  # type: ignore[arg-type] # bytes only for files
    except KeyError as missing:
        raise NotAllowed("Slack does not say who this token is for") from missing
    except FAILURES as failure:
        raise translate(failure) from failure


def proxy_for(url: str) -> str | None:
    """Return the proxy through which *url* is reached, as the SDK finds it; None: no proxy may see it."""
    return None if is_direct(url) else AsyncWebClient().proxy


def is_direct(url: str) -> bool:
    """Tell whether *url* is on this machine or exempt by NO_PROXY, so that no proxy may see what is sent."""
    host = urlsplit(url).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback or proxy_bypass(host)
    except ValueError:
        return host == "localhost" or bool(proxy_bypass(host))
