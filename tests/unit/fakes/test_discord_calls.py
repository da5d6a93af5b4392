from __future__ import annotations

import asyncio
import io
from typing import TYPE_CHECKING, Any

import aiohttp
import discord
import pytest

from tests.fakes.discord import (
    ADAM,
    ANNA,
    BOT,
    FORUM,
    GENERAL,
    GUILD,
    HIDDEN,
    NO_THREADS,
    SECOND,
    DiscordServer,
    Permission,
    banned,
    held,
    http,
    rate_limited,
    refused,
    reset_after,
    reset_before,
)
from tests.fakes.discord.listener import Listener, raw, refusal

if TYPE_CHECKING:
    from tests.fakes.clock import Wall

DAY = 24 * 3600.0


async def raw_status(server: DiscordServer, path: str) -> int:
    headers = {"Authorization": f"Bot {server.token}"}
    async with aiohttp.ClientSession(headers=headers) as session:
        return (await session.get(server.api_base_url + path)).status


async def test_files_are_sent_kept_and_taken_off(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    files = [discord.File(io.BytesIO(b"one"), "one.txt"), discord.File(io.BytesIO(b"two"), "two.txt")]
    sent = await general.send(files=files)
    [message] = server.replies(GENERAL)
    assert message.files == ["one.txt", "two.txt"]
    assert await sent.attachments[0].read() == b"one"
    more = discord.File(io.BytesIO(b"three"), "three.txt")
    await sent.edit(attachments=[sent.attachments[1], more])
    assert message.files == ["two.txt", "three.txt"]
    with pytest.raises(discord.NotFound):
        await sent.attachments[0].read()
    assert (
        await refusal(general.send(files=[discord.File(io.BytesIO(b"x"), f"{n}") for n in range(11)]))
        == 30015
    )
    server.file_limit = 3
    assert await refusal(general.send(file=discord.File(io.BytesIO(b"long"), "x"))) == 40005


async def test_history_comes_in_pages(server: DiscordServer, general: discord.PartialMessageable) -> None:
    said = [server.say(GENERAL, ANNA, f"{n}") for n in range(150)]
    everything = [one.content async for one in general.history(limit=None, oldest_first=True)]
    assert everything == [f"{n}" for n in range(150)]
    middle = discord.Object(said[75].id)
    assert [one.content async for one in general.history(limit=3, before=middle)] == ["74", "73", "72"]
    assert [one.content async for one in general.history(limit=3, after=middle)] == ["76", "77", "78"]
    around = [one.content async for one in general.history(limit=5, around=middle)]
    assert sorted(around) == ["73", "74", "75", "76", "77"]
    assert len(server.called("history")) == 5
    status, _ = await raw(server, "GET", f"/channels/{GENERAL}/messages?limit=101")
    assert status == 400


async def test_many_messages_are_deleted_at_once_while_they_are_young(
    server: DiscordServer, bot: Listener, wall: Wall
) -> None:
    said = [server.say(GENERAL, ANNA, f"{n}") for n in range(3)]
    ids = [str(one.id) for one in said]
    path = f"/channels/{GENERAL}/messages/bulk-delete"
    assert (await raw(server, "POST", path, {"messages": ids}))[1]["code"] == 50013
    server.change_role(server.guild, server.guild.role_of(BOT), Permission.MANAGE_MESSAGES)
    assert (await raw(server, "POST", path, {"messages": ids[:1]}))[1]["code"] == 50016
    assert (await raw(server, "POST", path, {"messages": ids[:2]}))[0] == 204
    assert server.messages(GENERAL) == [said[2]]
    wall.now += 15 * DAY
    assert (await raw(server, "POST", path, {"messages": ids}))[1]["code"] == 50034


async def test_a_thread_has_the_id_of_its_message(
    server: DiscordServer, bot: Listener, general: discord.PartialMessageable
) -> None:
    async def start(channel: int, name: str = "x") -> int:
        message = server.say(channel, ANNA, "when?")
        path = f"/channels/{channel}/messages/{message.id}/threads"
        return int((await raw(server, "POST", path, {"name": name}))[1].get("code", 0))

    assert await start(GENERAL) == 0
    [thread], [question] = server.threads(GENERAL), server.messages(GENERAL)
    assert (thread.id, thread.thread and thread.thread.owner) == (question.id, BOT)
    fetched = await general.fetch_message(question.id)
    assert fetched.flags.has_thread
    inside = bot.get_partial_messageable(thread.id)
    assert [one.type async for one in inside.history()] == [discord.MessageType.thread_starter_message]
    path = f"/channels/{GENERAL}/messages/{question.id}/threads"
    assert (await raw(server, "POST", path, {"name": "again"}))[1]["code"] == 160004
    assert await start(NO_THREADS) == 50013
    assert await start(SECOND, "x" * 101) == 50035
    server.most_threads = 1
    assert await start(SECOND) == 160006


async def test_sending_wakes_a_thread_and_nothing_else_does(server: DiscordServer, bot: Listener) -> None:
    thread = server.start_thread(GENERAL, ANNA, "talk")
    place = bot.get_partial_messageable(thread.id)
    sent = await place.send("one")
    server.archive(thread)
    assert await refusal(sent.edit(content="two")) == 50083
    assert await refusal(sent.add_reaction("👍")) == 50083
    await place.send("three")
    assert thread.thread is not None and not thread.thread.archived
    server.archive(thread, locked=True)
    assert await refusal(place.send("four")) == 160005
    await sent.delete()


async def test_posts_of_a_forum_may_need_a_tag(server: DiscordServer, bot: Listener) -> None:
    forum = server.channel(FORUM)
    forum.tag_required = True
    body: dict[str, Any] = {"name": "Idea", "message": {"content": "what if"}}
    path = f"/channels/{FORUM}/threads"
    assert (await raw(server, "POST", path, body))[1]["code"] == 40067
    status, made = await raw(server, "POST", path, body | {"applied_tags": [str(forum.tags[0].id)]})
    assert status == 201 and made["id"] == made["message"]["id"]
    assert [one.shown for one in server.replies(int(made["id"]))] == ["what if"]


async def test_people_are_written_to_directly_when_they_allow_it(
    server: DiscordServer, bot: Listener
) -> None:
    direct = await bot.create_dm(discord.Object(ANNA))
    await direct.send("hello")
    assert [message.shown for message in server.replies(server.direct(ANNA))] == ["hello"]
    server.users[ANNA].takes_direct_messages = False
    assert await refusal(direct.send("hello")) == 50007


async def test_reactions_are_set_and_taken_back(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    question = server.say(GENERAL, ANNA, "when?")
    message = general.get_partial_message(question.id)
    await message.add_reaction("👀")
    await message.add_reaction("👀")
    assert question.reactions == {"👀": [BOT]}
    fetched = await general.fetch_message(question.id)
    assert [(one.emoji, one.count, one.me) for one in fetched.reactions] == [("👀", 1, True)]
    assert await refusal(message.add_reaction("eyes")) == 10014
    server.overwrite(GENERAL, BOT, deny=Permission.ADD_REACTIONS)
    assert await refusal(message.add_reaction("✅")) == 50013


async def test_guilds_and_members_can_be_looked_up(server: DiscordServer, bot: Listener) -> None:
    guild = await bot.fetch_guild(GUILD)
    assert guild.owner_id == server.guild.owner
    member = await guild.fetch_member(ADAM)
    assert [role.name for role in await guild.fetch_roles()] == ["@everyone", "Moderators", "footnote"]
    assert member.get_role(server.guild.members[ADAM].roles[0]) is not None
    channel = await bot.fetch_channel(FORUM)
    assert isinstance(channel, discord.ForumChannel) and [tag.name for tag in channel.available_tags] == [
        "bug",
        "idea",
    ]
    assert await refusal(bot.fetch_channel(HIDDEN)) == 50001
    assert await refusal(guild.fetch_member(1)) == 10013
    server.remove_bot()
    assert await refusal(bot.fetch_guild(GUILD)) == 10004
    assert await refusal(bot.fetch_channel(GENERAL)) == 50001


async def test_faults_happen_once_each_and_in_order(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    server.fail("send", http(503))
    server.fail("send", refused(200000))
    server.fail("send", banned())
    with pytest.raises(discord.DiscordServerError):
        await general.send("1")
    assert await refusal(general.send("2")) == 200000
    with pytest.raises(discord.HTTPException):
        await general.send("3")
    for fault in (reset_before(), reset_after()):
        server.fail("send", fault)
        with pytest.raises(aiohttp.ClientError):
            await general.send(f"{fault.reset}")
    server.fail("send", rate_limited(0.01))
    server.fail("send", rate_limited(0.01, "global"))
    await general.send("4")
    assert [message.content for message in server.messages(GENERAL)] == ["after", "4"]
    assert [call.status for call in server.called("send")] == [503, 400, 429, 0, 0, 429, 429, 200]


async def test_everything_may_be_down(server: DiscordServer, bot: Listener) -> None:
    with pytest.raises(LookupError):
        server.fail("sending", http(503))
    server.fail("*", http(503), times=None)
    assert (await raw_status(server, "/users/@me"), await raw_status(server, "/gateway/bot")) == (503, 503)
    server.heal()
    assert await raw_status(server, "/users/@me") == 200


async def test_an_answer_may_lie_about_what_was_done(
    server: DiscordServer, general: discord.PartialMessageable
) -> None:
    server.fail("send", http(503, done=True))
    with pytest.raises(discord.DiscordServerError):
        await general.send("done", nonce="1")
    await general.send("done", nonce="1")
    assert [message.content for message in server.messages(GENERAL)] == ["done"]


async def test_a_call_can_be_held(server: DiscordServer, general: discord.PartialMessageable) -> None:
    gate = asyncio.Event()
    server.fail("send", held(gate), when=lambda call: call.body["content"] == "slow")
    task = asyncio.ensure_future(general.send("slow"))
    await server.until(lambda: server.called("send"))
    await raw(server, "POST", f"/channels/{GENERAL}/messages", {"content": "quick"})
    gate.set()
    await task
    assert [message.content for message in server.messages(GENERAL)] == ["quick", "slow"]


async def test_what_the_server_does_not_know_is_noticed(server: DiscordServer) -> None:
    assert (await raw(server, "GET", "/no/such/thing"))[0] == 404
    assert [call.path for call in server.called("unknown")] == ["/no/such/thing"]
