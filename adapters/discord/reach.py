"""Everything that speaks to Discord's REST API, wired, and Discord's files for the rest of the service."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from adapters.discord.budgets import Budgets
from adapters.discord.calls import Calls
from adapters.discord.client import Client, ShardedClient, direct_at, hush
from adapters.discord.files import DiscordFiles
from adapters.discord.gateway import NOBODY, introduce
from adapters.discord.people import People
from adapters.discord.places import PLATFORM, Places
from bot.chat import ChatError, NotAllowed
from bot.library import ServiceLibrary, SystemClock
from bot.owners import Owners
from pipeline.domain import IngestReason
from pipeline.errors import IngestError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from bot.bootstrap import Service
    from bot.groups import Discord
    from pipeline.domain import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """The ways to Discord."""

    client: Client
    login: Login
    calls: Calls
    places: Places
    files: DiscordFiles
    people: People
    library: ServiceLibrary
    owners: Owners


class Login:
    """Introduces the bot to Discord, once and not before something is asked."""

    def __init__(self, client: Client, token: str) -> None:
        self._client = client
        self._token = token
        self._lock = asyncio.Lock()
        self._done = False

    async def __call__(self) -> None:
        """Return when the REST API may be used. Raises `NotAllowed`, with what to do, or `Unreachable`."""
        async with self._lock:
            if not self._done:
                await introduce(self._client, self._token)
                self._done = True


@asynccontextmanager
async def reach_discord(service: Service) -> AsyncIterator[Reach]:
    """Speak to Discord for the length of the block; in it, the service can fetch files from there.

    Nothing is asked yet. Raises `NotAllowed` when the settings name no bot.
    """
    discord, clock = service.settings.discord, SystemClock()
    if discord.token is None:
        raise NotAllowed(NOBODY)
    direct_at(discord.api_base_url, discord.gateway_url)
    hush()
    async with AsyncExitStack() as stack:
        client = await stack.enter_async_context(_client(discord))
        login = Login(client, discord.token.get_secret_value())
        calls = Calls(Budgets(), clock.monotonic, breakable=lambda: client.breakable)
        places = Places(client, calls)
        most = service.settings.ingestion.max_bytes
        owners = Owners(service.stores.choices, PLATFORM)
        files = DiscordFiles(client, calls, owners, max_bytes=most, sleep=clock.sleep)
        stack.push_async_callback(files.close)
        service.sources.connect(PLATFORM, partial(_fetch, login, files))
        yield Reach(
            client=client,
            login=login,
            calls=calls,
            places=places,
            files=files,
            people=People(client, calls, clock.monotonic),
            library=ServiceLibrary(service, gone=partial(_gone, login, files)),
            owners=owners,
        )


def _client(discord: Discord) -> Client:
    kind = ShardedClient if discord.sharded else Client
    return kind(content=discord.message_content)


async def _fetch(login: Login, files: DiscordFiles, source: str) -> bytes:
    """Return the bytes of a source of Discord's; a worker may be the first who asks for anything."""
    try:
        await login()
    except ChatError as error:
        raise IngestError(IngestReason.UNREADABLE, str(error)) from error
    return await files.fetch(source)


async def _gone(login: Login, files: DiscordFiles, scope: Scope, source: str) -> bool:
    await login()
    return await files.shares.gone(scope, source)
