from __future__ import annotations

from typing import TYPE_CHECKING

import discord
import pytest

from tests.fakes.discord import (
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
    PRIVATE,
    READONLY,
    ROBOT,
    SECOND,
    DiscordServer,
    Permission,
)
from tests.fakes.discord.listener import Listener, listening

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.clock import Wall

STARTER = discord.MessageType.thread_starter_message


@pytest.fixture
async def bot(server: DiscordServer) -> AsyncIterator[Listener]:
    client = Listener()
    async with listening(server, client):
        yield client


async def heard(server: DiscordServer, bot: Listener, event: str, number: int = 1) -> list[object]:
    await server.until(lambda: len(bot.events(event)) >= number)
    return bot.events(event)


async def test_the_bot_is_named_in_several_ways(server: DiscordServer, bot: Listener) -> None:
    role = server.guild.role_of(BOT).id
    mine = await bot.get_partial_messageable(GENERAL).send("answer")
    message = server.message(mine.id)
    server.say(GENERAL, ANNA, f"<@{BOT}> one")
    server.say(GENERAL, ANNA, f"<@&{role}> two")
    server.say(GENERAL, ANNA, "@everyone three")
    server.say(GENERAL, ANNA, "four", reply_to=message)
    server.say(GENERAL, ANNA, "five", reply_to=message, ping=False)
    server.say(GENERAL, ROBOT, f"<@{BOT}> six")
    await heard(server, bot, "message", 7)
    messages = bot.events("message")[1:]
    assert [bot.user in one.mentions for one in messages] == [True, False, False, True, False, True]
    assert [one.guild.self_role in one.role_mentions for one in messages] == [False, True, *[False] * 4]
    assert [one.mention_everyone for one in messages] == [False, False, True, *[False] * 3]
    assert [one.type.name for one in messages] == ["default"] * 3 + ["reply"] * 2 + ["default"]
    assert [one.author.bot for one in messages] == [False] * 5 + [True]
    assert isinstance(messages[0].author, discord.Member)


async def test_changes_of_messages_look_alike(server: DiscordServer, bot: Listener, wall: Wall) -> None:
    message = server.say(GENERAL, ANNA, "draft", files=[("a.txt", "a"), ("b.txt", "b")])
    server.edit(message, "final")
    server.unfurl(message)
    server.pin(message)
    wall.now += 1.0
    server.remove_file(message, "a.txt")
    await heard(server, bot, "raw_message_edit", 4)
    edits = [one.message for one in bot.events("raw_message_edit")]
    assert [one.content for one in edits] == ["final"] * 4
    assert [[file.filename for file in one.attachments] for one in edits] == [["a.txt", "b.txt"]] * 3 + [
        ["b.txt"]
    ]
    assert edits[0].edited_at == edits[1].edited_at == edits[2].edited_at != edits[3].edited_at
    assert message.history == ["draft", "final"]


async def test_people_cannot_write_everywhere(server: DiscordServer) -> None:
    for channel, user in ((PRIVATE, GINA), (FORUM, ANNA), (server.direct(ANNA), BEN)):
        with pytest.raises(PermissionError):
            server.say(channel, user, "hello")
    server.say(PRIVATE, BEN, "hello")
    server.say(READONLY, ANNA, "hello")
    thread = server.start_thread(GENERAL, ANNA, "talk")
    server.archive(thread, locked=True)
    with pytest.raises(PermissionError):
        server.say(thread, BEN, "hello")
    server.say(thread, ADAM, "hello")


async def test_threads_begin_with_or_without_a_message(server: DiscordServer, bot: Listener) -> None:
    message = server.say(GENERAL, ANNA, "when?")
    thread = server.start_thread(GENERAL, BEN, "about that", start=message)
    other = server.start_thread(GENERAL, BEN, "something else")
    server.say(other, BEN, "hello")
    await heard(server, bot, "thread_create", 2)
    await heard(server, bot, "message", 4)
    assert [one.id for one in bot.events("thread_create")] == [thread.id, other.id]
    assert thread.id == message.id != other.id
    kinds = [one.type.name for one in bot.events("message")]
    assert kinds == ["default", "thread_starter_message", "thread_created", "default"]
    [edit] = bot.events("raw_message_edit")
    assert edit.message.flags.has_thread and edit.message.edited_at is None


async def test_a_message_may_wake_a_thread_that_is_not_known(server: DiscordServer, bot: Listener) -> None:
    thread = server.start_thread(GENERAL, ANNA, "talk")
    server.archive(thread)
    server.say(thread, ANNA, "hello")
    await heard(server, bot, "thread_join")
    [message] = [one for one in bot.events("message") if one.content == "hello"]
    assert isinstance(message.channel, discord.PartialMessageable)
    server.archive(thread)
    server.threads_wake_late = False
    server.say(thread, ANNA, "hello")
    await heard(server, bot, "message", 3)
    assert isinstance(bot.events("message")[-1].channel, discord.Thread)


async def test_archived_threads_are_not_told_at_the_beginning(server: DiscordServer) -> None:
    open_one, archived = (server.start_thread(GENERAL, ANNA, name) for name in ("open", "archived"))
    server.archive(archived)
    bot = Listener()
    async with listening(server, bot):
        assert [one.id for one in bot.guilds[0].threads] == [open_one.id]
        channel = bot.get_channel(GENERAL)
        assert isinstance(channel, discord.TextChannel)
        assert [one.id async for one in channel.archived_threads()] == [archived.id]
        active = await bot.guilds[0].active_threads()
        assert [one.id for one in active] == [open_one.id]
        fetched = await bot.fetch_channel(archived.id)
        assert isinstance(fetched, discord.Thread) and fetched.archived and fetched.parent_id == GENERAL


