"""The local Discord server."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.fakes.discord import posting, reading, registry, responding, thread_calls  # noqa: F401 (routes)
from tests.fakes.discord.cdn import Cdn
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
from tests.fakes.faults import ANY

PEOPLE = {OLGA: "olga", ADAM: "adam", ANNA: "anna", BEN: "ben", GINA: "gina"}
VIEW = Permission.VIEW_CHANNEL
UNSEEN = Overwrite(deny=VIEW)


class DiscordServer(Interacting):
    """A Discord with one guild, people and channels in it, on a port of this machine.

    ``async with DiscordServer() as discord`` starts and stops it.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        for user, name in PEOPLE.items():
            self.add_user(user, name)
        self.add_user(ROBOT, "robot", bot=True)
        self.add_user(BOT, "footnote", bot=True)
        self.guild = self.add_guild("Acme", id=GUILD)

    async def start(self) -> str:
        """Listen. Returns the base URL of the REST API."""
        app = web.Application(client_max_size=32 * 2**20)
        app.router.add_get("/gw/", self.gateway.serve)
        cdn = Cdn(self)
        cdn.mount(app)
        Rest(self).mount(app)
        other = web.Application()
        other.router.add_get("/{path:.*}", cdn.serve_elsewhere)
        self.origin = await self.listen(app)
        self.elsewhere = f"{await self.listen(other)}/"
        return self.api_base_url

    async def _disconnect(self) -> None:
        await self.gateway.stop()

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

    def _check_name(self, name: str) -> None:
        """Routes have short names, such as ``send``, ``edit`` or ``thread``; ``*`` is any of them."""
        if name != ANY and name not in {one.name for one in ROUTES}:
            raise LookupError(f"there is no route {name!r}")

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
