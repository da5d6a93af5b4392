"""The local Discord server."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, Self

from aiohttp import web

from tests.fakes.discord import posting, reading, registry, responding, thread_calls  # noqa: F401 (routes)
from tests.fakes.discord.cdn import Cdn
from tests.fakes.discord.faults import ANY
from tests.fakes.discord.interacting import Interacting
from tests.fakes.discord.permissions import MODERATING, Permission
from tests.fakes.discord.rest import PREFIX, ROUTES, Rest
from tests.fakes.discord.world import (
    ADAM,
    ANNA,
    BEN,
    BOT,
    FORUM,
    GENERAL,
    GINA,
    GUILD,
    HIDDEN,
    NEWS,
    NO_THREADS,
    OLGA,
    PRIVATE,
    READONLY,
    ROBOT,
    SECOND,
    THIRD,
    Guild,
    Overwrite,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.fakes.discord.faults import Fault
    from tests.fakes.discord.rest import Call

PEOPLE = {OLGA: "olga", ADAM: "adam", ANNA: "anna", BEN: "ben", GINA: "gina"}
POLL = 0.01
VIEW = Permission.VIEW_CHANNEL
UNSEEN = Overwrite(deny=VIEW)


class DiscordServer(Interacting):
    """A Discord with one guild, people and channels in it, on a port of this machine.

    ``async with DiscordServer() as discord`` starts and stops it.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._runners: list[web.AppRunner] = []
        for user, name in PEOPLE.items():
            self.add_user(user, name)
        self.add_user(ROBOT, "robot", bot=True)
        self.add_user(BOT, "footnote", bot=True)
        self.guild = self.add_guild("Acme", id=GUILD)

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    async def start(self) -> str:
        """Listen. Returns the base URL of the REST API."""
        app = web.Application(client_max_size=32 * 2**20)
        app.router.add_get("/gw/", self.gateway.serve)
        cdn = Cdn(self)
        cdn.mount(app)
        Rest(self).mount(app)
        other = web.Application()
        other.router.add_get("/{path:.*}", cdn.serve_elsewhere)
        self.origin = await self._listen(app)
        self.elsewhere = f"{await self._listen(other)}/"
        return self.api_base_url

    async def stop(self) -> None:
        """Stop listening and forget what is on its way."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self.gateway.stop()
        for runner in self._runners:
            await runner.cleanup()
        self._runners.clear()

    @property
    def api_base_url(self) -> str:
        return f"{self.origin}{PREFIX}"

    @property
    def environment(self) -> dict[str, str]:
        """The settings with which the program talks to this server."""
        return {
            "FOOTNOTE_DISCORD__TOKEN": self.token,
            "FOOTNOTE_DISCORD__API_BASE_URL": self.api_base_url,
            "FOOTNOTE_DISCORD__GATEWAY_URL": self.gateway_url,
        }

    def add_guild(self, name: str, *, id: int | None = None, invited: bool = True) -> Guild:  # noqa: A002
        """Add a guild with everybody in it; the first one has channels of every kind."""
        guild = Guild.founded(id=id or self.snowflake(), name=name, owner=OLGA)
        first = not self.guilds
        self.guilds[guild.id] = guild
        for user in (*PEOPLE, ROBOT):
            self.add_member(guild, user)
        moderators = self.add_role(guild, "Moderators", MODERATING, mentionable=True)
        guild.members[ADAM].roles.append(moderators.id)
        if invited:
            guild.invite(self.bot, self.snowflake())
        if first:
            self._furnish(guild)
        else:
            self.add_channel("general", guild=guild)
        return guild

    def fail(
        self,
        route: str,
        fault: Fault,
        *,
        times: int | None = 1,
        skip: int = 0,
        when: Callable[[Call], bool] | None = None,
    ) -> None:
        """Let *fault* happen to the next calls of *route* (``times=None``: to all, until `heal`).

        Routes have short names, such as ``send``, ``edit`` or ``thread``; ``*`` is any of them.
        """
        if route != ANY and route not in {one.name for one in ROUTES}:
            raise LookupError(f"there is no route {route!r}")
        self.faults.plan(route, fault, times=times, skip=skip, when=when)

    def heal(self, route: str | None = None) -> None:
        """Let nothing more go wrong."""
        self.faults.clear(route)

    async def until(self, condition: Callable[[], Any], seconds: float = 20.0) -> Any:
        """Wait until *condition* holds, and return what it came to."""
        async with asyncio.timeout(seconds):
            while True:
                if result := condition():
                    return result
                await asyncio.sleep(POLL)

    def _furnish(self, guild: Guild) -> None:
        add, everyone = self.add_channel, guild.id
        add("general", id=GENERAL)
        add("second", id=SECOND)
        add("third", id=THIRD)
        seen_by = {user: Overwrite(allow=VIEW) for user in (ANNA, BEN, BOT)}
        add("private", id=PRIVATE, overwrites={everyone: UNSEEN, **seen_by})
        add("help", "forum", id=FORUM, tags=["bug", "idea"])
        add("news", "announcements", id=NEWS)
        silent = Overwrite(deny=Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS)
        add("readonly", id=READONLY, overwrites={BOT: silent})
        unthreaded = Overwrite(deny=Permission.CREATE_PUBLIC_THREADS | Permission.CREATE_PRIVATE_THREADS)
        add("no-threads", id=NO_THREADS, overwrites={BOT: unthreaded})
        add("hidden", id=HIDDEN, overwrites={BOT: UNSEEN})

    async def _listen(self, app: web.Application) -> str:
        runner = web.AppRunner(app, access_log=None, handler_cancellation=True, shutdown_timeout=0.1)
        await runner.setup()
        self._runners.append(runner)
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        return f"http://127.0.0.1:{runner.addresses[0][1]}"
