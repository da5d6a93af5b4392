from __future__ import annotations

import asyncio
import logging
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import discord
import pytest
from discord.backoff import ExponentialBackoff

from adapters.discord import client as clients
from adapters.discord import gateway as gateways
from adapters.discord import sessions
from adapters.discord.client import Client, ShardedClient
from adapters.discord.gateway import REDUCED, Gateway, introduce
from bot.chat import NotAllowed, Unreachable
from bot.library import SystemClock
from tests.fakes.discord import ANNA, BOT, GENERAL, DiscordServer, banned, http, slow
from tests.fakes.discord.sessions import CONTENT

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


class Line:
    """A client, its gateway, and what was said about it."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.gateway = Gateway(client, clock=SystemClock())
        self.told: list[str] = []
        self._heard: list[str] = []
        client.on_message = self._hear  # type: ignore[method-assign]
        self.watching: asyncio.Task[None] | None = None

    async def connect(self) -> None:
        await self.gateway.connect(self.told.append)
        self.watching = asyncio.create_task(self.gateway.watch(self.told.append))

    async def hears(self, server: DiscordServer, text: str = "hello") -> None:
        server.say(GENERAL, ANNA, text)
        await server.until(lambda: text in self._heard)

    async def _hear(self, message: discord.Message) -> None:
        self._heard.append(message.content)

    async def close(self) -> None:
        if self.watching is not None:
            self.watching.cancel()
            with suppress(asyncio.CancelledError, NotAllowed):
                await self.watching
        await self.gateway.close()


@asynccontextmanager
async def line(server: DiscordServer, client: Client | None = None) -> AsyncIterator[Line]:
    """Log a client in, and let it go in the end."""
    client = client or Client(content=True)
    async with client:
        await introduce(client, server.token)
        held = Line(client)
        try:
            yield held
        finally:
            await held.close()


async def test_a_client_asks_for_no_more_than_it_needs(server: DiscordServer) -> None:
    async with line(server) as held:
        await held.connect()
        await held.hears(server)
        assert held.gateway.alive()

    (asked,) = server.gateway.identifies
    assert asked.intents == 34305 | discord.Intents(dm_messages=True, dm_reactions=True).value
    assert held.told == []


async def test_without_the_wish_to_read_everything_it_does_not_ask_for_it(server: DiscordServer) -> None:
    server.privileged = 0
    async with line(server, Client(content=False)) as held:
        await held.connect()

    (asked,) = server.gateway.identifies
    assert not asked.intents & CONTENT
    assert held.told == []


@pytest.mark.parametrize("kind", [Client, ShardedClient])
async def test_where_discord_does_not_show_everything_it_connects_again_and_says_so(
    server: DiscordServer, kind: type[Client]
) -> None:
    server.privileged = 0
    async with line(server, kind(content=True)) as held:
        await held.connect()
        assert held.gateway.alive()
        assert not held.client.reads_everything

    assert [bool(asked.intents & CONTENT) for asked in server.gateway.identifies] == [True, False]
    assert held.told == [REDUCED]


async def test_where_discord_shows_less_from_some_day_on_it_goes_on_and_says_so(
    server: DiscordServer,
) -> None:
    async with line(server) as held:
        await held.connect()
        server.privileged = 0
        server.gateway.invalidate()
        await server.until(lambda: held.told)
        await server.until(held.gateway.alive)
        await held.hears(server, f"<@{BOT}> hello")

    assert held.told == [REDUCED]


async def test_proxies_of_the_machine_are_left_alone(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "ws_proxy", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    async with line(server) as held:
        await held.connect()
        assert held.gateway.alive()


async def test_many_connections_may_take_longer_than_one(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def wait(*_: object, initial: bool = False, **__: object) -> None:
        """Let each further connection take a while."""
        if not initial:
            await asyncio.sleep(0.25)

    monkeypatch.setattr(gateways, "OPEN_S", 1.5)
    monkeypatch.setattr(discord.Client, "before_identify_hook", wait)
    server.gateway.shards = 8
    async with line(server, ShardedClient(content=True)) as held:
        await held.connect()
        assert held.gateway.alive()


async def test_several_connections_are_opened_where_discord_recommends_them(server: DiscordServer) -> None:
    server.gateway.shards = 3
    async with line(server, ShardedClient(content=True)) as held:
        await held.connect()
        await held.hears(server)
        assert held.gateway.alive()
        assert len(server.gateway.live()) == 3
        await held.gateway.close()
        await server.gateway.gone()
        assert not held.gateway.alive()


@pytest.mark.parametrize("token", ["wrong", ""])
async def test_a_token_that_discord_refuses_is_named_at_once(server: DiscordServer, token: str) -> None:
    async with Client(content=True) as client:
        with pytest.raises(NotAllowed, match="FOOTNOTE_DISCORD__TOKEN"):
            await introduce(client, token)


async def test_a_discord_that_is_not_there_is_named_at_once(server: DiscordServer) -> None:
    await server.stop()
    async with Client(content=True) as client:
        with pytest.raises(Unreachable, match="cannot be reached"):
            await introduce(client, server.token)


async def test_a_discord_in_trouble_is_not_waited_for_long(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "LOGIN_S", 0.5)
    server.fail("me", slow(60))
    async with Client(content=True) as client:
        with pytest.raises(Unreachable, match="cannot be reached"):
            await introduce(client, server.token)


async def test_an_address_that_discord_turns_away_is_told_so(server: DiscordServer) -> None:
    server.fail("me", banned())
    async with Client(content=True) as client:
        with pytest.raises(Unreachable, match="turns this address away"):
            await introduce(client, server.token)


async def test_a_bot_may_introduce_itself_once_more(server: DiscordServer) -> None:
    server.fail("me", http(503))
    async with Client(content=True) as client:
        with pytest.raises(Unreachable):
            await introduce(client, server.token)
        await introduce(client, server.token)
        assert client.me == server.bot.id


async def test_a_gateway_that_does_not_come_about_is_named(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "OPEN_S", 1.0)
    server.gateway.accepting = False
    async with line(server) as held:
        with pytest.raises(Unreachable, match="gateway"):
            await held.connect()


async def test_a_gateway_that_turns_a_first_connection_away_is_asked_again(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "AGAIN_S", 0.05)
    monkeypatch.setattr(ExponentialBackoff, "delay", lambda _: 0.01)
    server.gateway.accepting = False
    async with line(server) as held:
        connecting = asyncio.create_task(held.connect())
        await server.until(lambda: server.gateway.turned_away > 1)
        server.gateway.accepting = True
        await connecting
        assert held.gateway.alive()


async def test_a_gateway_that_keeps_turning_connections_away_is_named_after_a_while(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "OPEN_S", 1.0)
    monkeypatch.setattr(gateways, "AGAIN_S", 0.2)
    monkeypatch.setattr(ExponentialBackoff, "delay", lambda _: 0.01)
    server.gateway.accepting = False
    async with line(server) as held:
        with pytest.raises(Unreachable, match="gateway"):
            await held.connect()


async def test_a_token_that_is_changed_meanwhile_ends_the_program_and_leaves_the_rest_of_the_client(
    server: DiscordServer,
) -> None:
    async with line(server) as held:
        await held.connect()
        server.gateway.close(4004)
        assert held.watching is not None
        with pytest.raises(NotAllowed, match="FOOTNOTE_DISCORD__TOKEN"):
            await held.watching
        assert not held.gateway.alive()
        await held.client.application_info()


async def test_a_connection_that_misses_the_word_to_end_is_told_again(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "AGAIN_S", 0.05)
    begun = asyncio.Event()

    async def miss_it_once() -> None:
        begun.set()
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        await asyncio.Event().wait()

    async with line(server) as held:
        monkeypatch.setattr(held.client, "connect", miss_it_once)
        connecting = asyncio.create_task(held.connect())
        await begun.wait()
        connecting.cancel()
        await asyncio.wait({connecting})
        async with asyncio.timeout(10.0):
            await held.gateway.close()


async def test_too_many_servers_for_one_connection_are_named(server: DiscordServer) -> None:
    async with line(server) as held:
        await held.connect()
        server.gateway.close(4011)
        assert held.watching is not None
        with pytest.raises(NotAllowed, match="FOOTNOTE_DISCORD__SHARDED"):
            await held.watching


async def test_before_the_last_sessions_of_a_day_the_program_ends_with_a_reason(
    server: DiscordServer,
) -> None:
    server.gateway.starts_left = 19
    async with line(server) as held:
        with pytest.raises(NotAllowed, match="within 24 h"):
            await held.gateway.connect(held.told.append)

    assert server.gateway.identifies == []


async def test_where_discord_does_not_say_how_many_are_left_a_session_begins(server: DiscordServer) -> None:
    server.fail("gateway bot", http(403))
    async with line(server) as held:
        await held.connect()

        await held.hears(server)


async def test_a_session_that_ends_at_once_is_replaced_after_a_pause(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(clients, "BEARABLE_S", 0.0)
    monkeypatch.setattr(sessions, "FIRST_S", 1.0)
    async with line(server) as held:
        await held.connect()
        for number in (2, 3):
            server.gateway.invalidate()
            await server.gateway.ready(identified=number)

        await held.hears(server)

    assert "the next one waits" in caplog.text


async def test_a_broken_connection_is_resumed(server: DiscordServer) -> None:
    async with line(server) as held:
        await held.connect()
        server.gateway.drop()
        await held.hears(server, "while nobody was there")
        await server.gateway.ready(resumed=1)
        assert held.gateway.alive()

    assert len(server.gateway.identifies) == 1


async def test_a_session_that_discord_has_forgotten_is_replaced(server: DiscordServer) -> None:
    async with line(server) as held:
        await held.connect()
        server.gateway.invalidate()
        await server.gateway.ready(identified=2)
        await held.hears(server)


async def test_a_connection_that_stays_dead_is_replaced(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(gateways, "PATIENCE_S", 0.05)
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _: 600.0)
    async with line(server) as held:
        await held.connect()
        server.gateway.accepting = False
        server.gateway.drop()
        await server.until(lambda: server.gateway.turned_away and not held.gateway.alive())
        server.gateway.accepting = True
        await server.until(held.gateway.alive)
        await held.hears(server)

    assert "stayed dead" in caplog.text


async def test_shards_that_stay_dead_are_replaced_one_for_one(
    server: DiscordServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gateways, "PATIENCE_S", 0.05)
    monkeypatch.setattr("discord.backoff.ExponentialBackoff.delay", lambda _: 600.0)
    server.gateway.shards = 2
    async with line(server, ShardedClient(content=True)) as held:
        await held.connect()
        server.gateway.accepting = False
        server.gateway.drop()
        await server.until(lambda: server.gateway.turned_away and not held.gateway.alive())
        server.gateway.accepting = True
        await server.until(held.gateway.alive)
        await held.hears(server)
        assert len(server.gateway.live()) == 2
        assert len(server.gateway.connections) == 2


async def test_an_event_that_discord_py_cannot_read_costs_no_more_than_its_session(
    server: DiscordServer, caplog: pytest.LogCaptureFixture
) -> None:
    async with line(server) as held:
        await held.connect()
        server.gateway.tell("MESSAGE_CREATE", lambda _: {"id": "1", "my secret": "1"})
        await server.gateway.ready(identified=2)
        await server.until(held.gateway.alive)
        await held.hears(server)

    assert "ended and is opened again: KeyError" in caplog.text
    assert "secret" not in caplog.text


async def test_to_hang_up_ends_the_session_and_leaves_the_rest(server: DiscordServer) -> None:
    async with line(server) as held:
        await held.connect()
        await held.gateway.close()
        await server.gateway.gone()
        assert server.gateway.sessions == {}
        assert not held.gateway.alive()
        await held.client.application_info()


async def test_what_fails_in_a_handler_stays_private(
    server: DiscordServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with line(server) as held:

        async def fail(reaction: discord.RawReactionActionEvent) -> None:
            raise ValueError("my secret")

        held.client.on_raw_reaction_add = fail  # type: ignore[method-assign]
        await held.connect()
        server.react(server.say(GENERAL, ANNA, "hello"), "👍", ANNA)
        await server.until(lambda: "ValueError" in caplog.text)

    assert "secret" not in caplog.text


def test_discord_py_keeps_what_people_write_to_itself() -> None:
    clients.hush()

    assert not logging.getLogger("discord.gateway").isEnabledFor(logging.INFO)
    assert not logging.getLogger("discord.http").isEnabledFor(logging.INFO)
