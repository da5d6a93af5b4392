"""The service, connected to Discord until it is told to stop."""

from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from adapters.discord.adapter import DiscordAdapter
from adapters.discord.clerk import CUSTOMS
from adapters.discord.commands import offering
from adapters.discord.cursors import Cursors
from adapters.discord.desk import Desk
from adapters.discord.gateway import Gateway
from adapters.discord.listeners import Listeners
from adapters.discord.permissions import invitation
from adapters.discord.places import DIRECT, PLATFORM
from adapters.discord.reach import reach_discord
from adapters.discord.remedies import KEPT, whose
from adapters.running import until
from bot.library import SystemClock
from bot.pacing import first_of
from bot.platform import open_platform
from bot.recheck import Recheck
from bot.wording import counted
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence

    from aiohttp.web import AbstractRouteDef

    from adapters.discord.client import Client
    from adapters.discord.commands import Part
    from adapters.discord.reach import Reach
    from bot.bootstrap import Service
    from bot.platform import Platform

logger = logging.getLogger(__name__)

LINGER_S = 1.0
"""How long what was begun may go on when no more events are taken."""
FLUSH_S = 5.0
"""How often it is written down how far everything was heard."""


class Connection:
    """Discord, about to be served."""

    routes: Sequence[AbstractRouteDef] = ()
    """What a web server must serve for it."""

    def __init__(self, service: Service, desk: Desk, cursors: Cursors, parts: Sequence[Part]) -> None:
        self._service = service
        self._desk = desk
        self._cursors = cursors
        self._parts = parts
        self._clock = SystemClock()
        self._gateway = Gateway(desk.client, clock=self._clock)
        self._listeners = Listeners(desk, cursors, sleep=self._clock.sleep)

    async def missing(self) -> str | None:
        """Return what keeps it from working, None if nothing does; for /readyz."""
        return None if self._gateway.alive() else "Discord is not connected."

    async def run(self, stop: asyncio.Event, say: Callable[[str], None]) -> None:
        """Serve until *stop* is set; *say* tells whoever started this how it stands.

        Raises `NotAllowed` or `Unreachable`, with what to do, when Discord cannot be served.
        """
        desk, gateway = self._desk, self._gateway
        await desk.platform.resume()
        desk.client.listeners = self._listeners
        try:
            for part in self._parts:
                await part(desk)
            await until(stop, gateway.connect(say))
            if not stop.is_set():
                say(_hello(desk.client))
                await self._say_whose(say)
                await until(stop, gateway.watch(say), self._recheck().run(stop), self._keep_cursors())
        finally:
            desk.client.listeners = None  # from here on nothing comes in, however long the gateway takes
            await asyncio.gather(gateway.close(), self._end())

    async def _end(self) -> None:
        await first_of(self._listeners.settled(), self._clock.sleep(LINGER_S))
        await self._listeners.stop()
        await self._desk.platform.close()  # before the file in work, which may take the time that is left

    async def _say_whose(self, say: Callable[[str], None]) -> None:
        """Say if files were taken in by another application than the one that the token is for."""
        desk = self._desk
        present = {str(server.id) for server in desk.client.guilds}
        try:
            absent = set(await desk.library.workspaces(PLATFORM)) - {DIRECT, *present}
            others = await desk.owners.others(sorted(absent), str(desk.client.application_id))
        except PipelineError as error:
            logger.warning("whose the files are is unknown: %s", type(error).__name__)
            return
        if others:
            say(f"Discord: {whose(others)} {KEPT}")

    async def _keep_cursors(self) -> None:
        while True:
            await self._clock.sleep(FLUSH_S)
            await self._cursors.flush()

    def _recheck(self) -> Recheck:
        return Recheck(
            self._desk.library,
            self._desk.files.shares.gone,
            self._desk.platform.removals,
            self._clock,
            platform=PLATFORM,
            interval=self._service.settings.discord.recheck_hours * 3600,
        )


@asynccontextmanager
async def open_discord(service: Service, parts: Sequence[Part] | None = None) -> AsyncIterator[Connection]:
    """Get ready to serve Discord, and let what runs end with the block.

    *parts* are what people can use besides messages; None: commands, buttons and forms. Queued jobs are the
    caller's to do. Raises `ModelError`, and `NotAllowed` or `Unreachable`, with what to do, when Discord
    cannot be served.
    """
    async with reach_discord(service) as reach:
        await reach.login()
        adapter = DiscordAdapter(
            reach.client,
            reach.calls,
            reach.places,
            max_upload_bytes=service.settings.ingestion.max_bytes,
        )
        cursors = Cursors(service.stores.ledger)
        try:
            async with open_platform(service, adapter, library=reach.library, customs=CUSTOMS) as platform:
                desk = _desk(service, reach, adapter, platform)
                yield Connection(service, desk, cursors, _parts(service) if parts is None else parts)
        finally:
            await cursors.flush(at_once=True)  # by now, everything that was heard is in the books


def _desk(service: Service, reach: Reach, adapter: DiscordAdapter, platform: Platform) -> Desk:
    return Desk(
        platform=platform,
        adapter=adapter,
        client=reach.client,
        calls=reach.calls,
        places=reach.places,
        people=reach.people,
        files=reach.files,
        library=reach.library,
        owners=reach.owners,
        first_time=service.stores.seen.first_time,
    )


def _parts(service: Service) -> Sequence[Part]:
    return (offering(service.stores.ledger, sync=service.settings.discord.sync_commands),)


def _hello(client: Client) -> str:
    name = client.user.name if client.user is not None else "nobody"
    if not client.guilds:
        return (
            f"Discord: connected as {name} to no server yet; invite it: {invitation(client.application_id)}"
        )
    return f"Discord: connected as {name} to {counted(len(client.guilds), 'server')}."
