"""A bot that keeps what it hears: the real client, on its way to the local server."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import TYPE_CHECKING, Any

import aiohttp
import yarl

import discord
from discord.gateway import DiscordWebSocket
from discord.http import Route

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Iterator

    from tests.fakes.discord.server import DiscordServer

INTENTS = discord.Intents(
    guilds=True, guild_messages=True, guild_reactions=True, dm_messages=True, message_content=True
)
QUICK = 0.05


@contextlib.contextmanager
def pointed_at(server: DiscordServer) -> Iterator[None]:
    """Let every client of this process talk to *server* for a while."""
    base, gateway = Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY
    Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = server.api_base_url, yarl.URL(server.gateway_url)
    try:
        yield
    finally:
        Route.BASE, DiscordWebSocket.DEFAULT_GATEWAY = base, gateway


class Listener(discord.Client):
    """Hears everything and does nothing, but quickly."""

    def __init__(self, intents: discord.Intents = INTENTS, **options: Any) -> None:
        nobody = discord.AllowedMentions.none()
        super().__init__(intents=intents, allowed_mentions=nobody, guild_ready_timeout=QUICK, **options)
        self.heard: list[tuple[str, tuple[Any, ...]]] = []
        self.errors: list[BaseException | None] = []

    def dispatch(self, event: str, /, *args: Any, **kwargs: Any) -> None:
        self.heard.append((event, args))
        super().dispatch(event, *args, **kwargs)

    async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
        """Do not wait five seconds before the second session."""

    async def on_error(self, event_method: str, /, *args: Any, **kwargs: Any) -> None:
        self.errors.append(sys.exc_info()[1])

    def events(self, *names: str) -> list[Any]:
        """Return what came with the events of these names, in order."""
        return [args[0] if args else None for name, args in self.heard if name in names]

    @property
    def said(self) -> list[str]:
        """What was in the messages it heard."""
        return [message.content for message in self.events("message")]


@contextlib.asynccontextmanager
async def listening(server: DiscordServer, client: discord.Client) -> AsyncIterator[None]:
    """Log *client* in and let it listen until the end."""
    with pointed_at(server):
        async with client:
            task = asyncio.get_running_loop().create_task(client.start(server.token))
            await server.until(lambda: client.is_ready() or task.done())
            yield
        with contextlib.suppress(discord.DiscordException):
            await task


async def refusal(call: Awaitable[Any]) -> int:
    """Return the code with which Discord refuses *call*."""
    try:
        await call
    except discord.HTTPException as error:
        return error.code
    raise AssertionError("nothing was refused")


async def raw(server: DiscordServer, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Make a call that the client would not make. Returns the status and the answer."""
    headers = {"Authorization": f"Bot {server.token}"}
    async with (
        aiohttp.ClientSession(headers=headers) as session,
        session.request(method, server.api_base_url + path, json=body) as response,
    ):
        return response.status, await response.json() if response.status != 204 else None
