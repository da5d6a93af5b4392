from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import pytest

from tests.fakes.discord import (
    ANNA,
    BEN,
    BOT,
    GENERAL,
    GUILD,
    HIDDEN,
    PRIVATE,
    ROBOT,
    SECOND,
    DiscordServer,
)
from tests.fakes.discord.gateway import Gateway
from tests.fakes.discord.listener import QUICK, Listener, listening, pointed_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

BLIND = discord.Intents(guilds=True, guild_messages=True, dm_messages=True)


@pytest.fixture
async def bot(server: DiscordServer) -> AsyncIterator[Listener]:
    client = Listener()
    async with listening(server, client):
        yield client


async def hears(server: DiscordServer, bot: Listener, *said: str) -> None:
    await server.until(lambda: len(bot.said) >= len(said))
    await server.settled()
    assert bot.said == list(said)


async def test_the_bot_is_told_where_it_is(server: DiscordServer, bot: Listener) -> None:
    [guild] = bot.guilds
    assert (guild.id, guild.name, guild.me.id) == (GUILD, "Acme", BOT)
    assert guild.self_role is not None and guild.self_role.id == server.guild.role_of(BOT).id
    assert guild.get_channel(GENERAL) is not None
    hidden = guild.get_channel(HIDDEN)
    assert hidden is not None and not hidden.permissions_for(guild.me).view_channel
    [asked] = server.gateway.identifies
    assert asked.intents == bot.intents.value


@pytest.mark.parametrize("compressing", [True, False])
async def test_frames_are_compressed_for_those_who_ask(server: DiscordServer, compressing: bool) -> None:
    server.gateway.compressing = compressing
    inflate = zlib.decompressobj()
    url = f"{server.gateway_url}?v=10&encoding=json&compress=zlib-stream"
    async with aiohttp.ClientSession() as session, session.ws_connect(url) as socket:
        for operation in (10, 11, 11):
            received = await socket.receive()
            text = inflate.decompress(received.data) if compressing else received.data
            assert json.loads(text)["op"] == operation
            await socket.send_json({"op": 1, "d": None})


async def test_the_bot_hears_what_it_may_see(server: DiscordServer, bot: Listener) -> None:
    server.say(HIDDEN, ANNA, "not this")
    thread = server.start_thread(GENERAL, ANNA, "secret", private=True)
    server.say(thread, ANNA, "nor this")
    server.say(PRIVATE, ANNA, "this")
    server.say(server.direct(ANNA), ANNA, "and this")
    server.say(thread, ANNA, f"<@{BOT}> join")
    await hears(server, bot, "this", "and this", f"<@{BOT}> join")
    assert [one.id for one in bot.guilds[0].threads] == [thread.id]


async def test_without_the_intent_most_messages_are_empty(server: DiscordServer) -> None:
    bot = Listener(BLIND)
    async with listening(server, bot):
        server.say(GENERAL, ROBOT, "not mine")
        server.say(GENERAL, ANNA, "secret", files=[("a.txt", "a")])
        server.say(GENERAL, ANNA, f"<@{BOT}> open", files=[("a.txt", "a")])
        server.say(server.direct(ANNA), ANNA, "direct")
        channel = bot.get_channel(GENERAL)
        assert isinstance(channel, discord.TextChannel)
        sent = await channel.send("mine")
        mine = server.message(sent.id)
        server.say(GENERAL, ANNA, "to you", reply_to=mine)
        server.say(GENERAL, ANNA, "to nobody", reply_to=mine, ping=False)
        await server.until(lambda: len(bot.said) == 7)
    messages = bot.events("message")
    assert bot.said == ["", "", f"<@{BOT}> open", "direct", "mine", "to you", ""]
    assert [len(message.attachments) for message in messages[1:3]] == [0, 1]


async def test_privileged_intents_have_to_be_switched_on(server: DiscordServer) -> None:
    server.privileged = 0
    with pointed_at(server):
        async with Listener() as bot:
            with pytest.raises(discord.PrivilegedIntentsRequired):
                await bot.start(server.token)
    members = discord.Intents(members=True)
    async with DiscordServer() as other:
        with pointed_at(other):
            async with Listener(members) as bot:
                with pytest.raises(discord.PrivilegedIntentsRequired):
                    await bot.start(other.token)


async def test_messages_read_over_rest_are_empty_too_when_it_is_off(server: DiscordServer) -> None:
    question = server.say(GENERAL, ANNA, "secret")
    server.privileged = 0
    with pointed_at(server):
        async with Listener(BLIND) as bot:
            await bot.login(server.token)
            fetched = await bot.get_partial_messageable(GENERAL).fetch_message(question.id)
    assert fetched.content == ""


async def test_what_happened_meanwhile_is_told_after_a_resume(server: DiscordServer, bot: Listener) -> None:
    server.say(GENERAL, ANNA, "one")
    await hears(server, bot, "one")
    server.gateway.drop()
    server.say(GENERAL, ANNA, "two")
    server.gateway.close()
    await server.gateway.ready(resumed=1)
    server.say(GENERAL, ANNA, "three")
    await hears(server, bot, "one", "two", "three")
    assert len(server.gateway.identifies) == 1


