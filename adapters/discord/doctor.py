"""Is Discord in place? Token, intent, gateway, servers and commands: one line each, with the remedy."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from discord.gateway import DiscordWebSocket

from adapters.discord import remedies
from adapters.discord.calls import FAILURES, translate
from adapters.discord.clerk import INDEX
from adapters.discord.client import Client, direct_at, hush
from adapters.discord.commands import PLAIN
from adapters.discord.grants import shortcoming
from adapters.discord.permissions import invitation
from adapters.discord.places import DIRECT, PLATFORM
from adapters.discord.remedies import explained, whose
from bot.chat import ChatError, Unreachable
from bot.doctor import Check
from bot.owners import Owners
from bot.wording import counted
from pipeline.errors import PipelineError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence

    import discord

    from bot.groups import Discord
    from bot.settings import Settings
    from bot.stores import Stores

PATIENCE = 10.0
"""Seconds for each question to Discord; discord.py's own trying again is included."""
LISTED = 200
"""Servers that are counted."""
LOOKED_AT = 20
"""Servers whose permissions are looked at; each takes three questions."""
FEW_STARTS = 50
"""Connections left for the day of which people should know."""
COMMANDS = frozenset({*PLAIN, "ask", "forget", "settings", "upload", INDEX})
"""Everything that Discord should offer in its menus."""
_HELLO = 10

Result = TypeVar("Result")


async def examine_discord(settings: Settings, stores: Stores | None) -> AsyncIterator[Check]:
    """Look at each part of Discord; *stores* tell which application's the files are.

    No token is shown, whatever Discord answers.
    """
    name, given = "discord token", settings.discord
    if given.token is None:
        yield Check(name=name, status="fail", message="It is not set.", remedy=remedies.RESET_TOKEN)
        return
    if given.halfway is not None:
        message = f"One address is set and {given.halfway} is not, so that it leads to Discord itself."
        yield Check(
            name="discord addresses", status="warn", message=message, remedy="set both of them, or neither"
        )
    direct_at(given.api_base_url, given.gateway_url)
    hush()
    async with Client(content=given.message_content) as client:
        introduced = await _introduced(name, client, given.token.get_secret_value())
        yield introduced
        if introduced.status == "ok":
            async for check in Look(given, client, stores).all():
                yield check


async def _introduced(name: str, client: Client, token: str) -> Check:
    """Ask whose token it is."""
    try:
        await _ask(lambda: client.login(token))
    except ChatError as error:
        return explained(name, error, ("Discord does not accept it.", remedies.RESET_TOKEN))
    bot = client.user.name if client.user is not None else ""
    message = f"It is @{bot}'s, of the application {client.application_id}."
    return Check(name=name, status="ok", message=message)


