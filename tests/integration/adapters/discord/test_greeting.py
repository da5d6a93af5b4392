"""What the bot says to a server that lets it in, and what it tells Discord of its commands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from adapters.discord.registration import fingerprint, register
from tests.fakes.discord import BOT, Overwrite, Permission, refused
from tests.fakes.ledger import FakeLedger
from tests.integration.adapters.discord.using import Using

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from tests.fakes.discord import DiscordServer, Guild


@pytest.fixture
async def using(server: DiscordServer) -> AsyncIterator[Using]:
    async with Using(server).open() as using:
        yield using
    assert server.unguarded() == []


def server_of(using: Using, *, system: bool = True) -> tuple[Guild, int]:
    guild = using.discord.add_guild("New", invited=False)
    channel = next(iter(guild.channels))
    guild.system_channel = channel if system else None
    return guild, channel


async def test_a_server_that_lets_the_bot_in_is_greeted_once(using: Using) -> None:
    guild, channel = server_of(using)

    for _ in range(2):
        using.discord.invite_bot(guild)
        await using.settled()
        using.client._connection._guilds.pop(guild.id)

    (shown,) = using.discord.replies(channel)
    assert "Thank you for inviting me" in shown.content
    assert "`/help`" in shown.content
    assert "not permitted" not in shown.content


async def test_what_the_bot_is_not_permitted_is_named_in_the_greeting(using: Using) -> None:
    guild, channel = server_of(using)
    guild.everyone.permissions &= ~Permission.ADD_REACTIONS
    guild.invite(using.discord.bot, using.discord.snowflake())
    guild.role_of(BOT).permissions &= ~Permission.ADD_REACTIONS
    using.discord.tell_guild(guild)
    await using.settled()

    assert "not permitted: **Add Reactions**" in using.discord.replies(channel)[-1].content


@pytest.mark.parametrize("system", [True, False])
async def test_where_it_is_not_welcome_the_bot_says_nothing(using: Using, system: bool) -> None:
    guild, channel = server_of(using, system=system)
    guild.channels[channel].overwrites[BOT] = Overwrite(deny=Permission.SEND_MESSAGES)
    using.discord.invite_bot(guild)
    await using.settled()

    assert using.discord.replies(channel) == []


async def test_servers_that_were_there_before_are_not_greeted(server: DiscordServer) -> None:
    server.guild.system_channel = next(iter(server.guild.channels))
    async with Using(server).open() as using:
        server.outage()
        server.recover()
        await using.settled()

    assert server.called("send") == []


async def test_a_greeting_that_discord_does_not_take_is_let_go(using: Using) -> None:
    guild, channel = server_of(using)
    using.discord.fail("send", refused(50013))
    using.discord.invite_bot(guild)
    await using.settled()

    assert using.discord.replies(channel) == []


async def test_discord_is_told_of_the_commands_when_they_have_changed(server: DiscordServer) -> None:
    ledger = FakeLedger()
    for times in (1, 1):
        async with Using(server, ledger).open():
            assert len(server.called("register commands")) == times

    ledger.entries[0].payload["commands"] = "others"  # type: ignore[index]  # another version had others
    for _ in range(2):
        async with Using(server, ledger).open():
            assert len(server.called("register commands")) == 2


async def test_a_new_connection_does_not_tell_of_them_again(using: Using) -> None:
    using.discord.gateway.invalidate()
    await using.discord.gateway.ready(identified=2)

    assert len(using.discord.called("register commands")) == 1


async def test_where_that_is_not_wanted_discord_is_not_told(server: DiscordServer) -> None:
    async with Using(server).open(sync=False):
        assert server.called("register commands") == []


async def test_commands_that_discord_does_not_take_are_told_of_at_the_next_start(
    server: DiscordServer, caplog: pytest.LogCaptureFixture
) -> None:
    ledger = FakeLedger()
    server.fail("register commands", refused(50001))
    async with Using(server, ledger).open():
        assert server.commands[None] == []
    assert "was not told which commands there are" in caplog.text

    async with Using(server, ledger).open():
        assert len(server.commands[None]) == 10


async def test_a_ledger_that_fails_keeps_nobody_from_commands(server: DiscordServer) -> None:
    ledger = FakeLedger()
    ledger.error = OSError()
    async with Using(server, ledger).open() as using:
        await register(using.client._connection._command_tree, using.desk.calls, ledger)  # type: ignore[arg-type]
        assert len(server.commands[None]) == 10


async def test_any_difference_of_a_command_gives_all_of_them_another_name(using: Using) -> None:
    tree: Any = using.client._connection._command_tree
    before = fingerprint(tree)
    assert fingerprint(tree) == before

    tree.get_command("docs").description = "Another one"
    assert fingerprint(tree) != before