async def test_a_post_of_a_forum_is_a_thread_with_its_message(server: DiscordServer, bot: Listener) -> None:
    thread = server.start_post(FORUM, ANNA, "It broke", f"<@{BOT}> why?", files=[("log.txt", "boom")])
    [message] = await heard(server, bot, "message")
    assert isinstance(message, discord.Message) and isinstance(message.channel, discord.Thread)
    assert message.id == message.channel.id == thread.id
    assert isinstance(message.channel.parent, discord.ForumChannel)
    assert await message.attachments[0].read() == b"boom"
    await message.channel.send("because")
    assert [one.shown for one in server.replies(thread)] == ["because"]


async def test_announcements_have_threads_of_their_own_kind(server: DiscordServer, bot: Listener) -> None:
    server.say(NEWS, ANNA, "news")
    [message] = await heard(server, bot, "message")
    assert isinstance(message, discord.Message)
    thread = await message.create_thread(name="news")
    assert thread.type is discord.ChannelType.news_thread
    await thread.send("answer")


async def test_what_is_deleted_with_its_channel_is_not_told(server: DiscordServer, bot: Listener) -> None:
    thread = server.start_thread(GENERAL, ANNA, "talk")
    asleep = server.start_thread(SECOND, ANNA, "sleep")
    server.archive(asleep)
    server.delete_channel(asleep)
    server.delete_channel(GENERAL)
    await heard(server, bot, "guild_channel_delete")
    assert [one.thread_id for one in bot.events("raw_thread_delete")] == [asleep.id, thread.id]
    names = [name for session in server.gateway.live() for name in session.names]
    assert names.count("THREAD_DELETE") == 1
    with pytest.raises(LookupError):
        server.channel(thread.id)


async def test_an_outage_is_not_a_farewell(server: DiscordServer, bot: Listener) -> None:
    server.outage()
    server.say(GENERAL, ANNA, "not told")
    server.recover()
    server.say(GENERAL, ANNA, "told")
    await heard(server, bot, "message")
    assert bot.said == ["told"]
    assert not bot.events("guild_remove")
    assert bot.events("guild_unavailable") and bot.events("guild_available")
    server.remove_bot()
    await heard(server, bot, "guild_remove")
    assert not bot.guilds


async def test_the_bot_is_invited_while_it_runs(server: DiscordServer, bot: Listener) -> None:
    guild = server.add_guild("Other", invited=False)
    [channel] = guild.channels.values()
    server.say(channel, ANNA, "not told")
    server.invite_bot(guild)
    server.say(channel, ANNA, "told")
    await heard(server, bot, "message")
    assert [one.id for one in bot.events("guild_join")] == [guild.id] and bot.said == ["told"]


async def test_access_comes_and_goes_quietly(server: DiscordServer, bot: Listener) -> None:
    thread = server.start_thread(HIDDEN, ANNA, "inside")
    server.show(HIDDEN)
    server.say(HIDDEN, ANNA, "visible")
    await heard(server, bot, "message")
    assert [one.id for one in bot.events("thread_join")] == [thread.id]
    server.hide(HIDDEN)
    server.say(HIDDEN, ANNA, "invisible")
    await heard(server, bot, "guild_channel_update", 2)
    channel = bot.get_channel(HIDDEN)
    assert isinstance(channel, discord.TextChannel)
    assert not channel.permissions_for(channel.guild.me).view_channel
    assert bot.said == ["visible"]


async def test_roles_give_permissions_as_they_do_for_the_client(server: DiscordServer, bot: Listener) -> None:
    role = server.add_role(server.guild, "Readers", Permission.MANAGE_MESSAGES)
    server.give_role(server.guild, BOT, role.id)
    server.overwrite(GENERAL, role.id, deny=Permission.SEND_MESSAGES)
    await heard(server, bot, "guild_channel_update")
    guild = bot.guilds[0]
    for channel in guild.text_channels:
        mine = channel.permissions_for(guild.me)
        seen = server.can(channel.id, BOT)
        for bit in Permission:
            assert bool(seen & bit) == bool(mine.value & bit), (channel.name, bit)


async def test_addresses_lead_to_messages(server: DiscordServer, bot: Listener) -> None:
    said = [server.say(GENERAL, ANNA, "one"), server.say(server.direct(ANNA), ANNA, "two")]
    await heard(server, bot, "message", 2)
    assert [one.jump_url for one in bot.events("message")] == [one.link for one in said]
    assert said[0].link == f"https://discord.com/channels/{GUILD}/{GENERAL}/{said[0].id}"


async def test_messages_are_passed_on_with_their_files(server: DiscordServer, bot: Listener) -> None:
    message = server.say(GENERAL, ANNA, "look", files=[("a.txt", "content")])
    server.forward(message, SECOND, BEN)
    await heard(server, bot, "message", 2)
    passed = bot.events("message")[1]
    assert (passed.content, passed.attachments, passed.type) == ("", [], discord.MessageType.default)
    [snapshot] = passed.message_snapshots
    assert snapshot.content == "look" and await snapshot.attachments[0].read() == b"content"


async def test_webhooks_talk_too(server: DiscordServer, bot: Listener) -> None:
    server.say(GENERAL, ROBOT, f"<@{BOT}> built", webhook=123456789012345678)
    [message] = await heard(server, bot, "message")
    assert isinstance(message, discord.Message)
    assert message.webhook_id == 123456789012345678 and bot.user in message.mentions