class Look:
    """One look at Discord with a token that it accepts."""

    def __init__(self, settings: Discord, client: Client, stores: Stores | None) -> None:
        self._settings = settings
        self._client = client
        self._stores = stores

    async def all(self) -> AsyncIterator[Check]:
        """Look at each part in turn; one that fails does not keep the next from being looked at."""
        for check in self._application():
            yield check
        yield self._intent()
        yield await self._gateway()
        async for check in self._servers():
            yield check
        yield await self._commands()

    def _application(self) -> Iterator[Check]:
        """Look at settings of the application that keep the bot from working, and are seldom thought of."""
        name, application = "discord application", self._client.application
        if application is None:
            return
        if application.interactions_endpoint_url:
            message = "Commands and buttons do nothing: Discord sends them to a web address instead."
            yield Check(name=name, status="fail", message=message, remedy=remedies.NO_ENDPOINT)
        if application.bot_require_code_grant:
            message = "Nobody can invite the bot: Discord wants a code grant, which Footnote has no use for."
            yield Check(name=name, status="warn", message=message, remedy=remedies.NO_GRANT)

    def _intent(self) -> Check:
        """Look at whether Discord shows the bot what people write without naming it."""
        name, flags = "discord message content", self._client.application_flags
        without = (
            "without a mention of the bot, follow-ups in threads are not answered and files are not indexed"
        )
        if not self._settings.message_content:
            return Check(name=name, status="ok", message=f"It is not asked for: {without}.")
        if flags.gateway_message_content or flags.gateway_message_content_limited:
            return Check(name=name, status="ok", message="The intent is on.")
        remedy = remedies.turn_on(self._client.application_id)
        return Check(name=name, status="warn", message=f"The intent is off: {without}.", remedy=remedy)

    async def _gateway(self) -> Check:
        """Open a connection without beginning a session; of these there are so many a day only."""
        name = "discord gateway"
        try:
            shards, _, starts = await _ask(self._client.http.get_bot_gateway)
        except ChatError as error:
            return explained(name, error)
        try:
            await _ask(self._greeted)
        except ChatError:
            host = DiscordWebSocket.DEFAULT_GATEWAY.host
            message = f"No connection to {host} comes about."
            return Check(name=name, status="fail", message=message, remedy=remedies.GATEWAY)
        if shards > 1 and not self._settings.sharded:
            message = f"It answers; Discord recommends {counted(shards, 'connection')}."
            return Check(name=name, status="warn", message=message, remedy=remedies.SHARD)
        if starts["remaining"] < FEW_STARTS:
            left = f"{starts['remaining']} of {counted(starts['total'], 'session')} may still begin today"
            message = f"It answers, but only {left}; after the last one, Discord changes the token."
            return Check(name=name, status="warn", message=message, remedy=remedies.CALM)
        return Check(name=name, status="ok", message="It answers.")

    async def _greeted(self) -> None:
        address = DiscordWebSocket.DEFAULT_GATEWAY.with_query(v="10", encoding="json")
        socket = await self._client.http.ws_connect(str(address))
        try:
            if (await socket.receive_json()).get("op") != _HELLO:
                raise Unreachable
        finally:
            await socket.close()

    async def _servers(self) -> AsyncIterator[Check]:
        """Look at what the bot may do in the servers that it is in."""
        name = "discord servers"
        try:
            servers = await _ask(self._listed)
        except ChatError as error:
            yield explained(name, error)
            return
        if (check := await self._whose([server.id for server in servers])) is not None:
            yield check
        if not servers:
            remedy = f"open this link and choose one: {invitation(self._client.application_id)}"
            yield Check(name=name, status="warn", message="The bot is in none yet.", remedy=remedy)
            return
        faulty = False
        for server in servers[:LOOKED_AT]:
            if (check := await self._server(server.id)) is not None:
                faulty = True
                yield check
        if not faulty:
            yield Check(name=name, status="ok", message=_all_right(len(servers)))

    async def _whose(self, present: Sequence[int]) -> Check | None:
        """Return that files were taken in by another application; None: none were, or nobody knows."""
        if self._stores is None or len(present) >= LISTED:
            return None
        owners, own = Owners(self._stores.choices, PLATFORM), str(self._client.application_id)
        try:
            scopes = await self._stores.generations.scopes()
            held = {scope.workspace for scope in scopes if scope.platform == PLATFORM}
            others = await owners.others(sorted(held - {DIRECT, *map(str, present)}), own)
        except PipelineError:  # another line tells of that
            return None
        if not others:
            return None
        message, remedy = whose(others), "set that application's token again, or invite this bot there"
        return Check(
            name="discord files", status="warn", message=f"{message[0].upper()}{message[1:]}", remedy=remedy
        )

    async def _listed(self) -> list[discord.Guild]:
        return [server async for server in self._client.fetch_guilds(limit=LISTED, with_counts=False)]

    async def _server(self, number: int) -> Check | None:
        """Return what the bot lacks in a server; None: nothing."""
        name, client = f"discord server {number}", self._client
        try:
            server = await _ask(lambda: client.fetch_guild(number, with_counts=False))
            me = await _ask(lambda: server.fetch_member(client.me))
            channels = await _ask(server.fetch_channels)
        except ChatError as error:
            return replace(explained(name, error), status="warn")
        found = shortcoming(server.name, me, channels)
        if found is None:
            return None
        link = invitation(client.application_id)
        remedy = remedies.PERMIT_THERE if found.only_in_channels else f"invite the bot again: {link}"
        return Check(name=name, status="warn", message=found.message, remedy=remedy)

    async def _commands(self) -> Check:
        """Look at whether people find the commands in Discord's menus."""
        name, number = "discord commands", self._client.application_id or 0
        try:
            registered = await _ask(lambda: self._client.http.get_global_commands(number))
            lacking = sorted(COMMANDS - {command["name"] for command in registered})
        except ChatError as error:
            return explained(name, error)
        if not lacking:
            return Check(name=name, status="ok", message="Discord offers all of them.")
        missing = "none of them" if len(lacking) == len(COMMANDS) else f"all but {', '.join(lacking)}"
        remedy = remedies.START if self._settings.sync_commands else remedies.SYNC
        return Check(name=name, status="warn", message=f"Discord offers {missing}.", remedy=remedy)


def _all_right(servers: int) -> str:
    more = f"; {LOOKED_AT} of them were looked at" if servers > LOOKED_AT else ""
    number = f"{LISTED} servers or more" if servers >= LISTED else counted(servers, "server")
    return f"The bot is in {number}, and may do what it needs to{more}."


async def _ask(work: Callable[[], Awaitable[Result]]) -> Result:
    """Return what *work*, a call or two of discord.py, comes to. Raises `ChatError`."""
    try:
        async with asyncio.timeout(PATIENCE):
            return await work()
    except FAILURES as failure:
        raise translate(failure) from failure