@pytest.mark.parametrize(
    "leave", [Gateway.reconnect, Gateway.close, lambda gateway: gateway.invalidate(resumable=True)]
)
async def test_every_way_of_leaving_ends_in_a_resume(
    server: DiscordServer, bot: Listener, leave: Callable[[Gateway], None]
) -> None:
    gateway = server.gateway
    leave(gateway)
    await gateway.ready(resumed=1)
    server.say(GENERAL, ANNA, "here")
    await hears(server, bot, "here")
    assert (len(gateway.identifies), len(bot.events("ready"))) == (1, 1)


async def test_a_session_that_is_over_begins_anew(server: DiscordServer, bot: Listener) -> None:
    server.gateway.invalidate()
    server.say(GENERAL, ANNA, "never heard")
    await server.gateway.ready(identified=2)
    await server.until(lambda: len(bot.events("ready")) == 2)
    server.gateway.drop()
    server.gateway.forget()
    await server.gateway.ready(identified=3)
    server.gateway.drop()
    server.gateway.refused_resumes = 1
    await server.gateway.ready(identified=4)
    server.say(GENERAL, ANNA, "heard")
    await hears(server, bot, "heard")


async def test_events_come_twice_or_never_on_demand(server: DiscordServer, bot: Listener) -> None:
    server.gateway.lose(1, "MESSAGE_CREATE")
    server.say(GENERAL, ANNA, "lost")
    server.gateway.copies = 2
    server.say(GENERAL, ANNA, "twice")
    server.gateway.copies = 1
    await hears(server, bot, "twice", "twice")
    assert server.gateway.lost == ["MESSAGE_CREATE"]
    server.gateway.rewind = 1
    server.gateway.drop()
    await server.gateway.ready(resumed=1)
    await hears(server, bot, "twice", "twice", "twice")


async def test_a_bot_that_left_hears_nothing_of_what_it_missed(server: DiscordServer) -> None:
    first, second = Listener(), Listener()
    async with listening(server, first):
        pass
    await server.gateway.gone()
    assert not server.gateway.live()
    server.say(GENERAL, ANNA, "missed")
    async with listening(server, second):
        server.say(GENERAL, ANNA, "heard")
        await hears(server, second, "heard")


async def test_two_programs_hear_the_same(server: DiscordServer, bot: Listener) -> None:
    other = Listener()
    async with listening(server, other):
        server.say(GENERAL, ANNA, "hello")
        await hears(server, bot, "hello")
        await hears(server, other, "hello")


async def test_each_shard_hears_of_its_own_guilds(server: DiscordServer) -> None:
    other = server.add_guild("Other", id=GUILD + (1 << 22))
    server.gateway.shards = 2

    class Sharded(discord.AutoShardedClient):
        async def before_identify_hook(self, shard_id: int | None, *, initial: bool = False) -> None:
            pass

    client = Sharded(intents=BLIND, guild_ready_timeout=QUICK)
    async with listening(server, client):
        assert sorted((guild.name, guild.shard_id) for guild in client.guilds) == [
            ("Acme", (GUILD >> 22) % 2),
            ("Other", (other.id >> 22) % 2),
        ]
    assert {(one.shard, one.shards) for one in server.gateway.identifies} == {(0, 2), (1, 2)}
    assert server.called("gateway bot")


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"op": 3, "d": {}}, 4003),
        ({"op": 2, "d": {"token": "another", "intents": 0}}, 4004),
        ({"op": 2, "d": {"intents": 0, "shard": [2, 2]}}, 4010),
        ({"op": 2, "d": {"intents": 1 << 40}}, 4013),
        ({"op": 2, "d": {"intents": 1 << 1}}, 4014),
    ],
)
async def test_bad_manners_close_the_connection(server: DiscordServer, frame: Any, code: int) -> None:
    if frame["op"] == 2:
        frame["d"].setdefault("token", server.token)
    async with aiohttp.ClientSession() as session, session.ws_connect(server.gateway_url) as socket:
        assert (await socket.receive_json())["op"] == 10
        await socket.send_json({"op": 1, "d": None})
        assert (await socket.receive_json())["op"] == 11
        await socket.send_json(frame)
        await socket.receive()
        assert socket.close_code == code


async def test_members_can_be_asked_for_by_name(server: DiscordServer, bot: Listener) -> None:
    found = await bot.guilds[0].query_members(user_ids=[ANNA, BEN])
    assert sorted(member.name for member in found) == ["anna", "ben"]


async def test_reactions_and_deletions_are_told(server: DiscordServer, bot: Listener) -> None:
    said = [server.say(SECOND, ANNA, f"{n}") for n in range(3)]
    server.react(said[0], "👍", BEN)
    server.unreact(said[0], "👍", BEN)
    server.delete(said[0])
    server.delete(*said[1:])
    await server.until(lambda: bot.events("raw_bulk_message_delete"))
    [reaction] = bot.events("raw_reaction_add")
    assert (reaction.user_id, reaction.message_author_id, str(reaction.emoji)) == (BEN, ANNA, "👍")
    assert len(bot.events("raw_reaction_remove")) == 1
    assert [one.message_id for one in bot.events("raw_message_delete")] == [said[0].id]
    assert [one.message_ids for one in bot.events("raw_bulk_message_delete")] == [
        {one.id for one in said[1:]}
    ]
